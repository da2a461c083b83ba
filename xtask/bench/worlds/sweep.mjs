// Services that fail a share of the attempts, over the whole range.

import { failing } from './servers.mjs';
import { above, row, share } from './shown.mjs';

/**
 * @param {number} rate of each
 * @param {Record<number, number>} losses that all three may have against no retries at 65 and 70%
 */
const sweep = (processes, rate, losses) =>
  Array.from({ length: 16 }, (_, i) => 5 * (i + 1)).map((percent) => {
    const aims = percent <= 70 ? [above('no retries', losses[percent] ?? -2)] : [];
    if (percent <= 65 && processes === 1) aims.push(above('budget()', -3));
    if (percent <= 75) aims.push(above('no protection', -3, 'breaker()'));
    return {
      ...{ title: `${percent}%`, seconds: 300, rate: rate * processes, processes },
      server: failing(() => percent / 100, { ms: 10 }),
      shows: [row(share(), aims)],
    };
  });

export const ONE_PROCESS = sweep(1, 20, { 65: -4, 70: -6 });
export const TEN_PROCESSES = sweep(10, 5, { 65: -5, 70: -12 });
