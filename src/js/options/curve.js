// Options of the curve compared with each other: what goes together, and what an override drops.

import { isFunction } from './checks.js';
import { CUSTOM, DEFAULT_CAP_MS, EXPONENTIAL, LINEAR, SLOTTED, TRUNCATED, hasOwnCurve } from './codes.js';
import { leftOut, mistake, problemOf } from './messages.js';

/** @import { Settings } from './settings.js' */

/** Options of one backoff alone. @type {any} */
const OWNERS = { __proto__: null, factor: EXPONENTIAL, stepMs: LINEAR, truncateAt: TRUNCATED };

/** Returns whether such an option says something about the waits. @param {string} name @param {Settings} settings */
function belongs(name, { backoff, jitter }) {
  const owns = backoff === OWNERS[name];
  return name === 'truncateAt' ? owns || jitter === SLOTTED : owns && !hasOwnCurve(jitter);
}

/** Drops what a replaced backoff or jitter had, and one of `seed` and `random`. @param {any} settings of an override */
export function dropReplaced(settings) {
  const own = (/** @type {string} */ name) => Object.hasOwn(settings, name);
  if (own('seed') !== own('random')) settings[own('seed') ? 'random' : 'seed'] = undefined;
  if (!own('backoff') && !own('jitter')) return;
  if (settings.backoff !== CUSTOM) settings.curve = undefined;
  for (const name in OWNERS) if (!own(name) && !belongs(name, settings)) settings[name] = NaN;
}

/**
 * Returns the cap. The base raises the default one, and so does the longest wait of the caller's list, which that would
 * silently cut; a function has none.
 * @param {Settings} settings
 */
export function capOf({ capMs, curve, baseMs, jitter }) {
  if (capMs >= 0) return capMs;
  const own = curve === undefined || hasOwnCurve(jitter) ? [] : curve;
  return isFunction(own) ? Infinity : Math.max(DEFAULT_CAP_MS, baseMs >= 0 ? baseMs : 0, ...own);
}

/** @param {any} settings @param {Error[]} problems where to put what is found */
export function contradictions(settings, problems) {
  const { baseMs, minMs } = settings;
  const capMs = capOf(settings);
  // A comparison with what is unset is false.
  if (capMs < baseMs) problems.push(problemOf('capMs', capMs, ['number', 'leastCap', baseMs]));
  if (minMs > capMs) problems.push(problemOf('minMs', minMs, ['number', 'mostFloor', capMs]));
  for (const name in OWNERS) {
    if (settings[name] >= 0 && !belongs(name, settings))
      problems.push(leftOut(name, settings[name], 'owner', [name, OWNERS[name], settings.jitter]));
  }
  if (settings.seed !== undefined && settings.random !== undefined) {
    problems.push(mistake('seed', 'seedOrRandom'));
  }
}
