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
import { failure, leftOut, problemOf } from './messages.js';

/** @typedef {import('./settings.js').Settings} Settings */

/** Options of one backoff alone. @type {any} */
const OWNERS = { factor: EXPONENTIAL, stepMs: LINEAR, truncateAt: TRUNCATED };

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
  if (settings.capOfList && !own('capMs')) settings.capMs = NaN;
  settings.capOfList = false;
  if (own('seed') !== own('random')) settings[own('seed') ? 'random' : 'seed'] = undefined;
  if (!own('backoff') && !own('jitter')) return;
  if (settings.backoff !== CUSTOM) settings.curve = undefined;
  for (const name in OWNERS) if (!own(name) && !belongs(name, settings)) settings[name] = NaN;
}

/**
 * Raises the default cap, which would silently cut the caller's list, to its longest wait. For a function,
 * the core has no default cap.
 * @param {Settings} settings
 */
export function capList(settings) {
  const { curve, baseMs } = settings;
  if (settings.capMs >= 0 || typeof curve === 'function' || hasOwnCurve(settings.jitter)) return;
  settings.capMs = Math.max(DEFAULT_CAP_MS, baseMs >= 0 ? baseMs : 0, .../** @type {number[]} */ (curve));
  settings.capOfList = true;
}

/** @param {any} settings @param {Error[]} problems where to put what is found */
export function contradictions(settings, problems) {
  const { baseMs, capMs, minMs, backoff, jitter } = settings;
  // A comparison with what is unset is false.
  if (capMs < baseMs) problems.push(problemOf('capMs', capMs, ['number', `at least baseMs (${baseMs})`]));
  if (minMs > 0) {
    const free = backoff === CUSTOM && !hasOwnCurve(jitter);
    const cap = capMs >= 0 || free ? capMs : baseMs > DEFAULT_CAP_MS ? baseMs : DEFAULT_CAP_MS;
    if (minMs > cap) problems.push(problemOf('minMs', minMs, ['number', `at most capMs (${cap})`]));
  }
  for (const name in OWNERS) {
    if (!(settings[name] >= 0) || belongs(name, settings)) continue;
    const why = hasOwnCurve(jitter) ? ` (jitter '${JITTERS[jitter]}' replaces the backoff)` : '';
    const also = name === 'truncateAt' ? " and jitter 'slotted'" : why;
    problems.push(leftOut(name, settings[name], `it applies only to backoff '${BACKOFFS[OWNERS[name]]}'${also}`));
  }
  if (settings.seed !== undefined && settings.random !== undefined) {
    problems.push(failure(TypeError, 'seed and random are mutually exclusive; set one of them'));
  }
}
