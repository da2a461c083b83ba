/** The delay distributions, in Node: exact numbers, and shapes that have the areas which they claim. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RetryPolicy } from 'rejitter';
import { sample } from 'rejitter/lab';
import { stateOf } from './lib/states.mjs';
import { median } from './lib/verdict.mjs';
import { pageModule } from './page-module.mjs';

const { MOST_DRAWN, waits } = await pageModule('waits/compute.ts');
const { delays } = await pageModule('waits/figure.ts');
const { mostOf, ridgeOf, ridgePath, waitScale } = await pageModule('waits/ridge.ts');
const { cellsOf } = await pageModule('state/cells.ts');
const { INITIAL_STATE, PROTECTIONS } = await pageModule('state/state.ts');
const { ALL_BACKOFFS, ALL_JITTERS, AT_ONCE, INITIAL } = await pageModule('state/strategy.ts');

/** @param {any} strategy @param {any[]} [choices] */
const distributions = (strategy, choices = [strategy]) =>
  waits({ strategy, choices, seed: 42 }, () => {}, new AbortController().signal);

test('medians and landings are those of the installed package', async () => {
  const [{ waits: planned, landings }] = await distributions(INITIAL);
  const sampled = sample(new RetryPolicy({ maxAttempts: 10 }), { waits: 9, operations: 2000, seed: 42 });
  for (let k = 0; k < 9; k++) {
    const own = Array.from({ length: 2000 }, (_, i) => sampled[9 * i + k] ?? NaN);
    const sums = own.map((_, i) => sampled.slice(9 * i, 9 * i + k + 1).reduce((a, b) => a + b, 0));
    assert.ok(Math.abs(median(own) / planned[k].p50Ms - 1) < 0.08, `wait ${k + 1}`);
    assert.ok(Math.abs(median(sums) / landings[k].p50 - 1) < 1e-9, `landing ${k + 1}`);
  }
});

describe('a ridge', () => {
  test('has the area of its probability, whatever the strategy, and is closed on the baseline in the frame', async () => {
    for (const { choice, waits: all } of await distributions(INITIAL, cellsOf(INITIAL).all)) {
      for (const capMs of [INITIAL.capMs, 1000]) {
        const most = capMs === 1000 ? 1000 : mostOf({ waits: all, landings: [] }, capMs);
        const scale = waitScale(most, 10, 900, 20);
        for (const wait of all.slice(0, MOST_DRAWN)) {
          const ridge = ridgeOf(wait, scale);
          if (!ridge) continue;
          // Per e-fold of the time: the width of a column is the same everywhere.
          const perPixel = Math.log(most) / (900 - 30);
          const area = ridge.points.reduce(
            (/** @type {number} */ sum, /** @type {number[]} */ [, density = 0]) => sum + 2 * density * perPixel,
            0,
          );
          let inside = 0;
          for (let i = 0; i < wait.cells.length; i += 3) {
            const [from, to, p] = wait.cells.subarray(i, i + 3);
            inside += (p * Math.max(0, Math.min(to, most) - Math.max(from, 1))) / (to - from);
          }
          assert.ok(
            Math.abs(area - inside) < 0.01,
            `${choice.backoff} ${choice.jitter}, wait ${wait.k}: ${area} for ${inside}`,
          );
          const path = ridgePath(ridge, { base: 50, unit: 10, most: 40 });
          assert.match(path, /^M[\d.]+,50L.*L([\d.]+),50z$/);
          for (const [, x = '', y = ''] of path.matchAll(/[ML]([\d.]+),([\d.]+)/g))
            assert.ok(Number(x) >= 10 && Number(x) <= 901 && Number(y) >= 10 && Number(y) <= 50, `${x},${y}`);
          assert.equal(ridge.isCut, wait.cells.at(-2) > 1.001 * most);
        }
      }
    }
  });

  test('of a uniform wait is as high in each row: densities are true to one another', async () => {
    const [{ waits: all }] = await distributions(INITIAL);
    const scale = waitScale(10_000, 0, 1000, 0);
    for (const wait of all) assert.ok(Math.abs(ridgeOf(wait, scale).peak - 1) < 0.04, `wait ${wait.k}`);
  });
});

test('words hold for every strategy', async () => {
  for (let seed = 0; seed < 120; seed++) {
    const { strategy } = stateOf(seed, { ALL_BACKOFFS, ALL_JITTERS, INITIAL_STATE, PROTECTIONS });
    const [chosen] = await distributions(strategy);
    const spoken = [delays.describe({ strategy, chosen }), ...delays.note({ strategy, chosen })].join(' ');
    assert.doesNotMatch(spoken, /NaN|undefined|Infinity|(?<![.,\d])1.(?:waits|operations|attempts)/, spoken);
    if (strategy.maxAttempts === 1) assert.doesNotMatch(spoken, /retr/, spoken);
  }
  const [none] = await distributions(AT_ONCE);
  assert.match(delays.note({ strategy: AT_ONCE, chosen: none })[0], /^No retry waits: all of them come at once\./);
  const decorrelated = { ...INITIAL, jitter: 'decorrelated' };
  const [chosen] = await distributions(decorrelated);
  assert.match(
    delays.note({ strategy: decorrelated, chosen })[0],
    /\d+% of the clients wait exactly 10.s and retry together\./,
  );
});
