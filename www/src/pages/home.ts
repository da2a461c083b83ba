/** The first page. */
import { drawn } from 'virtual:scene';
import { mountScene } from '../scene/section';
import { boot } from '../shell/boot';

void boot([
  ['scene-body', (root) => mountScene(root, drawn), 'now'],
  ['delays-body', async (root) => (await import('../waits/section')).mountWaits(root)],
  ['controls-form', async (root) => (await import('../shell/controls')).mountControls(root)],
  ['verdict-body', async (root) => (await import('../verdict/section')).mountVerdict(root)],
  ['aws-body', async (root) => (await import('../contention/section')).mountContention(root)],
  ['live-body', async (root) => (await import('../live/section')).mountLive(root)],
  ['code-body', async (root) => (await import('../take-away/section')).mountCode(root)],
]);
