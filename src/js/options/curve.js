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

/**
 * Drops what belongs to a replaced backoff or jitter, and of `seed` and `random` the replaced one.
 * @param {Settings} settings whose own properties are overrides
 */
export function dropReplaced(settings) {
  const own = (/** @type {string} */ name) => Object.hasOwn(settings, name);
  if (settings.capOfList && !own('capMs')) settings.capMs = NaN;
  settings.capOfList = false;
  if (own('seed') !== own('random')) settings[own('seed') ? 'random' : 'seed'] = undefined;
  if (!own('backoff') && !own('jitter')) return;
  if (settings.backoff !== CUSTOM) settings.curve = undefined;
  if (!own('factor') && !follows(EXPONENTIAL, settings)) settings.factor = NaN;
  if (!own('stepMs') && !follows(LINEAR, settings)) settings.stepMs = NaN;
  if (!own('truncateAt') && !truncates(settings)) settings.truncateAt = NaN;
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

/** @param {Settings} settings @param {Error[]} problems where to put what is found */
export function contradictions(settings, problems) {
  const { baseMs, capMs, minMs, factor, stepMs, truncateAt } = settings;
  // A comparison with what is unset is false.
  if (capMs < baseMs) problems.push(problemOf('capMs', capMs, ['number', `at least baseMs (${baseMs})`]));
  if (minMs > 0) {
    const cap = capMs >= 0 || follows(CUSTOM, settings) ? capMs : baseMs > DEFAULT_CAP_MS ? baseMs : DEFAULT_CAP_MS;
    if (minMs > cap) problems.push(problemOf('minMs', minMs, ['number', `at most capMs (${cap})`]));
  }
  if (factor >= 1) onlyWith(EXPONENTIAL, 'factor', settings, problems);
  if (stepMs >= 0) onlyWith(LINEAR, 'stepMs', settings, problems);
  if (truncateAt >= 1 && !truncates(settings)) {
    problems.push(leftOut('truncateAt', truncateAt, "it applies only to backoff 'truncated' and jitter 'slotted'"));
  }
  if (settings.seed !== undefined && settings.random !== undefined) {
    problems.push(failure(TypeError, 'seed and random are mutually exclusive; set one of them'));
  }
}

/**
 * @param {number} backoff the one that has this option
 * @param {'factor' | 'stepMs'} name
 * @param {Settings} settings
 * @param {Error[]} problems
 */
function onlyWith(backoff, name, settings, problems) {
  if (follows(backoff, settings)) return;
  const { jitter } = settings;
  const why = hasOwnCurve(jitter) ? ` (jitter '${JITTERS[jitter]}' replaces the backoff)` : '';
  problems.push(leftOut(name, settings[name], `it applies only to backoff '${BACKOFFS[backoff]}'${why}`));
}

/** @param {number} backoff @param {Settings} settings */
function follows(backoff, settings) {
  return settings.backoff === backoff && !hasOwnCurve(settings.jitter);
}

/** @param {Settings} settings */
function truncates({ backoff, jitter }) {
  return backoff === TRUNCATED || jitter === SLOTTED;
}
