// @ts-check
// The wait after a failed attempt.

import { EXPONENTIAL } from '../options/codes.js';
import { DRAW, JITTERS, check, settingsOf } from './options.js';

/** @typedef {() => import('../options/settings.js').Core | undefined} Load undefined: the host refuses to compile it */

/** @param {Load} load */
export function delayMsOf(load) {
  return {
    /** @param {number} k @param {unknown} [options] */
    delayMs(k, options) {
      check('k must be', k, ['number', 'a positive integer', (k) => k > 0 && Number.isSafeInteger(k)]);
      const settings = settingsOf(options);
      const core = load();
      if (!core) throw new Error('rejitter: no WebAssembly; use rejitter/no-wasm/light');
      return computed(core, settings, k);
    },
  }.delayMs;
}

/**
 * Returns the wait in ms. This is the one crossing into the core.
 * @param {import('../options/settings.js').Core} core
 * @param {import('./options.js').Settings} settings
 * @param {number} attempt the failed one's number
 */
export function computed(core, { baseMs, capMs, factor, jitter = 'full', random = Math.random }, attempt) {
  const code = JITTERS.indexOf(jitter);
  const draw = code && random();
  check('random() must return', draw, DRAW);
  // The core knows the defaults of what is unset or missing.
  const numbers = /** @type {number[]} */ ([attempt, draw, EXPONENTIAL, code, baseMs, capMs, factor]);
  return core.decide(...numbers);
}
