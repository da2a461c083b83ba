/** The page's strategy is any policy that is data: to the package and back without loss. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RetryPolicy } from 'rejitter';
import { plan, sample } from 'rejitter/lab';
import * as presets from 'rejitter/presets';
import { pageModule } from './page-module.mjs';

const { ALL_BACKOFFS, ALL_JITTERS, BACKOFFS, CHOICES, INITIAL, JITTERS, policyOf, strategyOf } =
  await pageModule('state/strategy.ts');
const { PRESETS, sameStrategy } = await pageModule('state/presets.ts');
const { fromQuery, readQuery, toQuery } = await pageModule('state/permalink.ts');
const { INITIAL_STATE, PROTECTIONS, joined, partsIn } = await pageModule('state/state.ts');

/** Unlike the defaults in every field. */
const SET = {
  baseMs: 40,
  capMs: 900,
  minMs: 7,
  factor: 1.7,
  stepMs: 33,
  truncateAt: 3,
  ratio: 0.3,
  spreadMs: 55,
  list: [10, 400, 60],
  maxAttempts: 9,
  totalTimeoutMs: 12_345,
  maxRetryAfterMs: 777,
};

/** Each with the fields that act in it. @returns {Record<string, any>[]} */
function every() {
  return ALL_BACKOFFS.flatMap((/** @type {string} */ backoff) =>
    ALL_JITTERS.flatMap((/** @type {string} */ jitter) =>
      ['bound', 'ceiling', 'draw'].map((capRule) => {
        const hasCurve = !['decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'].includes(jitter);
        const { factor, stepMs, truncateAt, ratio, spreadMs, list, ...rest } = SET;
        return {
          ...INITIAL,
          ...rest,
          capRule,
          jitter,
          ...(hasCurve && { backoff }),
          ...(hasCurve && backoff === 'exponential' && { factor }),
          ...(hasCurve && backoff === 'linear' && { stepMs }),
          ...(((hasCurve && backoff === 'truncated') || jitter === 'slotted') && { truncateAt }),
          ...(['proportional', 'additiveRatio'].includes(jitter) && { ratio }),
          ...(jitter === 'additiveMax' && { spreadMs }),
          ...(hasCurve && backoff === 'list' && { list }),
        };
      }),
    ),
  );
}

test('all six backoffs, ten jitters and three cap rules come back from the policy as they were', () => {
  const all = every();
  assert.equal(all.length, 6 * 10 * 3);
  for (const strategy of all) assert.deepEqual(strategyOf(policyOf(strategy)), strategy);
  // Another value of any field is another policy.
  assert.equal(new Set(all.map((strategy) => JSON.stringify(policyOf(strategy)))).size, (6 * 6 + 4) * 3);
});

test('a link brings back every strategy', () => {
  for (const strategy of [...every(), { ...INITIAL, capMs: Infinity, maxAttempts: Infinity }]) {
    const state = { ...INITIAL_STATE, strategy, scene: { retry: 'policy', times: 'random', giveUp: '6' } };
    assert.deepEqual(fromQuery(toQuery(state)), state);
  }
  assert.equal(toQuery(INITIAL_STATE), '');
});

test('a link brings back every choice of parts', () => {
  assert.equal(PROTECTIONS.length, 16);
  for (const parts of PROTECTIONS) {
    const state = { ...INITIAL_STATE, protection: { parts } };
    assert.deepEqual(fromQuery(toQuery(state)), state);
    assert.equal(joined(partsIn(parts)), parts);
  }
  assert.equal(fromQuery('?protection=budget,breaker').protection.parts, 'budget,breaker');
  assert.equal(fromQuery('?protection=breaker,budget').protection.parts, 'budget,breaker');
  const { state, problems } = readQuery('?protection=breaker,breaker');
  assert.deepEqual(state, INITIAL_STATE);
  assert.match(problems[0], /^protection must be 'none', or any of 'budget', .*'hedge', got 'breaker,breaker'$/);
});

test('a link brings back the delay of the hedge and the utilisation; those beyond the sliders are the defaults', () => {
  const state = { ...INITIAL_STATE, hedging: { delayMs: 75, utilisation: 0.73 } };
  assert.equal(toQuery(state), '?hedgeMs=75&utilisation=0.73&protection=none');
  // A link of the time when the hedge had no toggle.
  assert.equal(fromQuery('?hedgeMs=75').protection.parts, 'hedge');
  assert.deepEqual(fromQuery(toQuery(state)), state);
  const { state: found, problems } = readQuery('?hedgeMs=9&utilisation=0.96');
  assert.deepEqual(found, INITIAL_STATE);
  assert.deepEqual(problems, [
    "hedgeMs must be between 10 and 1000, got '9'",
    "utilisation must be between 0.2 and 0.95, got '0.96'",
  ]);
});

test('base and cap of a link follow the rule of the package; a conflict names the value', () => {
  const read = (/** @type {string} */ query) => {
    const { state, problems } = readQuery(query);
    return [state.strategy.baseMs, state.strategy.capMs, ...problems];
  };
  const [base, cap] = [INITIAL.baseMs, INITIAL.capMs];
  assert.deepEqual(read(`?baseMs=${2 * cap}`), [2 * cap, 2 * cap]);
  assert.deepEqual(read(`?capMs=${base / 2}`), [base / 2, base / 2]);
  assert.deepEqual(read('?baseMs=500&capMs=100'), [500, cap, 'capMs must be at least baseMs (500), got 100']);
  // An invalid cap is named by itself.
  assert.deepEqual(read('?baseMs=20000&capMs=abc'), [20_000, 20_000, "capMs must be a number, got 'abc'"]);
  assert.deepEqual(read('?capMs=Infinity'), [base, Infinity]);
  assert.deepEqual(read(`?backoff=list&list=5,${3 * cap}`), [base, 3 * cap]);
  assert.deepEqual(readQuery('?backoff=list&list=5,x').problems, [
    "list must be numbers of ms, separated by commas, got '5,x'",
  ]);
  assert.deepEqual(readQuery('?clients=3&downMs=1000').problems, [
    "clients must be an integer between 10 and 10,000, got '3'",
  ]);
  assert.equal(readQuery('?clients=3&downMs=1000').state.herd.downMs, 1000);
  assert.deepEqual(readQuery('?maxAttempts=0').problems, [
    'maxAttempts must be a positive integer (first attempt included) or Infinity, got 0',
  ]);
  assert.deepEqual(readQuery('?utm_source=x'), { state: INITIAL_STATE, problems: [] });
});

/** The defaults that the package does not write. @param {RetryPolicy} policy */
function complete(policy) {
  const data = policy.toJSON();
  const { backoff, jitter } = data;
  const [capMs, truncateAt] = [data.capMs ?? 10_000, data.truncateAt];
  return {
    baseMs: backoff === 'truncated' ? Number(capMs) / 2 ** (Number(truncateAt) - 1) : 100,
    ...(backoff === 'exponential' && jitter !== 'pollyV2' && { factor: 2 }),
    ...data,
    capMs,
  };
}

test('the menu has all twelve presets of the package, exactly', () => {
  const { goRetryableHttpRetryOn: _, ...all } = presets;
  const names = /** @type {(keyof typeof all)[]} */ (Object.keys(all).sort());
  assert.equal(names.length, 12);
  assert.deepEqual(PRESETS.flatMap((/** @type {{ name?: string }} */ { name }) => name ?? []).sort(), names);
  for (const name of names) {
    const preset = new RetryPolicy(all[name]);
    const found = PRESETS.find((/** @type {{ name?: string }} */ one) => one.name === name);
    const policy = policyOf(found.strategy);
    assert.deepEqual(complete(policy), complete(preset), name);
    // The same waits, to the last bit.
    assert.deepEqual(plan(policy, 12), plan(preset, 12), name);
    assert.deepEqual(
      sample(policy, { waits: 12, operations: 50, seed: 7 }),
      sample(preset, { waits: 12, operations: 50, seed: 7 }),
      name,
    );
    assert.ok(sameStrategy(found.strategy, strategyOf(preset)), name);
    assert.deepEqual(strategyOf(policy), found.strategy, name);
  }
});

test('defaults that the package does not write are those that it uses', () => {
  const cases = [
    {},
    { baseMs: 20_000 },
    { capMs: 50 },
    { backoff: [20, 30_000] },
    { backoff: [20, 30], capMs: 25 },
    { backoff: 'linear', baseMs: 30 },
    { backoff: 'fibonacci', minMs: 5 },
    { backoff: 'truncated' },
    { backoff: 'truncated', capMs: 512, truncateAt: 4 },
    { backoff: 'truncated', capMs: Infinity },
    { backoff: 'truncated', jitter: 'decorrelated' },
    { backoff: 'truncated', jitter: 'slotted' },
    { jitter: 'slotted' },
    { jitter: 'pollyV2', capMs: Infinity },
    { jitter: { type: 'additive', maxMs: 30 } },
    { backoff: [5, 20_000], jitter: 'decorrelated' },
  ];
  for (const options of cases) {
    const policy = new RetryPolicy(/** @type {import('rejitter').PolicyOptions} */ (options));
    assert.deepEqual(
      sample(policyOf(strategyOf(policy)), { waits: 12, operations: 20, seed: 1 }),
      sample(policy, { waits: 12, operations: 20, seed: 1 }),
      JSON.stringify(options),
    );
  }
});

test('fields without effect make no other strategy; the sixteen of the grid are those of before', () => {
  assert.ok(sameStrategy(INITIAL, { ...INITIAL, truncateAt: 9, ratio: 0.1, list: [1] }));
  assert.ok(!sameStrategy(INITIAL, { ...INITIAL, capRule: 'draw' }));
  assert.ok(!sameStrategy(INITIAL, { ...INITIAL, capMs: Infinity }));
  assert.equal(CHOICES.length, 16);
  assert.deepEqual(
    [BACKOFFS, JITTERS],
    [
      ['fixed', 'linear', 'exponential', 'truncated'],
      ['none', 'full', 'equal', 'decorrelated'],
    ],
  );
});
