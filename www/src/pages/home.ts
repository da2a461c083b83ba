/** The first page. */
import { drawn } from 'virtual:scene';
import { mountScene } from '../scene/section';
import { boot } from '../shell/boot';

void boot([
  ['scene-body', (root, { store, slow }) => mountScene(root, store, slow, drawn), 'now'],
  ['delays-body', async (root, { store, quick }) => (await import('../sections/waits')).mountWaits(root, store, quick)],
  ['today-body', async (root, { store, slow }) => (await import('../today/section')).mountToday(root, store, slow)],
  [
    'aws-body',
    async (root, { store, slow }) => (await import('../sections/contention')).mountContention(root, store, slow),
  ],
  ['cost-body', async (root, { store, slow }) => (await import('../sections/cost')).mountCost(root, store, slow)],
  ['live-body', async (root, { store }) => (await import('../live/live-section')).mountLive(root, store)],
  ['code-body', async (root, { store }) => (await import('../take-away/code-section')).mountCode(root, store)],
]);
