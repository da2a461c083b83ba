// The wait after a failed attempt.

import { delay, hinted } from './generated.js';
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

/** The same where a server asks for a wait. @param {any} settings @param {number} attempt @param {number} ms */
export function hintedWait(settings, attempt, ms) {
  const r = drawn(settings.random);
  // Without jitter, the first wait is the base.
  const baseMs = computed({ ...settings, jitter: 'none' }, 1);
  return hinted(computed({ ...settings, random: () => r }, attempt), r, baseMs, ms);
}

/** @param {() => number} random */
function drawn(random) {
  const draw = random();
  check('random()', draw, DRAW, 'must return');
  return draw;
}
