// @ts-check
// The one crossing into the core, once per failed attempt.

import { show } from './options.js';

/**
 * The wasm's exports, as the driver uses them (src/js/numeric.rs).
 * @typedef {object} Core
 * @property {(...numbers: number[]) => number} decide
 */

/**
 * Where an operation's draws come from.
 * @typedef {object} Source
 * @property {number} seedHigh
 * @property {number} seedLow
 * @property {number} index
 */

/**
 * The wait in ms that follows a failed attempt; negative to stop: −1 when attempts are exhausted.
 * @param {import('./options.js').Settings} settings
 * @param {Source} source
 * @param {number} attempt the failed one's number, from 1
 * @param {number} previousMs the previous computed wait; NaN before the first
 */
export function decide(settings, source, attempt, previousMs) {
  // A draw is taken only if there is a wait to draw, as with seeds.
  const draw = settings.random !== undefined && attempt < settings.maxAttempts ? drawFrom(settings.random) : NaN;
  const decision = settings.load().decide(
    settings.backoff,
    settings.jitter,
    settings.baseMs,
    settings.capMs,
    settings.minMs,
    settings.factor,
    settings.stepMs,
    settings.truncateAt,
    settings.maxAttempts,
    attempt,
    previousMs,
    Infinity,
    source.seedHigh,
    source.seedLow,
    source.index,
    draw,
  );
  if (Number.isNaN(decision)) throw new Error('rejitter: the core refused settings that the driver had accepted; please report this');
  return decision;
}

/** @param {() => number} random */
function drawFrom(random) {
  const draw = random();
  if (typeof draw === 'number' && draw >= 0 && draw < 1) return draw;
  throw new RangeError(`random() returned ${show(draw)}; it must return numbers from 0 to below 1`);
}
