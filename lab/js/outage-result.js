// Questions to the result of simulateOutage: pure functions, also of a result that came from a worker.

import { isLongest, isWithin } from '../../src/js/options/checks.js';
import { problemOf } from '../../src/js/options/messages.js';
import { requireValid } from '../../src/js/options/reader.js';

/** When this share of all clients had been served. @type {(result: any, share: number) => number | undefined} */
export function timeToServeMs(result, share) {
  const [attempts, servedMs] = columns(result, 'attempts', 'servedMs');
  requireValid('share', share, ['number', (value) => isWithin(value, 0, 1), 'a number between 0 and 1']);
  return servedMs[Math.max(1, Math.ceil(share * attempts.length)) - 1];
}

/**
 * Returns the first of the busiest bins that start at `fromMs` or later.
 * @type {(result: any, fromMs?: number) => { startMs: number, arrivals: number } | undefined}
 */
export function peakOf(result, fromMs = 0) {
  const [arrivals] = columns(result, 'arrivals');
  requireValid('fromMs', fromMs, ['number', isLongest, 'a non-negative number']);
  let peak;
  for (let bin = 0; bin < arrivals.length; bin++) {
    const startMs = bin * result.binMs;
    if (startMs >= fromMs && !(peak !== undefined && peak.arrivals >= arrivals[bin]))
      peak = { startMs, arrivals: arrivals[bin] };
  }
  return peak;
}

/** @param {any} result @param {string[]} names @returns {ArrayLike<number>[]} */
function columns(result, ...names) {
  return names.map((name) => {
    const column = result?.[name];
    if (typeof column?.length === 'number' && typeof result.binMs === 'number') return column;
    throw problemOf('the result', result, ['', 'one of simulateOutage']);
  });
}
