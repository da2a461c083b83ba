/**
 * What is pasted from other libraries, and what becomes of it. The waits of a translation are
 * compared with the other library's own formula, as its source has it, for the same draws.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { RetryPolicy } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import { pageModule } from './page-module.mjs';

/** @type {{ translate: (text: string, from: string) => any, exampleOf: (source: string) => string, SOURCES: readonly string[] }} */
let page;
/** @type {(strategy: any) => boolean} */
let isAccepted;
before(async () => {
  page = await pageModule('take-away/import.ts');
  ({ isAccepted } = await pageModule('state/strategy.ts'));
});

/**
 * @param {string} text
 * @param {any} [from]
 */
function translated(text, from = 'detect') {
  const answer = page.translate(text, from);
  if ('error' in answer) throw new assert.AssertionError({ message: `${text}\n${answer.error}` });
  return answer;
}

/** @param {string} text @param {any} [from] */
function refusal(text, from = 'detect') {
  const answer = page.translate(text, from);
  assert.ok('error' in answer, text);
  return answer.error;
}

/** The first waits of a translation when each draw is r. @param {any} policy @param {number} r @param {number} count */
function waits(policy, r, count) {
  const drawn = RetryPolicy.fromJSON(policy.toJSON(), { random: () => r }).delays();
  return Array.from({ length: count }, () => drawn.next().value ?? NaN);
}

const RANDOM = [0, 0.25, 0.5, 0.999];
const { min, round, max } = Math;

/** p-retry and retry. @param {number} base @param {number} factor @param {number} cap @param {boolean} randomize */
const retryFormula = (base, factor, cap, randomize) => (/** @type {number} */ k, /** @type {number} */ r) =>
  min(round((randomize ? 1 + r : 1) * base * factor ** (k - 1)), cap);

/** @type {[text: string, from: string, attempts: number, formula: (k: number, r: number) => number, strategy: Record<string, unknown>, notes: RegExp[]][]} */
const TABLE = [
  ['pRetry(fn, { retries: 5, factor: 2, minTimeout: 1000, maxTimeout: 30_000, randomize: true })', 'p-retry 9.0.0', 6,
    retryFormula(1000, 2, 30_000, true), { backoff: 'exponential', jitter: 'equal', baseMs: 2000, capMs: 30_000 }, [/`retries` 5 makes 6 attempts/, /pile up at 30\u00a0s/]],
  ['await pRetry(() => fetch(url), {retries: 3})', 'p-retry 9.0.0', 4, retryFormula(1000, 2, Infinity, false), { jitter: 'none', baseMs: 1000, capMs: 3_600_000 }, []],
  ["import pRetry from 'p-retry';\n\nconst x: number = await pRetry<number>(run, {\n  retries: 4, // four\n  minTimeout: 2 * 1000,\n  factor: 1.5,\n  maxRetryTime: 60e3,\n  onFailedAttempt: (error) => { console.log('}', error); },\n} as const).then((n) => n);",
    'p-retry 9.0.0', 5, retryFormula(2000, 1.5, Infinity, false), { factor: 1.5, totalTimeoutMs: 60_000 }, [/cuts the last wait/, /`onFailedAttempt` is `onFailure`/]],
  ['{"retries": 2, "minTimeout": 500, "factor": 1}', 'p-retry 9.0.0', 3, () => 500, { backoff: 'fixed', jitter: 'none', baseMs: 500 }, []],
  ['pRetry(fn, { retries: 4, factor: 0.5 })', 'p-retry 9.0.0', 5, (k) => 1000 / 2 ** (k - 1), { backoff: 'fixed' }, []],
  ['axiosRetry(axios, { retries: 3, retryDelay: axiosRetry.exponentialDelay });', 'axios-retry 4.5.0', 4,
    (k, r) => 2 ** k * 100 * (1 + 0.2 * r), { backoff: 'exponential', jitter: 'none', baseMs: 220 }, [/first wait is 200\u00a0ms/, /Retry-After/]],
  ['const client = axios.create({ baseURL: "https://x" });\naxiosRetry(client, { retryDelay: (n, e) => axiosRetry.exponentialDelay(n, e, 1_000), retryCondition: isRetryable })', 'axios-retry 4.5.0', 4,
    (k, r) => 2 ** k * 1000 * (1 + 0.2 * r), { baseMs: 2200 }, [/`retryCondition` is `retryIf`/]],
  ['axiosRetry(axios, { retries: 3, retryDelay: (retryCount) => {\n  return retryCount * 1000;\n} })', 'axios-retry 4.5.0', 4, (k) => 1000 * k, { backoff: 'linear', jitter: 'none', baseMs: 1000 }, []],
  ['axiosRetry(axios, { retries: 5, retryDelay: axiosRetry.linearDelay() })', 'axios-retry 4.5.0', 6, (k) => 100 * k, { backoff: 'linear', baseMs: 100 }, []],
  ['axiosRetry(axios, { retries: 2 })', 'axios-retry 4.5.0', 3, () => 0, { backoff: 'fixed', baseMs: 1 }, [/does not wait at all/]],
  ['retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff({ generator: halfJitterGenerator, exponent: 3 }) })', 'cockatiel 4.0.0', 4,
    (k, r) => (1 + r) * min(30_000, 128 * 2 ** (k - 1)) / 2, { jitter: 'equal', baseMs: 128, capMs: 30_000, maxAttempts: 4 }, [/counts retries: 3 are 4 attempts/, /`exponent` 3 does not act/]],
  ['retry(handleType(HttpError), { maxAttempts: 5, backoff: new ExponentialBackoff() })', 'cockatiel 4.0.0', 6,
    (k, r) => {
      const f = (/** @type {number} */ t) => 2 ** t * Math.tanh(Math.sqrt(4 * t));
      return ((f(k - 1 + r) - (k === 1 ? 0 : f(k - 2 + r))) / 1.4) * 128;
    }, { jitter: 'full', baseMs: 128 }, []],
  ['new ExponentialBackoff({ initialDelay: 1000, maxDelay: 8000, generator: noJitterGenerator })', 'cockatiel 4.0.0', Infinity, (k) => min(8000, 1000 * 2 ** (k - 1)), { jitter: 'none', maxAttempts: 20 }, [/no limit/]],
  ['retry(handleAll, { maxAttempts: 4, backoff: new ConstantBackoff(50) }).execute(() => get())', 'cockatiel 4.0.0', 5, () => 50, { backoff: 'fixed', baseMs: 50 }, []],
  ['retry(handleAll, { maxAttempts: 4, backoff: new IterableBackoff([100, 200, 300]) })', 'cockatiel 4.0.0', 5, (k) => [100, 200, 300, 300][k - 1] ?? NaN, { backoff: 'exponential' }, []],
  ["import retry from 'async-retry';\nawait retry(async (bail) => { bail(new Error('}')); }, { retries: 5 })", 'async-retry 1.3.3', 6,
    retryFormula(1000, 2, Infinity, true), { jitter: 'equal', baseMs: 2000 }, [/`randomize` is on by default/]],
  ['asyncRetry(f, { forever: true, retries: 3, randomize: false })', 'async-retry 1.3.3', Infinity, (k) => 1000 * 2 ** (min(k, 3) - 1), { maxAttempts: 20 }, [/repeats wait 3/]],
  ["backOff(() => get(), { numOfAttempts: 5, startingDelay: 300, timeMultiple: 3, maxDelay: 2500, jitter: 'full' })", 'exponential-backoff 3.1.3', 5,
    (k, r) => r * min(2500, 300 * 3 ** (k - 1)), { jitter: 'full', baseMs: 300, capMs: 2500, factor: 3, maxAttempts: 5 }, []],
  ['backOff(f, { delayFirstAttempt: true, numOfAttempts: 4 })', 'exponential-backoff 3.1.3', 4, (k) => 100 * 2 ** k, { baseMs: 200, jitter: 'none' }, [/before the first attempt/]],
  ['retry(f, { delay: 200, factor: 2, maxDelay: 1000, maxAttempts: 6, jitter: true, minDelay: 50 })', '@lifeomic/attempt 3.1.0', 6,
    (k, r) => 50 + r * (min(1000, 200 * 2 ** (k - 1)) - 50), { jitter: 'full', baseMs: 200, capMs: 1000 }, []],
  ['retry(f, { delay: 300, maxDelay: 100, timeout: 1000, maxAttempts: 0 })', '@lifeomic/attempt 3.1.0', Infinity, () => 300, { backoff: 'fixed', maxAttempts: 20 }, [/maxDelay does not act/, /ends @lifeomic\/attempt for good/]],
  ['retryWithEqualJitter(f, { baseMs: 50, capMs: 4000, maxAttempts: 7, retryIf: (e) => e.ok })', 'rejitter', 7, (k, r) => (1 + r) * min(4000, 50 * 2 ** (k - 1)) / 2, { jitter: 'equal', baseMs: 50 }, [/`retryIf` is left out/]],
  ["RetryPolicy.preset('grpc', { maxAttempts: 3 })", 'rejitter', 3, (k, r) => (0.8 + 0.4 * r) * min(1000, 100 * 2 ** (k - 1)), { jitter: 'equal', maxAttempts: 3 }, []],
  ["createFetch({ preset: 'grpc', hint: (response) => soon(response) })", 'rejitter', 4, (k, r) => (0.8 + 0.4 * r) * min(1000, 100 * 2 ** (k - 1)), { jitter: 'equal', maxAttempts: 4 }, [/`hint` is left out/]],
  ['{"version":1,"backoff":"linear","jitter":"full","baseMs":200,"maxAttempts":"Infinity"}', 'a policy as JSON', Infinity, (k, r) => r * min(10_000, 200 * k), { backoff: 'linear', baseMs: 200, maxAttempts: 20 }, []],
  ["{ backoff: 'fibonacci', jitter: { type: 'proportional', ratio: 0.5 }, maxAttempts: 4 }", 'rejitter', 4, (k, r) => (0.5 + r) * ([100, 100, 200][k - 1] ?? NaN), { backoff: 'exponential', jitter: 'equal' }, []],
  ["retry(f, { jitter: { type: 'proportional', ratio: 1 }, maxAttempts: 3 })", 'rejitter', 3, (k, r) => 2 * r * min(5000, 100 * 2 ** (k - 1)), { jitter: 'full', baseMs: 200 }, []],
];

describe('translated', () => {
  for (const [text, from, attempts, formula, strategy, notes] of TABLE) {
    test(text.replaceAll('\n', ' '), async () => {
      const answer = translated(text);
      assert.equal(answer.from, from);
      const count = min(attempts, 8) - 1;
      for (const r of RANDOM) {
        const expected = Array.from({ length: count }, (_, i) => formula(i + 1, r));
        const actual = waits(answer.policy, r, count);
        // To the whole millisecond to which most of them round.
        for (const [i, wait] of actual.entries()) {
          const near = /** @type {number} */ (expected[i]);
          assert.ok(Math.abs(wait - near) <= max(0.5, 1e-9 * near), `wait ${i + 1} at ${r}: ${wait}, not ${near}`);
        }
      }
      const { maxAttempts = 6 } = /** @type {any} */ (answer.policy.toJSON());
      assert.equal(Number(maxAttempts), attempts);
      assert.deepEqual({ ...answer.strategy, ...strategy }, answer.strategy);
      for (const note of notes) assert.ok(answer.notes.some((/** @type {string} */ text) => note.test(text)), `${note} is not in\n${answer.notes.join('\n')}`);
      assert.ok(isAccepted(answer.strategy));
      // The printed code makes this very policy.
      const statements = answer.code.replace(/^import .*$/m, '').replace(/const response[^]*/, 'return policy;');
      assert.deepEqual(new Function('RetryPolicy', statements)(RetryPolicy).toJSON(), answer.policy.toJSON());
    });
  }
});

test('the drawn strategy has the same mean waits, or says what it has instead', () => {
  for (const [text, , attempts] of TABLE) {
    const { policy, strategy, drawn } = translated(text);
    const { backoff, jitter, baseMs, capMs, factor } = strategy;
    const shown = new RetryPolicy({ backoff, jitter, baseMs, capMs, maxAttempts: 9, ...(backoff === 'exponential' && { factor }) });
    const count = min(attempts, 4) - 1;
    const mean = (/** @type {any} */ of) => waits(of, 0.5, count).reduce((/** @type {number} */ sum, wait) => sum + wait, 0);
    const same = Math.abs(mean(shown) - mean(policy)) <= 2e-3 * mean(policy);
    assert.ok(same || drawn.length > 0, `${text}: ${mean(shown)} drawn for ${mean(policy)}, and nothing said`);
  }
});

test('the examples are each of their library, and are drawn', () => {
  for (const source of page.SOURCES) {
    const { from, strategy } = translated(page.exampleOf(source));
    assert.equal(from.split(' ')[0], source);
    assert.ok(isAccepted(strategy));
  }
});

test('chosen beats detected', () => {
  const text = '{ retries: 5 }';
  assert.equal(translated(text).from, 'p-retry 9.0.0');
  assert.equal(translated(text, 'async-retry').from, 'async-retry 1.3.3');
  assert.match(translated('{ retries: 5, foo: 1, bar: 2 }', 'p-retry').notes.join(), /p-retry 9.0.0 has no options foo, bar: left out/);
});

/** Options of rejitter that are not left out: a translation needs their values. */
const VALUES = ['attemptTimeoutMs', 'backoff', 'baseMs', 'capMs', 'factor', 'jitter', 'longRetryAfter', 'maxAttempts', 'maxRetryAfterMs', 'minMs', 'preset', 'stepMs', 'totalTimeoutMs', 'truncateAt'];

test('each option of the package either has a value in a translation or is said to change no wait', () => {
  /** The package lists its options to whoever writes another one. @param {(options: any) => unknown} take */
  const optionsOf = (take) => {
    try {
      take({ none: 1 });
    } catch (error) {
      return / Known options: (.*)/.exec(String(error))?.[1]?.split(', ') ?? [];
    }
    return [];
  };
  const names = new Set([...optionsOf((options) => new RetryPolicy(options)), ...optionsOf(createFetch)]);
  const valued = [...names].filter((name) => {
    const text = `createFetch({ baseMs: 50, ${name}: something })`;
    if (VALUES.includes(name)) return refusal(text) === `${name} is something, which has no value here: nothing that is pasted is run.`;
    assert.ok(translated(text).notes.includes(`\`${name}\` is left out: it changes no wait.`), name);
    return false;
  });
  assert.deepEqual(valued.sort(), VALUES);
});

/** @type {[text: string, error: RegExp][]} */
const REFUSED = [
  ['', /^Nothing is pasted yet\.$/],
  ['hello world', /no library known here/],
  ['foo({ a: 1 })', /no library known here/],
  ['{ retries: 5', /^At line 1, column 13, the text ends where , or } was expected\.$/],
  ['{ retries: }', /^At line 1, column 12, there is "}" where a value was expected\.$/],
  ['retries: 5,\n  minTimeout 3', /^At line 2, column 14, there is "3" where : after minTimeout was expected\.$/],
  ["pRetry(fn, { retries: 'x", /the end of the string/],
  ['{ retries: config.retries }', /^retries is config\.retries, which has no value here; write a number from 0\.$/],
  ['{ retries: -1 }', /^retries is -1; write a number from 0\.$/],
  ['pRetry(fn, { retries: 2.5 })', /whole number/],
  ['{ retries: 1, randomize: 1 }', /^randomize is 1/],
  ['axiosRetry(axios, { retryDelay: (n) => lookUp(n) })', /^retryDelay is a function, and nothing that is pasted here is run\./],
  ['axiosRetry(axios, { retryDelay: axiosRetry.linearDelay })', /write axiosRetry\.linearDelay\(\)/],
  ['retry(handleAll, { backoff: new DelegateBackoff((c) => c.attempt) })', /nothing that is pasted here is run/],
  ['asyncRetry(f, { retries: Infinity })', /without end before the first attempt/],
  ['asyncRetry(f, { minTimeout: 10, maxTimeout: 1 })', /which async-retry refuses/],
  ["retryWithFullJitter(f, { baseMs: 'x' })", /^rejitter: baseMs must be a number of milliseconds.*, got "x"/],
  ['{ baseMs: 100, retrys: 3 }', /unknown option "retrys"/],
  ['{"version": 2, "baseMs": 1}', /^rejitter: version must be 1, got 2$/],
  ["RetryPolicy.preset('nobody', { baseMs: 1 })", /preset/],
  ['['.repeat(5000), /nested too deeply/],
  [`{ a: ${'('.repeat(200)}1${')'.repeat(200)} }`, /nested too deeply/],
  ['x'.repeat(20_001), /20001 characters/],
  [`{ retries: 2${'**2'.repeat(200)} }`, /nested too deeply/],
];

describe('refused with one message', () => {
  for (const [text, error] of REFUSED) {
    test(text.slice(0, 60).replaceAll('\n', ' ') || 'nothing', () => {
      const message = refusal(text);
      assert.match(message, error);
      assert.ok(message.length < 600, message);
    });
  }
});

test('nothing that is pasted is run, and no prototype is touched', () => {
  const dangerous = [
    'pRetry(fn, { retries: (() => { globalThis.ran = true; return 1; })() })',
    '{ retries: globalThis.ran = true }',
    'pRetry(fn, { retries: eval("globalThis.ran = true") })',
    '{ retries: 2, get factor() { globalThis.ran = true; return 2 } }',
    '{ retries: 2, [globalThis.ran = true]: 1 }',
    'globalThis.ran = true; pRetry(fn, { retries: `${globalThis.ran = true}` })',
    '{ baseMs: 1, backoff: constructor.constructor("globalThis.ran = true")() }',
  ];
  for (const text of dangerous) refusal(text);
  translated('{ retries: 5, __proto__: { factor: 3 }, constructor: 1, toString: 2, "<img src=x onerror=alert(1)>": 3 }');
  refusal('{ "version": 1, "baseMs": 5, "__proto__": { "capMs": 7 }, "constructor": 3 }');
  refusal('{ baseMs: 5, jitter: { __proto__: { type: "additive" }, ratio: 3 } }');
  assert.equal('ran' in globalThis, false);
  assert.equal(/** @type {any} */ ({}).factor, undefined);
  assert.equal(/** @type {any} */ ({}).capMs, undefined);
});

test('long texts of one thing end with an answer', () => {
  const repeated = ['/', '"\\', '\n', 'a<', 'a:1,', 'b(){},', '/*x', '*1', '-', 'a.', '`', '=>', 'new '];
  for (const piece of repeated) {
    const text = `f({ a: 1${piece.repeat(Math.floor(18_000 / piece.length))}`;
    assert.equal(typeof refusal(text), 'string');
    assert.doesNotMatch(refusal(text), /stack/);
  }
  assert.equal(translated(`{ retries: ${'-'.repeat(10_000)}3 }`).strategy.maxAttempts, 4);
});

/** Texts that cost a careless reader 2^n or n² steps: `unit`, repeated between `head` and `tail`. */
const HOSTILE = [
  ['retry(() => x.test(/', '[a]', '\n), {})'],
  ['retry(() => x.test(/', '[a', '\n), {})'],
  ['retry(() => x.test(/', '\\[', '\n), {})'],
  ['retry(() => x.test(/', '[\\]', '\n), {})'],
  ['[', 'a<b,', ']'],
  ['[', 'a<>,', ']'],
  ['a(x =>', '/*a', ')'],
  ['axiosRetry(a, { retryDelay: (n) => {', 'return', '} })'],
  ['axiosRetry(a, { retryDelay: (n) => {', '=>1;', '} })'],
  ['axiosRetry(a, { retryDelay: (n) => {', 'exponentialDelay(a,b,', '} })'],
  ['', '(a', ''],
  ['', '{a:', ''],
  ['', '`', 'a'],
  ['', "'\\", ''],
];

test('hostile texts are answered: the work grows with the length, not with its power', () => {
  // In a process of its own: a search that takes 2^n steps can only be ended from outside.
  const code = `
    import { pageModule } from './page-module.mjs';
    const { translate } = await pageModule('take-away/import.ts');
    for (const [head, unit, tail] of ${JSON.stringify(HOSTILE)}) {
      for (const count of [1, 2, 3, 40, Math.floor(19_900 / unit.length)]) {
        for (const from of ['detect', 'axios-retry']) translate(head + unit.repeat(count) + tail, from);
      }
      console.log('answered');
    }`;
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: import.meta.dirname, encoding: 'utf8', timeout: 60_000 });
  assert.equal(stderr, '');
  assert.equal(signal, null, `only ${stdout.split('\n').length - 1} texts were answered`);
  assert.equal(stdout, 'answered\n'.repeat(HOSTILE.length));
});

test('a text that would have to be read again from many places is refused after a bounded number of steps', () => {
  for (const unit of ['(a):b,', '(a):/b,']) {
    assert.match(refusal(`[${unit.repeat(2800)}]`), /^This is too involved to be read; paste the options alone\.$/, unit);
    assert.doesNotMatch(refusal(`[${unit.repeat(50)}]`), /too involved/, unit);
  }
});
