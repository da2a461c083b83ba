/** The first page. */
import { drawn } from 'virtual:scene';
import { mountScene } from '../scene/section';
import { boot } from '../shell/boot';

void boot([
  ['scene-body', (root, { store, scene }) => mountScene(root, store, scene, drawn), 'now'],
  [
    'delays-body',
    async (root, { store, quick, slow }) => (await import('../waits/section')).mountWaits(root, store, quick, slow),
  ],
  ['controls-form', async (root, { store }) => (await import('../shell/controls')).mountControls(root, store)],
  ['today-body', async (root, { store, slow }) => (await import('../today/section')).mountToday(root, store, slow)],
  [
    'verdict-body',
    async (root, { store, slow }) => (await import('../verdict/section')).mountVerdict(root, store, slow),
  ],
  [
    'aws-body',
    async (root, { store, slow }) => (await import('../contention/section')).mountContention(root, store, slow),
  ],
  ['live-body', async (root, { store }) => (await import('../live/section')).mountLive(root, store)],
  ['code-body', async (root, { store }) => (await import('../take-away/section')).mountCode(root, store)],
]);
