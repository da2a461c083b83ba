/**
 * The programs that the page prints: each is type-checked, and run against a server that fails.
 * Expects `rejitter` in `www/node_modules`.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { RetryPolicy } from 'rejitter';
import { plan } from 'rejitter/lab';
import { cenkalti } from 'rejitter/presets';
import { LIMITED_S, policyIn, programFolder } from './lib/programs.mjs';
import { pageModule } from './page-module.mjs';

const { INITIAL_STATE, PROGRAMS } = await pageModule('state/state.ts');
const { PRESETS } = await pageModule('state/presets.ts');
const { ALL_JITTERS, BACKOFFS, INITIAL, JITTERS, policyOf, policyOptions, strategyOf } =
  await pageModule('state/strategy.ts');
const { partsOf, programs, source } = await pageModule('take-away/code.ts');

const run = promisify(execFile);

/** @typedef {{ name: string, tab: string, code: string, strategy: any }} Printed */

/** The programs of the sixteen cells, with a deadline and without one. @type {Printed[]} */
const grid = [];
/** The programs of presets, and of strategies that only data can hold. @type {Printed[]} */
const others = [];

/** @param {Printed[]} list @param {string} name @param {any} strategy @param {Record<string, object>} [parts] */
const add = (list, name, strategy, parts) => {
  for (const [tab, text] of Object.entries(programs(strategy, parts)))
    list.push({ name: `${name}, ${tab}`, tab, code: text, strategy });
};
for (const choice of BACKOFFS.flatMap((/** @type {string} */ backoff) =>
  JITTERS.map((/** @type {string} */ jitter) => ({ backoff, jitter })),
)) {
  for (const totalTimeoutMs of [Infinity, 20_000]) {
    add(grid, `${choice.backoff} ${choice.jitter}`, {
      ...INITIAL,
      ...choice,
      baseMs: 20,
      capMs: 12_345,
      maxAttempts: 8,
      totalTimeoutMs,
    });
  }
}
for (const preset of PRESETS) add(others, preset.name ?? preset.label, preset.strategy);
for (const jitter of ALL_JITTERS.slice(4))
  add(others, jitter, { ...INITIAL, jitter, baseMs: 30, ratio: 0.3, spreadMs: 40 });
add(others, 'fibonacci with a floor', { ...INITIAL, backoff: 'fibonacci', minMs: 15 });
add(others, 'cenkalti, changed', {
  ...strategyOf(new RetryPolicy(cenkalti)),
  baseMs: 50,
  maxAttempts: 4,
  totalTimeoutMs: Infinity,
});
const further = [
  { capRule: 'draw' },
  { capRule: 'ceiling', jitter: 'proportional' },
  { backoff: 'fibonacci', jitter: 'additiveMax', spreadMs: 5 },
  { backoff: 'linear', minMs: 3 },
  { jitter: 'pollyV2' },
  { jitter: 'slotted' },
  { jitter: 'decorrelatedBounded', capRule: 'draw' },
];
for (const part of further)
  add(others, JSON.stringify(part), {
    ...INITIAL,
    baseMs: 20,
    capMs: 12_345,
    maxAttempts: 8,
    totalTimeoutMs: 20_000,
    ...part,
  });
// No answer of the tests' server takes as long as the hedge waits.
const allParts = { budget: {}, breaker: {}, cooldown: {}, hedge: { delayMs: 600_000 } };
for (const parts of [{ budget: {} }, allParts])
  for (const [name, strategy] of [
    ['chosen', { ...INITIAL, baseMs: 20 }],
    ['polly', PRESETS.find((/** @type {any} */ preset) => preset.name === 'polly').strategy],
    ['data', { ...INITIAL, jitter: 'equal', capRule: 'ceiling', baseMs: 10 }],
  ])
    add(others, `${name} with ${Object.keys(parts).join(' and ')}`, strategy, parts);
add(others, 'only as data', { ...INITIAL, jitter: 'equal', capRule: 'ceiling', baseMs: 10 });

/** @param {string} name @returns {Printed} */
const callOf = (name) => /** @type {Printed} */ (others.find((printed) => printed.name === `${name}, call`));

test('sixteen strategies, each in three programs, of which a fetch is the first', () => {
  assert.equal(grid.length, 16 * 3 * 2);
  assert.equal(PROGRAMS[0], 'fetch');
  assert.equal(INITIAL_STATE.code, 'fetch');
});

test('every option that acts is printed, as a person would write it', () => {
  for (const { name, code, strategy } of grid) {
    const { backoff, jitter, ...numbers } = policyOptions(strategy);
    for (const [option, value] of Object.entries(numbers)) {
      assert.match(code, new RegExp(`^ +${option}: ${source(value)},$`, 'm'), name);
    }
    assert.equal(code.includes('totalTimeoutMs'), strategy.totalTimeoutMs < Infinity, name);
    assert.match(code, /capMs: 12_345,/, name);
  }
  assert.equal(source([1000, 10_000, 1_234_567.25, Infinity, 0.5]), '[1000, 10_000, 1_234_567.25, Infinity, 0.5]');
  assert.equal(source("it's"), String.raw`'it\'s'`);
});

test('presets are printed by name, changed ones with their changes, and the rest as data', () => {
  // cenkalti and Google's client are one policy, of which the first name is printed.
  for (const name of ['polly', 'googleHttpClient', 'grpc', 'awsSdk2020', 'pRetryRandomized', 'truncatedBinary']) {
    assert.match(
      callOf(name).code,
      new RegExp(`^import { ${name} } from 'rejitter/presets';\n\nconst policy = new RetryPolicy\\(${name}\\);$`, 'm'),
    );
  }
  assert.match(
    callOf('cenkalti, changed').code,
    /new RetryPolicy\(\{\n {2}\.\.\.googleHttpClient,\n {2}baseMs: 50,\n {2}maxAttempts: 4,\n {2}totalTimeoutMs: Infinity,\n\}\);/,
  );
  assert.match(
    others.find(({ name }) => name === 'goRetryableHttp, fetch')?.code ?? '',
    /createFetch\(\{\n {2}\.\.\.goRetryableHttp,\n {2}retryOn: goRetryableHttpRetryOn,\n {2}attemptTimeoutMs/,
  );
  assert.match(callOf('only as data').code, / fromData\(\{\n {2}version: 1,\n {2}capRule: 'ceiling',/);
});

test('the parts that the calls share are made once, before the calls, and passed by name', () => {
  const { code: chosen } = callOf('chosen with budget and breaker and cooldown and hedge');
  assert.match(chosen, /^import \{ breaker, budget, cooldown, hedge, protect \} from 'rejitter\/protection';$/m);
  assert.match(
    chosen,
    /^const protection = protect\(budget\(\), breaker\(\), cooldown\(\), hedge\(\{ delayMs: 600_000 \}\)\);$/m,
  );
  assert.match(chosen, /^ {4}protection,\n {2}\},$/m);
  // The slider's delay is for the simulated server: the code says what the hedge does by default.
  const learned =
    '// Without delayMs, a hedge starts when an attempt takes longer than 95% of the recent first attempts.';
  for (const { name, code, tab } of others)
    assert.equal(code.includes(`${learned}\nconst protection = `), / and hedge/.test(name) && tab !== 'delays', name);
  assert.match(callOf('polly with budget').code, /new RetryPolicy\(\{\n {2}\.\.\.polly,\n {2}protection,\n\}\)/);
  assert.match(callOf('data with budget').code, /^\}\)\.with\(\{ protection \}\);$/m);
  for (const { code, tab } of others.filter(({ name }) => name.includes(' with budget')))
    assert.equal(code.includes('protect('), tab !== 'delays');
});

test('the parts are those that the page has chosen, and the hedge has the delay of its slider', () => {
  assert.deepEqual(partsOf(INITIAL_STATE), {});
  const chosen = { ...INITIAL_STATE, protection: { retries: 'on', parts: 'breaker,hedge' } };
  assert.deepEqual(partsOf(chosen), { breaker: {}, hedge: { delayMs: INITIAL_STATE.hedging.delayMs } });
});

test('each program makes the very policy of its strategy', () => {
  let policies = 0;
  for (const { name, tab, code, strategy } of [...grid, ...others]) {
    if (tab === 'fetch' || !code.includes('const policy =')) continue;
    const made = policyIn(code);
    const [{ capRule: _, ...printed }, { capRule: __, ...expected }] = [
      strategyOf(made),
      strategyOf(policyOf(strategy)),
    ];
    assert.deepEqual(printed, expected, name);
    // A cap rule without effect is not printed.
    assert.deepEqual(plan(made, 8), plan(policyOf(strategy), 8), name);
    policies++;
  }
  assert.ok(policies > 16 * 2 + 12 * 2);
});

describe('in a project of their own', () => {
  /** @type {Awaited<ReturnType<typeof programFolder>>} */
  let folder;
  before(async () => {
    folder = await programFolder();
  });
  after(() => folder.remove());

  test('all of them have the right types; one with a wrong option has not', async () => {
    assert.equal(await folder.complaints([...grid, ...others].map(({ code }) => code)), '');
    const [{ code }] = /** @type {[Printed]} */ (/** @type {unknown} */ (grid));
    assert.match(await folder.complaints([code.replace('maxAttempts', 'retries')]), /retries/);
  });

  test('programs that call the server retry its two failures, and end with 200 after three requests', async () => {
    const calling = [...grid, ...others].filter(({ tab }) => tab !== 'delays');
    const ended = await folder.againstFailures(calling.map(({ code }) => code));
    for (const [i, { name, code }] of calling.entries())
      assert.deepEqual(ended[i], { ended: '200', requests: 3 }, `${name}\n${code}`);
  });

  test('no program comes back before its Retry-After; a cooldown holds other callers but for one probe', async () => {
    const strategy = { ...INITIAL, baseMs: 10, capMs: 10 };
    /** @type {[string, any, Record<string, object>][]} */
    const cases = [
      ['chosen', strategy, {}],
      ['polly', PRESETS.find((/** @type {any} */ preset) => preset.name === 'polly').strategy, {}],
      ['data', { ...strategy, jitter: 'equal', capRule: 'ceiling' }, {}],
      ['with a cooldown', strategy, { cooldown: {} }],
      ['with all parts', strategy, allParts],
    ];
    const calling = cases.flatMap(([name, policy, parts]) =>
      Object.entries(programs(policy, parts)).flatMap(([tab, code]) =>
        tab === 'delays' ? [] : { name: `${name}, ${tab}`, code: `${code}`, holds: 'cooldown' in parts },
      ),
    );
    const met = await folder.againstLimit(calling.map(({ code }) => code));
    for (const [i, { name, code, holds }] of calling.entries()) {
      const { ended, sinceMs } = met[i] ?? {};
      assert.equal(ended, '200,200,200', `${name}\n${code}`);
      // The first call is answered 429, and two start after that.
      const early = (sinceMs ?? []).filter((ms) => ms < 1000 * LIMITED_S);
      assert.equal(early.length, holds ? 2 : 3, `${name}: ${sinceMs}\n${code}`);
    }
  });

  test('a fetch sends a POST again only with an Idempotency-Key; a call says what it is for', async () => {
    const { fetch: wrapper = '', call = '' } = programs({ ...INITIAL, baseMs: 10, capMs: 10 });
    const post = (/** @type {string} */ init) => wrapper.replace("orders')", `orders', ${init})`);
    const ended = await folder.againstFailures([
      post("{ method: 'POST' }"),
      post("{ method: 'POST', headers: { 'Idempotency-Key': 'order 7' } }"),
    ]);
    assert.deepEqual(ended, [
      { ended: '503', requests: 1 },
      { ended: '200', requests: 3 },
    ]);
    assert.match(call, /^\/\/ For requests that may be sent twice/m);
  });

  test('programs that list the waits have as many as the policy, within its bounds', async () => {
    const listing = [...grid, ...others].filter(
      ({ tab, strategy }) =>
        tab === 'delays' &&
        !(strategy.totalTimeoutMs === Infinity && grid.some((printed) => printed.strategy === strategy)),
    );
    const imports = new Set(listing.flatMap(({ code }) => code.match(/^import .*$/gm) ?? []));
    const all = listing.map(({ code }) => `{${code.replace(/^import .*$/gm, '')}}`).join('\nconsole.log("next");\n');
    const { stdout } = await run(
      process.execPath,
      ['--input-type=module', '-e', `${[...imports].join('\n')}\n${all}`],
      { cwd: import.meta.dirname },
    );
    const printed = stdout.trim().split('next\n');
    assert.equal(printed.length, listing.length);
    for (const [i, { name, strategy }] of listing.entries()) {
      const waits = (printed[i] ?? '').trim().split('\n').map(Number);
      assert.equal(waits.length, strategy.maxAttempts === Infinity ? 10 : strategy.maxAttempts - 1, name);
      // Presets of systems that cap the backoff before the jitter exceed the cap by its share.
      const most = strategy.capRule === 'ceiling' ? strategy.capMs * (1 + strategy.ratio) : strategy.capMs;
      for (const wait of waits) assert.ok(wait >= strategy.minMs && wait <= most, `${name}: ${wait}`);
      if (strategy.jitter === 'none') assert.deepEqual(waits, [...policyOf(strategy).delays()], name);
    }
  });
});
