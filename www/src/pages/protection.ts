/** `/protection`: what all clients share. */
import { mountLoad } from '../load/section';
import { boot } from '../shell/boot';

void boot([
  ['protection-body', (root, { store, slow }) => mountLoad(root, store, slow), 'now'],
  [
    'rate-limit-body',
    async (root, { store, slow }) => (await import('../rate-limit/section')).mountRateLimit(root, store, slow),
  ],
  ['tail-body', async (root, { store, slow }) => (await import('../hedging/section')).mountTail(root, store, slow)],
  ['code-body', async (root, { store }) => (await import('../take-away/section')).mountCode(root, store)],
]);
