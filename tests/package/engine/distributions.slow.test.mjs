// Draws have the distributions that the formulas promise where the package chooses the seed, and those of seeds that
// resemble each other differ. tests/distributions.rs holds all seeded waits to the same reference, and
// differential.test.mjs the package to these.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importPackage, vectors } from '../lib/consumer.mjs';
import { UNSEEDED, compare, uncorrelated, uniform } from '../lib/stats.mjs';

const { RetryPolicy } = await importPackage();
const N = 100_000;
const WAITS = 20;

const { meta, distributions } = vectors('distributions');
const reference = (backoff, jitter) =>
  distributions
    .find(({ options }) => options.jitter === jitter && options.backoff === backoff)
    .rows.map((row) => Object.fromEntries(meta.columns.map((name, i) => [name, row[i]])));

/** N operations: one array for each of their first waits. */
function draw(options, delaysOf, waits = WAITS) {
  const policy = new RetryPolicy({ ...options, maxAttempts: waits + 1 });
  const columns = Array.from({ length: waits }, () => new Float64Array(N));
  for (let i = 0; i < N; i += 1) {
    const delays = delaysOf(policy, i);
    for (const column of columns) column[i] = delays.next().value;
  }
  return columns;
}

/** Waits that are uniform between bounds that do not depend on the draws before: their place between them. */
const placed = (column, { min, max }) => column.map((x) => (x - min) / (max - min));

const noObjection = (objections, label) => assert.deepEqual(objections, [], label);

/** Checks waits that are uniform, and that neighbouring operations do not resemble each other. */
function independent(columns, rows, strictness) {
  for (const [k, column] of columns.entries()) {
    const label = `wait ${k + 1}`;
    if (k > 0) noObjection(uncorrelated(columns[k - 1], column, strictness), `${label} and the one before`);
    noObjection(uncorrelated(column.subarray(1), column.subarray(0, N - 1), strictness), `${label}, neighbours`);
    noObjection(uniform(placed(column, rows[k]), strictness), label);
    // Sorts the column.
    noObjection(compare(column.slice(), rows[k], strictness), label);
  }
}

/** The delays of one iterator, operation after operation. */
function inTurn(options) {
  let delays;
  return (policy) => {
    if (delays) delays.reset();
    delays ??= policy.delays(options);
    return delays;
  };
}

test('unseeded, full jitter: mean, sd, quantiles and uniformity of waits 1 to 20 at 10^5 draws', () => {
  independent(draw({}, inTurn()), reference('exponential', 'full'), UNSEEDED);
});

for (const [kind, seedOf] of Object.entries({
  'small numbers': (i) => i,
  'bigints that differ in their high bits': (i) => BigInt(i) << 46n,
  'strings that differ in their last characters': (i) => `client-${i}`,
}))
  test(`10^5 clients seeded with ${kind} do not resemble each other`, () => {
    const columns = draw({}, (policy, i) => policy.delays({ seed: seedOf(i) }), 3);
    independent(columns, reference('exponential', 'full'));
  });

test('control: the checks object to the draws of another jitter', () => {
  const row = reference('exponential', 'full')[4];
  const column = draw({ jitter: 'equal' }, inTurn({ seed: 'control' }))[4];
  assert.notDeepEqual([...uniform(placed(column, row)), ...compare(column, row)], []);
});
