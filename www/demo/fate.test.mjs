/** The rule of the flaky server: a function of seed, id and count, at the rates that its header states. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAILURES, fate } from './fate.mjs';

const LATENCY_MS = /** @type {const} */ ([60, 160]);

/**
 * The fates of the first requests for an id.
 * @param {import('./fate.mjs').Failure} failure
 * @param {number} failureRate
 * @param {string} id
 */
function kinds(failure, failureRate, id, length = 12) {
  return Array.from(
    { length },
    (_, i) => fate({ seed: 7, id, n: i + 1, failure, failureRate, latencyMs: LATENCY_MS }).kind,
  );
}

/** @param {string[]} values */
function tally(values) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

const IDS = Array.from({ length: 20_000 }, (_, i) => `r${i}`);
const MIXED = { unavailable: 0.4, limited: 0.2, dropped: 0.2, slow: 0.2 };

test('fails at the requested rate, in the shares of its kind', () => {
  /** @type {Readonly<Record<import('./fate.mjs').Failure, Readonly<Record<string, number>>>>} */
  const shares = {
    mixed: MIXED,
    503: { unavailable: 1 },
    429: { limited: 1 },
  };
  for (const failure of FAILURES) {
    for (const failureRate of [0, 0.3, 0.9, 1]) {
      const counts = tally(IDS.flatMap((id) => kinds(failure, failureRate, id, 1)));
      /** @type {Record<string, number>} */
      const expected = { ok: 1 - failureRate };
      for (const [kind, share] of Object.entries(shares[failure])) expected[kind] = share * failureRate;
      assert.deepEqual(
        Object.keys(counts).filter((kind) => !(kind in expected)),
        [],
      );
      for (const [kind, share] of Object.entries(expected)) {
        const error = Math.sqrt((share * (1 - share)) / IDS.length);
        const met = (counts[kind] ?? 0) / IDS.length;
        assert.ok(Math.abs(met - share) <= 4 * error, `${kind} of ${failure} at ${failureRate}: ${met}`);
      }
    }
  }
});

test('a request does not depend on those before it', () => {
  const after = tally(IDS.map((id) => kinds('503', 0.6, id, 2).join(' ')));
  for (const [pair, share] of /** @type {const} */ ([
    ['ok ok', 0.16],
    ['ok unavailable', 0.24],
    ['unavailable ok', 0.24],
    ['unavailable unavailable', 0.36],
  ])) {
    assert.ok(
      Math.abs((after[pair] ?? 0) / IDS.length - share) <= 4 * Math.sqrt((share * (1 - share)) / IDS.length),
      pair,
    );
  }
});

test('is the same for the same seed, id and count, and another for others; the latency is in its range', () => {
  const of = (/** @type {string | number} */ seed, /** @type {string} */ id, /** @type {number} */ n) =>
    fate({ seed, id, n, failureRate: 0.6, latencyMs: LATENCY_MS });
  // These numbers are in links and in screenshots: a change of the rule is a change of the page.
  assert.deepEqual(
    ['1', '2', '3', '4'].map((id) => [1, 2, 3].map((n) => of(42, id, n).kind).join()),
    ['ok,ok,limited', 'slow,dropped,unavailable', 'ok,ok,ok', 'unavailable,unavailable,unavailable'],
  );
  assert.deepEqual(of(42, '1', 1), of('42', '1', 1));
  const all = [42, 43].flatMap((seed) => ['1', '2'].flatMap((id) => [1, 2].map((n) => of(seed, id, n).latencyMs)));
  assert.equal(new Set(all).size, all.length);
  for (const id of IDS) {
    const { latencyMs } = of(1, id, 1);
    assert.ok(latencyMs >= 60 && latencyMs < 160);
  }
});
