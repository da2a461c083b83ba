// @ts-check
// The wait after a failed attempt.

import { delay } from './generated.js';
import { DRAW, JITTERS, check, settingsOf } from './options.js';

/** @param {number} k @param {unknown} [options] */
export function delayMs(k, options) {
  check('k', k, ['number', 'a positive integer', (k) => k > 0 && Number.isSafeInteger(k)]);
  return computed(settingsOf(options), k);
}

/** @param {import('./options.js').Settings} settings @param {number} attempt the failed one's number */
export function computed({ baseMs, capMs, factor, jitter, random }, attempt) {
  const code = JITTERS.indexOf(jitter);
  // The core counts in 32 bits, and knows the defaults of what is unset.
  return delay(Math.min(attempt, 2 ** 32 - 1), code && drawn(random), code, baseMs, capMs, factor);
}

/** @param {() => number} random */
function drawn(random) {
  const draw = random();
  check('random()', draw, DRAW, 'must return');
  return draw;
}
