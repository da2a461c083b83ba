// The whole package in one loop: attempt, classify, decide, wait. The main entry follows the same rules.

import { readBriefly } from '../marks.js';
import { Limits } from './limits.js';
import { DURATION, FUNCTION, check, settingsOf } from './options.js';
import { computed } from './waits.js';

/**
 * @param {(attempt: import('./limits.js').Attempt) => unknown} fn
 * @param {unknown} [options]
 * @returns {Promise<any>}
 */
export async function retry(fn, options) {
  check('fn', fn, FUNCTION);
  const settings = settingsOf(options);
  const { maxAttempts, retryIf } = settings;
  const limits = new Limits(settings);
  try {
    for (let number = 1; ; number++) {
      const attempt = limits.begin(number);
      try {
        return await limits.race(fn, attempt);
      } catch (thrown) {
        if (limits.stopped) throw thrown;
        const { cause: error, last } = limits.fail(readBriefly(thrown));
        const verdict = !last && (retryIf ? await limits.race(retryIf, error, attempt) : true);
        let delayMs;
        if (typeof verdict !== 'boolean') {
          delayMs = Object.hasOwn(verdict ?? '', 'afterMs') ? verdict.afterMs : undefined;
          check('retryIf', delayMs, DURATION, 'must return a boolean or { afterMs },');
        }
        if (!verdict || number >= maxAttempts) throw error;
        delayMs ??= computed(settings, number);
        // A timer is armed for whole milliseconds and may fire one late: a wait that leaves less is wasted.
        if (limits.stopped || Math.ceil(delayMs) + 1 > limits.leftMs()) throw error;
        await limits.wait(delayMs);
        // Timers may be late.
        if (limits.leftMs() <= 0) throw error;
      }
    }
  } finally {
    limits.release();
    // biome-ignore lint/correctness/noUnsafeFinally: nothing comes before the error of what stopped the operation.
    if (limits.stopped) throw limits.stopped[0];
  }
}
