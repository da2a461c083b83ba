/** Packages that people use today: their options as a policy of rejitter, its fate in the outage, and the change. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { RetryPolicy } from 'rejitter';
import { LIMIT_MS } from './lib/until.mjs';
import { pageModule } from './page-module.mjs';

const { PACKAGE_NAMES, packageOf } = await pageModule('today/packages.ts');
const { translate } = await pageModule('today/translate.ts');
const { arithmetic, read } = await pageModule('today/reader.ts');
const { inWords } = await pageModule('today/words.ts');
const { fateOf } = await pageModule('compute/patience.ts');
const { change } = await pageModule('today/compute.ts');
const { scene, sceneInput } = await pageModule('scene/compute.ts');
const { fromQuery } = await pageModule('state/permalink.ts');
const { INITIAL_STATE } = await pageModule('state/state.ts');
const { policyOf } = await pageModule('state/strategy.ts');
const { PRESETS } = await pageModule('state/presets.ts');

const signal = new AbortController().signal;
/** @param {string} text @param {string} [from] */
const options = (text, from = 'detect') => {
  const found = translate(text, from);
  assert.ok(!('error' in found), `${text}: ${found.error}`);
  return { ...found, data: policyOf(found.strategy).toJSON() };
};

describe('the eight packages', () => {
  test('each example is recognised, and is a program without an unknown option', () => {
    assert.equal(PACKAGE_NAMES.length, 8);
    for (const name of PACKAGE_NAMES) {
      const { from, code, notes } = options(packageOf(name).example);
      assert.equal(from, `${name} ${packageOf(name).version}`);
      assert.match(code, /new RetryPolicy\(|createFetch\(/);
      assert.equal(
        notes.some((/** @type {string} */ note) => note.includes('left out')),
        false,
        name,
      );
    }
  });

  for (const [text, expected] of /** @type {[string, object][]} */ ([
    [
      'pRetry(f, { retries: 5, minTimeout: 200, maxTimeout: 30 * 1000 })',
      { backoff: 'exponential', jitter: 'none', baseMs: 200, capMs: 30_000, factor: 2, maxAttempts: 6 },
    ],
    ['pRetry(f)', { baseMs: 1000, maxAttempts: 11, jitter: 'none' }],
    ['pRetry(f, { retries: 3, randomize: true })', { maxAttempts: 4, factor: 2 }],
    [
      "import retry from 'async-retry';\nretry(f, { retries: 2, randomize: false, factor: 3 })",
      { baseMs: 1000, factor: 3, jitter: 'none', maxAttempts: 3 },
    ],
    [
      'axiosRetry(axios, { retries: 3, retryDelay: axiosRetry.exponentialDelay })',
      { baseMs: 200, jitter: { type: 'additive', ratio: 0.2 }, maxAttempts: 4 },
    ],
    [
      'axiosRetry(axios, { retryDelay: axiosRetry.linearDelay(250) })',
      { backoff: 'linear', baseMs: 250, maxAttempts: 4 },
    ],
    [
      "backOff(() => f(), { numOfAttempts: 6, startingDelay: 200, jitter: 'full' })",
      { baseMs: 200, jitter: 'full', maxAttempts: 6 },
    ],
    [
      'ky.create({ timeout: 5000, retry: { limit: 5, backoffLimit: 3000, jitter: true } })',
      { baseMs: 300, capMs: 3000, jitter: 'full', maxAttempts: 6 },
    ],
    [
      'got.extend({ retry: { limit: 4, noise: 50 } })',
      { baseMs: 1000, jitter: { type: 'additive', maxMs: 50 }, maxAttempts: 5 },
    ],
    ["new DynamoDBClient({ region: 'eu-west-1' })", { baseMs: 25, maxAttempts: 4 }],
    [
      'retry(handleAll, { maxAttempts: 9, backoff: new ExponentialBackoff({ initialDelay: 64 }) })',
      { baseMs: 64, capMs: 30_000, jitter: 'pollyV2', maxAttempts: 10 },
    ],
    [
      'retry(handleAll, { maxAttempts: 2, backoff: new ConstantBackoff(1_500) })',
      { backoff: 'fixed', baseMs: 1500, maxAttempts: 3 },
    ],
    [
      'retry(handleAll, { maxAttempts: 2, backoff: new IterableBackoff([10, 20]) })',
      { backoff: [10, 20], maxAttempts: 3 },
    ],
  ]))
    test(`${text.split('\n').at(-1)}`, () => {
      const { data } = options(text);
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(data[name], value, name);
    });

  test('what cannot be read is said: functions, variables, wrong values', () => {
    const error = (/** @type {string} */ text, from = 'detect') => translate(text, from).error ?? '';
    assert.match(
      error('pRetry(f, { retries: RETRIES })'),
      /^retries must be a number .* got `RETRIES`\. Paste its value\.$/,
    );
    assert.match(
      error('axiosRetry(axios, { retryDelay: (n) => n * 100 })'),
      /retryDelay is a function\. This page runs no pasted code/,
    );
    assert.match(error('pRetry(f, { retries: -1 })'), /at least 0, got -1/);
    assert.match(error('pRetry(f, { retries: 1e9 })'), /maxAttempts must be at most 1001/);
    assert.match(
      error('new S3Client({ retryStrategy: new ConfiguredRetryStrategy(3, (n) => n) })'),
      /takes a function/,
    );
    assert.match(error(''), /^Paste the options/);
    assert.match(
      options('pRetry(f, { ...common, retries: 2, onFailedAttempt: log, colour: 1 })').notes.join(' '),
      /`onFailedAttempt` is `onFailure`.*`colour` is left out.*spread/,
    );
  });

  test('what changes no wait has its counterpart named, and none is passed over', () => {
    const http = "methods: ['post'], statusCodes: [418], maxRetryAfter: 5000";
    for (const [text, ...expected] of [
      [`ky.create({ timeout: 5000, retry: { ${http} } })`, 'retryOn', 'attemptTimeoutMs', 'ky does not retry'],
      [`got.extend({ timeout: { request: 50 }, retry: { ${http} } })`, 'methods', 'maxRetryAfterMs', '`timeout` is'],
      ['got.extend({ retry: { enforceRetryRules: true } })', '`enforceRetryRules` has no counterpart'],
      ['ky.create({ retry: { retryOnTimeout: true } })', '`retryOnTimeout` is what'],
      ["new S3Client({ retryMode: 'adaptive' })", "'adaptive' also"],
      ['axiosRetry(axios, { shouldResetTimeout: true })', '`shouldResetTimeout` is `attemptTimeoutMs`'],
      ['pRetry(f, { shouldConsumeRetry: () => false })', '`shouldConsumeRetry` is `retryIf`'],
    ]) {
      const notes = options(text ?? '').notes.join(' ');
      for (const words of expected) assert.ok(notes.includes(words), `${words}: ${notes}`);
      assert.equal(notes.includes('ky does not retry'), expected.includes('ky does not retry'), text);
    }
  });

  test('no wrong package is named: others are refused, and what fits two is asked', () => {
    for (const [text, words] of /** @type {[string, RegExp][]} */ ([
      ['fetchRetry(fetch, { retries: 5, retryDelay: 800 })', /`fetchRetry` is not supported/],
      [
        "import retry from 'fetch-retry';\nretry(fetch, { retries: 5, retryDelay: 800 })",
        /`fetch-retry` is not supported/,
      ],
      ['{ retries: 5, factor: 2, minTimeout: 100 }', /more than one package/],
      ['retries: 5', /more than one package/],
      ['@retry(stop=stop_after_attempt(6))', /No supported package/],
      ['<p>hello</p>', /No supported package/],
      ['{}', /No supported package/],
      ['😀', /No supported package/],
    ])) {
      const found = translate(text, 'detect');
      assert.match(found.error ?? '', words, text);
      assert.ok(found.choices.length > 0, text);
    }
    assert.equal(options('{ numOfAttempts: 3, startingDelay: 50 }').from, 'exponential-backoff 3.1.3');
    assert.equal(options('{ retries: 5, factor: 2 }', 'p-retry').data.maxAttempts, 6);
    // Names of prototypes are names like any other.
    assert.doesNotThrow(() => translate('{ __proto__: 1, constructor: 2, retries: 3 }', 'detect'));
    assert.doesNotThrow(() => translate(`{ retries: ${'('.repeat(5000)}`, 'p-retry'));
  });
});

test('nothing that is pasted is run, and no prototype is touched', () => {
  for (const text of [
    'pRetry(fn, { retries: (() => { globalThis.ran = true; return 1; })() })',
    '{ retries: globalThis.ran = true }',
    'pRetry(fn, { retries: eval("globalThis.ran = true") })',
    '{ retries: 2, get factor() { globalThis.ran = true; return 2 } }',
    '{ retries: 2, [globalThis.ran = true]: 1 }',
    'globalThis.ran = true; pRetry(fn, { retries: `${globalThis.ran = true}` })',
    '{ retries: 5, __proto__: { factor: 3 }, constructor: 1, toString: 2 }',
  ])
    for (const from of ['detect', 'p-retry', 'ky']) translate(text, from);
  assert.equal('ran' in globalThis, false);
  assert.equal(/** @type {any} */ ({}).factor, undefined);
});

test('hostile texts are answered: the work grows with the length, not with its power', () => {
  const hostile = [
    ['retry(() => x.test(/', '[a', '\n), {})'],
    ['retry(() => x.test(/', '\\[', '\n), {})'],
    ['[', 'a<b,', ']'],
    ['a(x =>', '/*a', ')'],
    ['axiosRetry(a, { retryDelay: (n) => {', '=>1;', '} })'],
    ['', '(a', ''],
    ['', '{a:', ''],
    ['', '`', 'a'],
    ['', "'\\", ''],
    ['', '1+', ''],
  ];
  // In a process of its own: a search that takes 2^n steps can only be ended from outside.
  const code = `
    import { pageModule } from './page-module.mjs';
    const { translate } = await pageModule('today/translate.ts');
    for (const [head, unit, tail] of ${JSON.stringify(hostile)}) {
      for (const count of [1, 2, 3, 40, Math.floor(19_900 / unit.length)])
        for (const from of ['detect', 'axios-retry']) translate(head + unit.repeat(count) + tail, from);
      console.log('answered');
    }`;
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  assert.equal(stderr, '');
  assert.equal(signal, null, `only ${stdout.split('\n').length - 1} texts were answered`);
  assert.equal(stdout, 'answered\n'.repeat(hostile.length));
});

test('values are literals and arithmetic', () => {
  const value = (/** @type {string} */ text) => arithmetic(text.split(' '));
  assert.deepEqual(
    [
      '5',
      '30 * 1000',
      '1 + 2 * 3',
      '2 ** 3 ** 2',
      '- 1',
      '( 1 + 2 ) * 3',
      '10_000',
      'Infinity',
      '7 / 2',
      '8 - 2 - 1',
    ].map(value),
    [5, 30_000, 7, 512, -1, 9, 10_000, Infinity, 3.5, 5],
  );
  for (const text of ['x', '1 +', '( 1', '1 2', '']) assert.equal(value(text), undefined, text);
  const { values, callee } = read(
    "// retries: 9\nwrap(async () => {}, { retries: 5, 'max': 2, /* no: 1 */ on: true, name: 'a', list: [1, 2] })",
  );
  assert.deepEqual(
    [...values],
    [
      ['retries', 5],
      ['max', 2],
      ['on', true],
      ['name', 'a'],
      ['list', [1, 2]],
    ],
  );
  assert.equal(callee, 'wrap');
});

describe('one change', () => {
  const run = async (/** @type {any} */ strategy) => {
    const state = { ...INITIAL_STATE, strategy, scene: { ...INITIAL_STATE.scene, retry: 'policy' } };
    return change(sceneInput(state), () => {}, signal);
  };
  const preset = (/** @type {string} */ wanted) =>
    PRESETS.find((/** @type {any} */ { label }) => label === wanted).strategy;

  test('p-retry needs jitter, the defaults of rejitter need patience', async () => {
    const pRetry = await run(options(packageOf('p-retry').example).strategy);
    assert.ok(pRetry.now.served < 200, `${pRetry.now.served}`);
    assert.equal(pRetry.changed.strategy.jitter, 'full');
    assert.equal(pRetry.changed.strategy.maxAttempts, 11);
    assert.ok(pRetry.changed.served >= 990);
    const defaults = await run(preset('Package defaults'));
    assert.equal(defaults.now.strategy.maxAttempts, 1 + [...new RetryPolicy().delays()].length);
    assert.equal(defaults.now.served, 88);
    assert.deepEqual([defaults.changed.strategy.jitter, defaults.changed.strategy.maxAttempts], ['full', 10]);
    assert.equal((await run(preset('Recommended'))).changed, undefined);
  });

  test('a deadline goes only if it is what ends the operations, and the words say so', async () => {
    const hurried = { ...preset('Recommended'), maxAttempts: 4, totalTimeoutMs: 3000 };
    const { now, changed } = await run(hurried);
    assert.equal(changed.strategy.totalTimeoutMs, Infinity);
    assert.match(inWords('It', 1000, now, changed), / With 10.attempts and no deadline: 99\d of 1,000 are served/);
    const patient = await run({ ...hurried, totalTimeoutMs: 60_000 });
    assert.equal(patient.changed.strategy.totalTimeoutMs, 60_000);
    assert.doesNotMatch(inWords('It', 1000, patient.now, patient.changed), /deadline/);
    // A policy without an end has the time that it has in the scene.
    const input = sceneInput(fromQuery('?maxAttempts=Infinity&clients=10000'));
    const { served } = await fateOf(input, input.strategy, async () => false);
    assert.equal(served, (await scene(input, () => {}, signal)).served);
  });

  test('in words', async () => {
    const { now, changed } = await run(preset('Package defaults'));
    assert.match(
      inWords('Package defaults', 1000, now, changed),
      /^Package defaults: 88 of 1,000 are served, 912 give up\. With 10.attempts: 99\d of 1,000 are served, \d+ give up\.$/,
    );
  });
});
