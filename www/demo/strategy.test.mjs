/** The page's strategy is any policy that is data, and its state is what a link says: both ways without loss. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RetryPolicy } from 'rejitter';
import { plan, sample } from 'rejitter-lab';
import * as presets from 'rejitter/presets';
import {
  ALL_BACKOFFS,
  ALL_JITTERS,
  AT_ONCE,
  CAP_RULES,
  INITIAL,
  PROTECTIONS,
  STATES,
  page,
  stateOf,
} from './lib/node.mjs';
import { PROBLEMS } from './lib/problems.mjs';

const { PRESETS, defaultsAt, policyOf, readQuery, sameStrategy, strategyOf, toQuery, withChoice } = await page(
  'state/strategy state/presets state/permalink state/state',
);

const HOME = defaultsAt('/some/where/');
const PROTECTION = defaultsAt('/some/where/protection/index.html');

test(`each of ${STATES} random strategies comes back from its policy, but for options without effect`, () => {
  const seen = { backoff: new Set(), jitter: new Set(), capRule: new Set() };
  for (let seed = 0; seed < STATES; seed++) {
    const { strategy } = stateOf(seed);
    const back = strategyOf(policyOf(strategy));
    assert.ok(sameStrategy(back, strategy), `seed ${seed}`);
    assert.deepEqual(strategyOf(policyOf(back)), back, `seed ${seed}`);
    for (const [field, values] of Object.entries(seen)) values.add(strategy[field]);
  }
  assert.deepEqual(Object.values(seen), [new Set(ALL_BACKOFFS), new Set(ALL_JITTERS), new Set(CAP_RULES)]);
});

test('a cell of the grid has the numbers of the strategy; where nothing is waited, the usual base', () => {
  const full = { backoff: 'fixed', jitter: 'full' };
  assert.equal(withChoice(AT_ONCE, full).baseMs, INITIAL.baseMs);
  assert.deepEqual(withChoice(AT_ONCE, AT_ONCE), AT_ONCE);
  assert.deepEqual(withChoice({ ...INITIAL, baseMs: 7 }, full), { ...INITIAL, ...full, baseMs: 7 });
  const additive = { ...INITIAL, jitter: 'additiveRatio', ratio: 3 };
  assert.equal(withChoice(additive, { backoff: 'linear', jitter: 'proportional' }).ratio, 1);
});

describe('a link', () => {
  test(`brings back each of ${STATES} random states, on the page that made it and on the other`, () => {
    for (let seed = 0; seed < STATES; seed++) {
      const state = stateOf(seed);
      // The links of the header lead to the same state, unless the strategy is what the page opens with.
      const [from, to] = [seed % 2 ? HOME : PROTECTION, seed % 3 ? HOME : PROTECTION];
      assert.deepEqual(readQuery(toQuery(state, from), to), { state, problems: [] }, `seed ${seed}`);
    }
    assert.equal(PROTECTIONS.length, 32);
    assert.equal(readQuery('?protection=breaker,budget', HOME).state.protection, 'budget,breaker', 'in any order');
  });

  test('is empty for what a page opens with, and each page opens with its own', () => {
    for (const defaults of [HOME, PROTECTION]) {
      assert.equal(toQuery(defaults, defaults), '');
      assert.deepEqual(readQuery('?utm_source=x', defaults), { state: defaults, problems: [] });
    }
    assert.deepEqual([HOME.strategy, PROTECTION.strategy], [AT_ONCE, INITIAL]);
    assert.equal(toQuery({ ...HOME, strategy: INITIAL }, HOME), '?backoff=exponential&jitter=full');
  });

  test('with an invalid value keeps its other values, and says what is wrong', () => {
    for (const [query, problem] of PROBLEMS) {
      const { state, problems } = readQuery(`${query}&seed=7`, HOME);
      assert.match(problems.join('; '), problem);
      assert.deepEqual([problems.length, state], [1, { ...HOME, seed: 7 }]);
    }
  });

  test('holds numbers that are only right together', () => {
    assert.equal(readQuery('?baseMs=20000', HOME).state.strategy.capMs, 20_000, 'a base raises the default cap');
    assert.equal(readQuery('?capMs=Infinity', HOME).state.strategy.capMs, Infinity);
  });
});

test('the menu has all twelve presets of the package, exactly', () => {
  const { goRetryableHttpRetryOn: _, pRetryOptions: __, ...all } = presets;
  assert.deepEqual(PRESETS.flatMap(({ name }) => name ?? []).sort(), Object.keys(all).sort());
  for (const { name, strategy } of PRESETS.filter((one) => one.name)) {
    // The same waits, to the last bit.
    assert.deepEqual(plan(policyOf(strategy), 12), plan(new RetryPolicy(all[name]), 12), name);
    assert.deepEqual(strategyOf(policyOf(strategy)), strategy, name);
  }
});

test('defaults that the package does not write are those that it uses', () => {
  for (const options of [
    {},
    { baseMs: 20_000 },
    { capMs: 50 },
    { backoff: 'linear', baseMs: 30 },
    { backoff: 'fibonacci', minMs: 5 },
    { backoff: 'truncated' },
    { backoff: 'truncated', capMs: 512, truncateAt: 4 },
    { backoff: 'truncated', capMs: Infinity },
    { backoff: 'truncated', jitter: 'slotted' },
    { jitter: 'pollyV2', capMs: Infinity },
    { jitter: { type: 'additive', maxMs: 30 } },
  ]) {
    const policy = new RetryPolicy(options);
    const waits = (one) => sample(one, { waits: 12, operations: 20, seed: 1 });
    assert.deepEqual(waits(policyOf(strategyOf(policy))), waits(policy), JSON.stringify(options));
  }
  assert.ok(sameStrategy(INITIAL, { ...INITIAL, truncateAt: 9, ratio: 0.1 }), 'options without effect');
  assert.ok(!sameStrategy(INITIAL, { ...INITIAL, capRule: 'draw' }));
});
