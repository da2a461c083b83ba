// The table of configurations elsewhere, beside the formulas of their sources: the same waits at each draw.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importEntry, importPackage } from '../lib/consumer.mjs';
import { importFetch } from '../lib/fetching.mjs';
import { documents, evaluate, literal, tableIn } from '../lib/readers.mjs';

const { RetryPolicy } = await importPackage();
const { createFetch } = await importFetch();
const presets = await importEntry('presets');

const exponential = (baseMs, factor, capMs) => (k) => Math.min(capMs, baseMs * factor ** (k - 1));
/** Wait k for a draw, by a part of the first cell. */
const FORMULAS = {
  // JitteredExponentialBackOffStrategy: random() % interval.
  retry_back_off: (k, r) => r * exponential(25, 2, 250)(k),
  perTryTimeout: (k, r) => r * exponential(25, 2, 250)(k),
  // IntervalFunction: of, ofExponentialBackoff, ofExponentialRandomBackoff.
  waitDuration: () => 500,
  exponentialMaxWaitDuration: exponential(500, 1.5, 10_000),
  randomizedWaitFactor: (k, r) => exponential(500, 1.5, Infinity)(k) * (0.5 + r),
  // retries.ts of gax-nodejs.
  maxRetryDelayMillis: (k, r) => r * exponential(100, 1.3, 60_000)(k),
  // Proposal A6.
  initialBackoff: (k, r) => exponential(100, 2, 1000)(k) * (0.8 + 0.4 * r),
};

const rows = tableIn(documents.get('docs/migration/configurations.md').replaceAll('\\|\\|', '??'), 'configuration');

test('each row has options that are valid, and each formula has a row', () => {
  for (const [, cell] of rows) createFetch(evaluate(literal(cell), { presets }));
  for (const name of Object.keys(FORMULAS))
    assert.equal(rows.filter(([there]) => there.includes(name)).length, 1, name);
});

for (const [name, formula] of Object.entries(FORMULAS))
  test(`${name}: the waits of its row`, () => {
    const [, cell] = rows.find(([there]) => there.includes(name));
    for (const r of [0, 0.3, 0.97]) {
      const policy = new RetryPolicy({ ...evaluate(literal(cell), { presets }), random: () => r });
      for (let k = 1; k <= 12; k += 1) {
        const wait = policy.delayMs(k);
        assert.ok(Math.abs(wait - formula(k, r)) <= 1e-9 * (1 + wait), `wait ${k}, draw ${r}: ${wait}`);
      }
    }
  });
