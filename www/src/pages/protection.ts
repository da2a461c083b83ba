/** `/protection`: what all clients share. */
import { mountTail } from '../hedging/section';
import { mountLoad } from '../load/section';
import { mountRateLimit } from '../rate-limit/section';
import { boot } from '../shell/boot';

void boot([
  ['protection-body', (root, { store, slow }) => mountLoad(root, store, slow), 'now'],
  ['rate-limit-body', (root, { store, slow }) => mountRateLimit(root, store, slow), 'now'],
  ['tail-body', (root, { store, slow }) => mountTail(root, store, slow), 'now'],
  ['code-body', async (root, { store }) => (await import('../take-away/section')).mountCode(root, store)],
]);
