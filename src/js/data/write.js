// @ts-check
// A policy as JSON data.

import { ADDITIVE, ADDITIVE_MAX, BACKOFFS, BOUND, CAP_RULES, JITTERS, PROPORTIONAL } from '../options/codes.js';
import { problemOf } from '../options/messages.js';
import { RULES, isData } from '../options/rules.js';

/** The version of the format, in every object that is written. */
export const VERSION = 1;

/**
 * Returns the options as data. Functions and signals belong to a process and are omitted, but for a
 * backoff function: without it, the waits would silently be others.
 * @param {import('../options/settings.js').Settings} settings
 * @param {boolean} [shown] whether this is for a reader, who sees that function
 */
export function toData(settings, shown) {
  if (typeof settings.curve === 'function' && !shown)
    throw problemOf('backoff', settings.curve, ['', 'a name or a list to be written as JSON']);
  const { seed } = settings;
  /** @type {Record<string, unknown>} */
  const data = {
    version: VERSION,
    backoff: Array.isArray(settings.curve)
      ? settings.curve.map(written)
      : (settings.curve ?? BACKOFFS[settings.backoff]),
    jitter: jitterData(settings),
    ...(settings.capRule !== BOUND && { capRule: CAP_RULES[settings.capRule] }),
    ...(seed && { seed: { bits: String((BigInt(seed[0]) << 32n) | BigInt(seed[1])) } }),
  };
  for (const name of Object.keys(RULES)) {
    const value = /** @type {any} */ (settings)[name];
    const unset =
      value === undefined ||
      value === false ||
      Number.isNaN(value) ||
      (value === Infinity && name.endsWith('TimeoutMs')) ||
      (name === 'capMs' && settings.capOfList);
    if (!unset && isData(name) && !Object.hasOwn(data, name)) data[name] = written(value);
  }
  return data;
}

/** @param {import('../options/settings.js').Settings} settings */
function jitterData({ jitter, spread }) {
  switch (jitter) {
    case PROPORTIONAL:
      return { type: 'proportional', ratio: spread };
    case ADDITIVE:
      return { type: 'additive', ratio: spread };
    case ADDITIVE_MAX:
      return { type: 'additive', maxMs: spread };
    default:
      return JITTERS[jitter];
  }
}

/** JSON has no infinity. @param {unknown} value */
function written(value) {
  return value === Infinity ? 'Infinity' : value;
}
