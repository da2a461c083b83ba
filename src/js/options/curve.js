// @ts-check
// Options of the curve compared with each other: what goes together, and what an override drops.

import {
  BACKOFFS,
  CUSTOM,
  DEFAULT_CAP_MS,
  EXPONENTIAL,
  JITTERS,
  LINEAR,
  SLOTTED,
  TRUNCATED,
  hasOwnCurve,
} from './codes.js';
import { leftOut, mistake, problemOf } from './messages.js';

/** @import { Settings } from './settings.js' */

/** Options of one backoff alone. @type {any} */
const OWNERS = { __proto__: null, factor: EXPONENTIAL, stepMs: LINEAR, truncateAt: TRUNCATED };

/** Returns whether such an option says something about the waits. @param {string} name @param {Settings} settings */
function belongs(name, { backoff, jitter }) {
  const owns = backoff === OWNERS[name];
  return name === 'truncateAt' ? owns || jitter === SLOTTED : owns && !hasOwnCurve(jitter);
}

/**
 * Drops what belongs to a replaced backoff or jitter, and of `seed` and `random` the replaced one.
 * @param {any} settings whose own properties are overrides
 */
export function dropReplaced(settings) {
  const own = (/** @type {string} */ name) => Object.hasOwn(settings, name);
  if (own('seed') !== own('random')) settings[own('seed') ? 'random' : 'seed'] = undefined;
  if (!own('backoff') && !own('jitter')) return;
  if (settings.backoff !== CUSTOM) settings.curve = undefined;
  for (const name in OWNERS) if (!own(name) && !belongs(name, settings)) settings[name] = NaN;
}

/**
 * Returns the cap, or NaN for the core's default. That would silently cut the caller's list, whose longest wait raises
 * it; for a function, the core has no default cap.
 * @param {Settings} settings
 */
export function capOf({ capMs, curve, baseMs, jitter }) {
  if (capMs >= 0 || !Array.isArray(curve) || hasOwnCurve(jitter)) return capMs;
  return Math.max(DEFAULT_CAP_MS, baseMs >= 0 ? baseMs : 0, ...curve);
}

/** @param {any} settings @param {Error[]} problems where to put what is found */
export function contradictions(settings, problems) {
  const { baseMs, minMs, backoff, jitter } = settings;
  const capMs = capOf(settings);
  // A comparison with what is unset is false.
  if (capMs < baseMs) problems.push(problemOf('capMs', capMs, ['number', 'leastCap', , baseMs]));
  if (minMs > 0) {
    const free = backoff === CUSTOM && !hasOwnCurve(jitter);
    const cap = capMs >= 0 || free ? capMs : baseMs > DEFAULT_CAP_MS ? baseMs : DEFAULT_CAP_MS;
    if (minMs > cap) problems.push(problemOf('minMs', minMs, ['number', 'mostFloor', , cap]));
  }
  for (const name in OWNERS) {
    if (!(settings[name] >= 0) || belongs(name, settings)) continue;
    const why = hasOwnCurve(jitter) ? ` (jitter '${JITTERS[jitter]}' replaces the backoff)` : '';
    const also = name === 'truncateAt' ? " and jitter 'slotted'" : why;
    problems.push(leftOut(name, settings[name], 'owner', [BACKOFFS[OWNERS[name]], also]));
  }
  if (settings.seed !== undefined && settings.random !== undefined) {
    problems.push(mistake('seed', 'seedOrRandom'));
  }
}
