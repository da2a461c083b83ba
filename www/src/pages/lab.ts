/** `/lab`: every control, and all that follows from them. */
import { mountWaits } from '../waits/section';
import { boot, type Lanes } from '../shell/boot';
import { mountPanel } from '../shell/header';

void boot([
  ['controls-form', mountAll, 'now'],
  ['delays-body', (root, { store, quick }) => mountWaits(root, store, quick), 'now'],
  ['herd-body', async (root, { store, slow }) => (await import('../herd/section')).mountHerd(root, store, slow)],
  ['cost-body', async (root, { store, slow }) => (await import('../cost/section')).mountCost(root, store, slow)],
  ['today-body', async (root, { store, slow }) => (await import('../today/section')).mountToday(root, store, slow)],
  ['code-body', async (root, { store }) => (await import('../take-away/section')).mountCode(root, store)],
]);

async function mountAll(root: HTMLElement, { store }: Lanes): Promise<void> {
  (await import('../shell/controls')).mountControls(root, store);
  mountPanel(store);
}
