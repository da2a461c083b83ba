/** The sentences about hedges, from the package alone. */
import assert from 'node:assert/strict';
import { simulateHedging } from 'rejitter/lab';

/** @typedef {import('rejitter/lab').HedgingOptions} HedgingOptions */
/** @typedef {import('rejitter/lab').HedgingResult} HedgingResult */
/** @typedef {HedgingResult & { exact: NonNullable<HedgingResult['exact']> }} Tail */
/** @typedef {'none' | 'limited' | 'unlimited'} Hedges */

/** The page's first settings. */
export const DEFAULTS = { delayMs: 60, utilisation: 0.7 };
const NBSP = '\u00a0';

/** @param {HedgingOptions} options */
function resultOf(options) {
  const simulation = simulateHedging(options);
  simulation.step();
  const result = simulation.result();
  simulation.free();
  return result;
}

/** @param {number} delayMs @param {number} seed */
export function tailOf(delayMs, seed) {
  const run = (/** @type {HedgingOptions} */ options) => {
    const { exact, ...result } = resultOf({ requests: 500_000, ...options, seed });
    assert.ok(exact);
    return { ...result, exact };
  };
  return { plain: run({}), hedged: run({ hedge: { delayMs, maxRatio: Infinity } }) };
}

/** @param {number} utilisation @param {Hedges} hedges @param {number} seed */
export function sharedServers(utilisation, hedges, seed) {
  return resultOf({
    requests: 100_000,
    service: { meanMs: 10, slowShare: 0 },
    ...(hedges !== 'none' && { hedge: { delayMs: 50, maxRatio: hedges === 'limited' ? 0.1 : Infinity } }),
    load: { servers: 10, utilisation },
    seed,
  });
}

/** Hedges per request. @param {HedgingResult} result */
export function loadOf({ totals }) {
  return totals.hedges / totals.requests;
}

/** 1.31 s, 100 ms, 8.6 ms. @param {number} ms */
function time(ms) {
  if (ms >= 999.5) return `${Number((ms / 1000).toFixed(ms < 9995 ? 2 : 1))}${NBSP}s`;
  return `${Number(ms.toFixed(ms < 9.95 ? 1 : 0))}${NBSP}ms`;
}

/** @param {{ plain: Tail, hedged: Tail }} tail @param {number} delayMs */
export function tailSentence({ plain: { exact: plain }, hedged: { exact: hedged } }, delayMs) {
  return (
    `A hedge after ${time(delayMs)} sends ${Number((100 * hedged.extra).toPrecision(3))}% more requests, and cuts ` +
    `p99 from ${time(plain.p99Ms)} to ${time(hedged.p99Ms)} and p99.9 from ${time(plain.p999Ms)} to ` +
    `${time(hedged.p999Ms)}.`
  );
}

/** @param {number} utilisation @param {number} seed */
export function hedgingSentence(utilisation, seed) {
  const [none, limited, unlimited] = /** @type {const} */ (['none', 'limited', 'unlimited']).map((hedges) =>
    sharedServers(utilisation, hedges, seed),
  );
  assert.ok(none && limited && unlimited);
  const percent = 100 * loadOf(unlimited);
  return (
    `At ${Math.round(100 * utilisation)}% utilisation, hedges with maxRatio 0.1 change p50 from ${time(none.p50Ms)} ` +
    `to ${time(limited.p50Ms)} and p99 from ${time(none.p99Ms)} to ${time(limited.p99Ms)}. Without this limit, ` +
    `${Number(percent.toFixed(percent < 9.95 || percent > 90.05 ? 1 : 0))}% of the requests are hedged, and ` +
    (utilisation * (1 + percent / 100) >= 1
      ? `half of them take longer than ${time(unlimited.p50Ms)}.`
      : `p50 is ${time(unlimited.p50Ms)}, p99 ${time(unlimited.p99Ms)}.`)
  );
}
