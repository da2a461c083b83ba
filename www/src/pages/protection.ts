/** `/protection`: what all clients share. */
import { mountTail } from '../hedging/section';
import { mountLoad } from '../load/section';
import { mountRateLimit } from '../rate-limit/section';
import { boot } from '../shell/boot';

void boot([
  ['protection-body', mountLoad, 'now'],
  ['rate-limit-body', mountRateLimit, 'now'],
  ['tail-body', mountTail, 'now'],
  ['code-body', async (root) => (await import('../take-away/section')).mountCode(root)],
]);
