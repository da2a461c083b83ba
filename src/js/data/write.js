// A policy as JSON data.

import { isFunction, isObject } from '../options/checks.js';
import { ADDITIVE_MAX, BACKOFFS, BOUND, CAP_RULES, JITTERS, PROPORTIONAL } from '../options/codes.js';
import { problemOf } from '../options/messages.js';
import { FUNCTION, HOOK, PROTECT, SIGNAL, WEIGHT } from '../options/rules.js';
import { RULES } from '../options/table.js';

/** The version of the format, in every object that is written. */
export const VERSION = 1;

/**
 * Returns the options as data. Functions and signals belong to a process and are omitted, but for a backoff function:
 * without it, the waits would silently be others. A reader, to whom they are shown, sees that function.
 * @type {(settings: import('../options/settings.js').Settings, shown?: boolean) => Record<string, unknown>}
 */
export function toData(settings, shown) {
  const { backoff, jitter, capRule, curve, seed, spread } = settings;
  if (isFunction(curve) && !shown) throw problemOf('backoff', curve, ['', 'writable']);
  const type = jitter === PROPORTIONAL ? 'proportional' : 'additive';
  /** @type {Record<string, unknown>} */
  const data = {
    version: VERSION,
    backoff: Array.isArray(curve) ? curve.map(written) : (curve ?? BACKOFFS[backoff]),
    jitter: JITTERS[jitter] ?? { type, [jitter === ADDITIVE_MAX ? 'maxMs' : 'ratio']: spread },
    ...(capRule !== BOUND && { capRule: CAP_RULES[capRule] }),
    ...(seed && { seed: { bits: String((BigInt(seed[0]) << 32n) | BigInt(seed[1])) } }),
  };
  for (const name of Object.keys(RULES).filter(isData)) {
    const value = /** @type {any} */ (settings)[name];
    const unlimited = value === Infinity && name.endsWith('TimeoutMs');
    const unset = value === undefined || value === false || Number.isNaN(value);
    if (!unlimited && !unset && !Object.hasOwn(data, name)) data[name] = written(value);
  }
  return data;
}

/** JSON has no infinity. @param {any} value @returns {unknown} */
function written(value) {
  if (!isObject(value)) return value === Infinity ? 'Infinity' : value;
  // The limit of silence.
  const { firstMs, thenMs } = value;
  return firstMs === thenMs ? written(firstMs) : { firstMs: written(firstMs), thenMs: written(thenMs) };
}

/** Returns whether an option can be written as data: no function, nothing of a process. @param {string} name */
export function isData(name) {
  return ![FUNCTION, HOOK, SIGNAL, PROTECT, WEIGHT].includes(RULES[name]);
}
