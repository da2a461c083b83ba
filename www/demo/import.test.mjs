/**
 * Options pasted from other libraries, and their translations. The waits of a translation are
 * compared with the other library's own formula, as its source has it, for the same draws.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { RetryPolicy } from 'rejitter';
import { fromData } from 'rejitter/data';
import { createFetch } from 'rejitter/fetch';
import { policyIn, programFolder } from './lib/programs.mjs';
import { LIMIT_MS } from './lib/until.mjs';
import { pageModule } from './page-module.mjs';

/**
 * @type {{ translate: (text: string, from: string) => any, exampleOf: (source: string) => string, SOURCES: readonly
 * string[] }}
 */
let page;
/** @type {{ isAccepted: (strategy: any) => boolean, policyOf: (strategy: any) => RetryPolicy }} */
let strategies;
before(async () => {
  page = await pageModule('take-away/import.ts');
  strategies = await pageModule('state/strategy.ts');
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
function rejection(text, from = 'detect') {
  const answer = page.translate(text, from);
  assert.ok('error' in answer, text);
  return answer.error;
}

/** The first waits of a translation when each draw is r. @param {any} policy @param {number} r @param {number} count */
function waits(policy, r, count) {
  const drawn = fromData(policy.toJSON())
    .with({ random: () => r })
    .delays();
  return Array.from({ length: count }, () => drawn.next().value ?? NaN);
}

const RANDOM = [0, 0.25, 0.5, 0.999];
const { min, round, max } = Math;

/** p-retry and retry. @param {number} base @param {number} factor @param {number} cap @param {boolean} randomize */
const retryFormula = (base, factor, cap, randomize) => (/** @type {number} */ k, /** @type {number} */ r) =>
  min(round((randomize ? 1 + r : 1) * base * factor ** (k - 1)), cap);

/**
 * @type {[text: string, from: string, attempts: number, formula: (k: number, r: number) => number, notes: RegExp[]][]}
 */
const TABLE = [
  [
    'pRetry(fn, { retries: 5, factor: 2, minTimeout: 1000, maxTimeout: 30_000, randomize: true })',
    'p-retry 9.0.0',
    6,
    retryFormula(1000, 2, 30_000, true),
    [/`retries` 5 makes 6 attempts/, /many waits become exactly 30\u00a0s/],
  ],
  ['await pRetry(() => fetch(url), {retries: 3})', 'p-retry 9.0.0', 4, retryFormula(1000, 2, Infinity, false), []],
  [
    "import pRetry from 'p-retry';\n\nconst x: number = await pRetry<number>(run, {\n  retries: 4, // four\n" +
      '  minTimeout: 2 * 1000,\n  factor: 1.5,\n  maxRetryTime: 60e3,\n' +
      "  onFailedAttempt: (error) => { console.log('}', error); },\n} as const).then((n) => n);",
    'p-retry 9.0.0',
    5,
    retryFormula(2000, 1.5, Infinity, false),
    [/shortens the last wait/, /`onFailedAttempt` is `onFailure`/],
  ],
  [
    'import again from \'p-retry\';\nagain(fn, {"retries": 2, "minTimeout": 500, "factor": 1})',
    'p-retry 9.0.0',
    3,
    () => 500,
    [],
  ],
  [
    'const factor = 3;\nconst options = { retries: 2 + 1, factor };\nasync function main() {\n' +
      '  return await pRetry(run, options);\n}',
    'p-retry 9.0.0',
    4,
    retryFormula(1000, 3, Infinity, false),
    [],
  ],
  ['pRetry(fn, { retries: 4, factor: 0.5 })', 'p-retry 9.0.0', 5, (k) => 1000 / 2 ** (k - 1), []],
  [
    'axiosRetry(axios, { retries: 3, retryDelay: axiosRetry.exponentialDelay });',
    'axios-retry 4.5.0',
    4,
    (k, r) => 2 ** k * 100 * (1 + 0.2 * r),
    [/first wait, which is 200\u00a0ms/, /Retry-After/],
  ],
  [
    'const client = axios.create({ baseURL: "https://x" });\n' +
      'axiosRetry(client, { retryDelay: (n, e) => axiosRetry.exponentialDelay(n, e, 1_000), retryCondition: ' +
      'isRetryable })',
    'axios-retry 4.5.0',
    4,
    (k, r) => 2 ** k * 1000 * (1 + 0.2 * r),
    [/`retryCondition` is `retryIf`/],
  ],
  [
    'axiosRetry(axios, { retries: 3, retryDelay: (retryCount) => {\n  return retryCount * 1000;\n} })',
    'axios-retry 4.5.0',
    4,
    (k) => 1000 * k,
    [],
  ],
  [
    'axiosRetry(axios, { retries: 5, retryDelay: axiosRetry.linearDelay() })',
    'axios-retry 4.5.0',
    6,
    (k) => 100 * k,
    [],
  ],
  ['axiosRetry(axios, { retries: 2 })', 'axios-retry 4.5.0', 3, () => 0, [/does not wait at all/]],
  [
    'retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff({ generator: halfJitterGenerator, ' +
      'exponent: 3 }) })',
    'cockatiel 4.0.0',
    4,
    (k, r) => ((1 + r) * min(30_000, 128 * 2 ** (k - 1))) / 2,
    [/counts retries: 3 retries are 4 attempts/, /`exponent` 3 has no effect/],
  ],
  [
    'retry(handleType(HttpError), { maxAttempts: 5, backoff: new ExponentialBackoff() })',
    'cockatiel 4.0.0',
    6,
    (k, r) => {
      const f = (/** @type {number} */ t) => 2 ** t * Math.tanh(Math.sqrt(4 * t));
      return ((f(k - 1 + r) - (k === 1 ? 0 : f(k - 2 + r))) / 1.4) * 128;
    },
    [],
  ],
  [
    'new ExponentialBackoff({ initialDelay: 1000, maxDelay: 8000, generator: noJitterGenerator })',
    'cockatiel 4.0.0',
    Infinity,
    (k) => min(8000, 1000 * 2 ** (k - 1)),
    [/no limit/],
  ],
  [
    'retry(handleAll, { maxAttempts: 4, backoff: new DelegateBackoff((context) => context.attempt * 70) })',
    'cockatiel 4.0.0',
    5,
    (k) => 70 * k,
    [],
  ],
  [
    'retry(handleAll, { maxAttempts: 4, backoff: new ConstantBackoff(50) }).execute(() => get())',
    'cockatiel 4.0.0',
    5,
    () => 50,
    [],
  ],
  [
    'retry(handleAll, { maxAttempts: 4, backoff: new IterableBackoff([100, 200, 300]) })',
    'cockatiel 4.0.0',
    5,
    (k) => [100, 200, 300, 300][k - 1] ?? NaN,
    [],
  ],
  [
    "import retry from 'async-retry';\nawait retry(async (bail) => { bail(new Error('}')); }, { retries: 5 })",
    'async-retry 1.3.3',
    6,
    retryFormula(1000, 2, Infinity, true),
    [/`randomize` is on by default/],
  ],
  [
    'asyncRetry(f, { forever: true, retries: 3, randomize: false })',
    'async-retry 1.3.3',
    Infinity,
    (k) => 1000 * 2 ** (min(k, 3) - 1),
    [/repeats wait 3/],
  ],
  [
    "backOff(() => get(), { numOfAttempts: 5, startingDelay: 300, timeMultiple: 3, maxDelay: 2500, jitter: 'full' })",
    'exponential-backoff 3.1.3',
    5,
    (k, r) => r * min(2500, 300 * 3 ** (k - 1)),
    [],
  ],
  [
    'backOff(f, { delayFirstAttempt: true, numOfAttempts: 4 })',
    'exponential-backoff 3.1.3',
    4,
    (k) => 100 * 2 ** k,
    [/before the first attempt/],
  ],
  [
    'retry(f, { delay: 200, factor: 2, maxDelay: 1000, maxAttempts: 6, jitter: true, minDelay: 50 })',
    '@lifeomic/attempt 3.1.0',
    6,
    (k, r) => 50 + r * (min(1000, 200 * 2 ** (k - 1)) - 50),
    [],
  ],
  [
    'retry(f, { delay: 300, maxDelay: 100, timeout: 1000, maxAttempts: 0 })',
    '@lifeomic/attempt 3.1.0',
    Infinity,
    () => 300,
    [/maxDelay has no effect/, /ends @lifeomic\/attempt at once/],
  ],
  [
    'retryWithEqualJitter(f, { baseMs: 50, capMs: 4000, maxAttempts: 7, retryIf: (e) => e.ok })',
    'rejitter',
    7,
    (k, r) => ((1 + r) * min(4000, 50 * 2 ** (k - 1))) / 2,
    [/`retryIf` is left out/],
  ],
  [
    'const calm = { ...grpc, baseMs: 200 };\nnew RetryPolicy({ maxAttempts: 9, ...calm, capMs: 3000 })',
    'rejitter',
    4,
    (k, r) => (0.8 + 0.4 * r) * min(3000, 200 * 2 ** (k - 1)),
    [],
  ],
  [
    "import { grpc } from 'rejitter/presets';\nretry(load, grpc)",
    'rejitter',
    4,
    (k, r) => (0.8 + 0.4 * r) * min(1000, 100 * 2 ** (k - 1)),
    [],
  ],
  [
    "import { grpc } from './settings.js';\nretry(load, { ...grpc, capMs: 3000, maxAttempts: 4 })",
    'rejitter',
    4,
    (k, r) => r * min(3000, 100 * 2 ** (k - 1)),
    [/`…grpc` is not read/],
  ],
  [
    "fromData({ version: 1, capRule: 'draw', jitter: 'full', capMs: 300, maxAttempts: 4 }).with({ retryIf })",
    'a policy as JSON',
    4,
    (k, r) => min(300, r * 100 * 2 ** (k - 1)),
    [],
  ],
  [
    'createFetch({ ...grpc, hint: (response) => soon(response) })',
    'rejitter',
    4,
    (k, r) => (0.8 + 0.4 * r) * min(1000, 100 * 2 ** (k - 1)),
    [/`hint` is left out/],
  ],
  [
    '{"version":1,"backoff":"linear","jitter":"full","baseMs":200,"maxAttempts":"Infinity"}',
    'a policy as JSON',
    Infinity,
    (k, r) => r * min(10_000, 200 * k),
    [],
  ],
  [
    "{ backoff: 'fibonacci', jitter: { type: 'proportional', ratio: 0.5 }, maxAttempts: 4 }",
    'rejitter',
    4,
    (k, r) => (0.5 + r) * ([100, 100, 200][k - 1] ?? NaN),
    [],
  ],
  [
    "retry(f, { jitter: { type: 'proportional', ratio: 1 }, maxAttempts: 3 })",
    'rejitter',
    3,
    (k, r) => 2 * r * min(5000, 100 * 2 ** (k - 1)),
    [],
  ],
  // ky 2.1.0: min(backoffLimit, jitter(delay(k))), delay 300·2^(k−1).
  [
    'ky(url, { retry: { limit: 10, backoffLimit: 3000 } })',
    'ky 2.1.0',
    11,
    (k) => min(3000, 300 * 2 ** (k - 1)),
    [/`limit` 10 makes 11 attempts/],
  ],
  [
    "const api = ky.create({ prefix: '/api', retry: 5 });",
    'ky 2.1.0',
    6,
    (k) => 300 * 2 ** (k - 1),
    [/not about retries: `prefix`/],
  ],
  [
    "await ky.get('x', { retry: { limit: 3, methods: ['get'], statusCodes: [503], jitter: true } }).json()",
    'ky 2.1.0',
    4,
    (k, r) => r * 300 * 2 ** (k - 1),
    [],
  ],
  [
    'ky(url, { retry: { limit: 4, delay: (n) => 1000 * n, jitter: (delay) => delay * (0.8 + Math.random() * 0.4) } })',
    'ky 2.1.0',
    5,
    (k, r) => 1000 * k * (0.8 + 0.4 * r),
    [],
  ],
  [
    'ky(url, { timeout: 2000, totalTimeout: 9000, hooks: {}, retry: { limit: 2, retryOnTimeout: true, ' +
      'shouldRetry: (x) => y(x), wrong: 1 } })',
    'ky 2.1.0',
    3,
    (k) => 300 * 2 ** (k - 1),
    [/`shouldRetry` is `retryOn`/, /no such option: `wrong`/, /not about retries: `hooks`/],
  ],
  // got 16.1.0: min(1000·2^(k−1), backoffLimit) + U(0, noise).
  [
    'got(url, { retry: { limit: 5 } })',
    'got 16.1.0',
    6,
    (k, r) => 1000 * 2 ** (k - 1) + 100 * r,
    [/adds up to 100\u00a0ms/],
  ],
  [
    'got.extend({ retry: { limit: 6, backoffLimit: 4000, noise: 50 } })',
    'got 16.1.0',
    7,
    (k, r) => min(4000, 1000 * 2 ** (k - 1)) + 50 * r,
    [],
  ],
  [
    'got.extend({ retry: { limit: 3, calculateDelay: ({ attemptCount, computedValue }) => {\n' +
      '  const half = computedValue / 2;\n  if (attemptCount > 2) return 7000;\n  return half;\n}, noise: 0 } })',
    'got 16.1.0',
    4,
    (k) => (k > 2 ? 7000 : 500 * 2 ** (k - 1)),
    [/stops when calculateDelay returns 0/],
  ],
  // @smithy/core 3.41.0: floor(r·min(50·2^(k−1), 20 s)), and 25 ms and 4 attempts for DynamoDB.
  [
    "new S3Client({ region: 'eu-west-1', maxAttempts: 5, retryMode: 'standard' })",
    'AWS SDK v3 3.1169.0',
    5,
    (k, r) => r * min(20_000, 50 * 2 ** (k - 1)),
    [/awsSdk2026Throttling/, /not about retries: `region`/],
  ],
  ['const client = new DynamoDBClient({});', 'AWS SDK v3 3.1169.0', 4, (k, r) => r * 25 * 2 ** (k - 1), []],
  [
    'new SQSClient({ retryStrategy: new ConfiguredRetryStrategy(4, (attempt) => 100 + attempt * 1000) })',
    'AWS SDK v3 3.1169.0',
    4,
    (k) => 100 + 1000 * k,
    [],
  ],
  [
    "import { CodeBuildClient } from '@aws-sdk/client-codebuild';\n" +
      "new CodeBuildClient({ maxAttempts: 4, retryMode: 'adaptive' })",
    'AWS SDK v3 3.1169.0',
    4,
    (k, r) => r * 50 * 2 ** (k - 1),
    [/limits the rate/],
  ],
  // TanStack Query 5.108.0: min(1000·2^failureCount, 30 s), failureCount from 0.
  [
    'new QueryClient({ defaultOptions: { queries: { retry: 7, staleTime: 5 } } })',
    'TanStack Query 5.108.0',
    8,
    (k) => min(30_000, 1000 * 2 ** (k - 1)),
    [/without jitter/, /not about retries: `staleTime`/],
  ],
  [
    "useQuery({ queryKey: ['a'], queryFn, retry: (failures, error) => failures < 5, retryDelay: (n) => " +
      'Math.min(500 * 3 ** n, 20_000) })',
    'TanStack Query 5.108.0',
    6,
    (k) => min(20_000, 500 * 3 ** (k - 1)),
    [/6 attempts/],
  ],
  ['useMutation({ mutationFn, retry: 2, retryDelay: 250 })', 'TanStack Query 5.108.0', 3, () => 250, []],
  [
    "import { useQuery as q } from '@tanstack/react-query';\nq({ queryFn, retry: true })",
    'TanStack Query 5.108.0',
    Infinity,
    (k) => min(30_000, 1000 * 2 ** (k - 1)),
    [/until the query succeeds/],
  ],
];

describe('translated', () => {
  for (const [text, from, attempts, formula, notes] of TABLE) {
    test(text.replaceAll('\n', ' '), () => {
      const answer = translated(text);
      assert.equal(answer.from, from);
      compareWaits(answer.policy, min(attempts, 8) - 1, formula);
      const { maxAttempts = 6 } = /** @type {any} */ (answer.policy.toJSON());
      assert.equal(Number(maxAttempts), attempts);
      for (const note of notes)
        assert.ok(
          answer.notes.some((/** @type {string} */ text) => note.test(text)),
          `${note} is not in\n${answer.notes.join('\n')}`,
        );
      // The strategy that the figures draw has exactly these waits.
      assert.equal(answer.undrawable, undefined);
      assert.ok(strategies.isAccepted(answer.strategy));
      const count = min(attempts, 8) - 1;
      for (const r of RANDOM)
        assert.deepEqual(waits(strategies.policyOf(answer.strategy), r, count), waits(answer.policy, r, count));
    });
  }
});

/** @param {RetryPolicy} policy @param {number} count @param {(k: number, r: number) => number} formula */
function compareWaits(policy, count, formula) {
  for (const r of RANDOM) {
    const actual = waits(policy, r, count);
    // To the whole millisecond to which most libraries round.
    for (const [i, wait] of actual.entries()) {
      const near = formula(i + 1, r);
      assert.ok(Math.abs(wait - near) <= max(0.5, 1e-9 * near), `wait ${i + 1} at ${r}: ${wait}, not ${near}`);
    }
  }
}

/**
 * Other languages: the recognised library, the policy's attempts and waits, and notes.
 * @type {[text: string, name: string, attempts: number, formula: (k: number, r: number) => number, notes: RegExp[]][]}
 */
const FOREIGN = [
  [
    'new ResiliencePipelineBuilder().AddRetry(new RetryStrategyOptions { MaxRetryAttempts = 5, Delay = ' +
      'TimeSpan.FromSeconds(1), BackoffType = DelayBackoffType.Linear, MaxDelay = config.Most, Name = "x" })',
    'Polly 8',
    6,
    (k) => 1000 * k,
    [/`MaxRetryAttempts` 5/, /`MaxDelay` could not be read/, /Not translated: `Name`/],
  ],
  [
    'options.Retry = new HttpRetryStrategyOptions();',
    'Polly 8',
    4,
    (k, r) => 2000 * pollyUnit(k, r),
    [/No number could be read/, /default of the preset 'polly'/],
  ],
  [
    'Policy.Handle<HttpRequestException>().WaitAndRetryAsync(5, retryAttempt => TimeSpan.FromSeconds(Math.Pow(2, ' +
      'retryAttempt)));',
    'Polly 8',
    6,
    (k) => 1000 * 2 ** k,
    [],
  ],
  [
    'Backoff.DecorrelatedJitterBackoffV2(medianFirstRetryDelay: TimeSpan.FromMilliseconds(300), retryCount: 4)',
    'Polly 8',
    5,
    (k, r) => 300 * pollyUnit(k, r),
    [],
  ],
  [
    'b := backoff.NewExponentialBackOff()\nb.InitialInterval = 200 * time.Millisecond\n' +
      'b.MaxInterval = time.Second\nb.RandomizationFactor = 0.1\n' +
      'err := backoff.Retry(op, backoff.WithMaxRetries(b, 5))',
    'cenkalti/backoff',
    6,
    (k, r) => (0.9 + 0.2 * r) * min(1000, 200 * 1.5 ** (k - 1)),
    [/preset 'cenkalti'/],
  ],
  [
    '@retry(stop=stop_after_attempt(6), wait=wait_random_exponential(multiplier=0.5, max=60), reraise=True)',
    'tenacity',
    6,
    (k, r) => r * min(60_000, 500 * 2 ** (k - 1)),
    [/`reraise` is `finalError`/],
  ],
  [
    '@retry(wait=wait_exponential(multiplier=1, min=4, max=10), stop=stop_after_attempt(7))',
    'tenacity',
    7,
    (k) => max(4000, min(10_000, 1000 * 2 ** (k - 1))),
    [],
  ],
  [
    'for attempt in Retrying(wait=wait_fixed(2), stop=stop_after_delay(10)): …',
    'tenacity',
    Infinity,
    () => 2000,
    [/no limit of attempts/],
  ],
  [
    'wait=wait_exponential_jitter(initial=1, max=100, jitter=2), stop=stop_after_attempt(4)',
    'tenacity',
    4,
    (k, r) => 1000 * 2 ** (k - 1) + 2000 * r,
    [],
  ],
  [
    'resilience4j.retry:\n  instances:\n    backendA:\n      maxAttempts: 4\n      waitDuration: 1s\n' +
      '      enableExponentialBackoff: true\n      exponentialBackoffMultiplier: 2\n' +
      '      enableRandomizedWait: true',
    'resilience4j',
    4,
    (k, r) => (0.5 + r) * 1000 * 2 ** (k - 1),
    [],
  ],
  [
    'RetryConfig.custom().maxAttempts(5).intervalFunction(IntervalFunction.ofExponentialRandomBackoff(Duration.ofMillis(500), 2.0, 0.4)).build();',
    'resilience4j',
    5,
    (k, r) => (0.6 + 0.8 * r) * 500 * 2 ** (k - 1),
    [],
  ],
  [
    '@Retryable(retryFor = SQLException.class, maxAttempts = 4, backoff = @Backoff(delay = 1000, multiplier = 2, ' +
      'maxDelay = 100000, random = true))',
    'Spring',
    4,
    (k, r) => (1 + r) * 1000 * 2 ** (k - 1),
    [/`retryFor` is `retryIf`/],
  ],
  ['@Retryable(maxAttempts = 3, backoff = @Backoff(500))', 'Spring', 3, () => 500, []],
  ['@Retryable(backoff = @Backoff(delay = 100, maxDelay = 400))', 'Spring', 3, (_, r) => 100 + 300 * r, []],
  [
    '@Retryable(maxRetries = 4, delay = 100, multiplier = 2, maxDelay = 1000)',
    'Spring',
    5,
    (k) => min(1000, 100 * 2 ** (k - 1)),
    [],
  ],
  [
    'client := retryablehttp.NewClient()\nclient.RetryMax = 10\nclient.RetryWaitMin = 500 * time.Millisecond',
    'go-retryablehttp',
    11,
    (k) => min(30_000, 500 * 2 ** (k - 1)),
    [/preset 'goRetryableHttp'/],
  ],
  [
    '{ "methodConfig": [{ "name": [{}], "retryPolicy": { "maxAttempts": 5, "initialBackoff": "0.1s", ' +
      '"maxBackoff": "10s", "backoffMultiplier": 3, "retryableStatusCodes": ["UNAVAILABLE"] } }] }',
    'gRPC',
    5,
    (k, r) => (0.8 + 0.4 * r) * min(10_000, 100 * 3 ** (k - 1)),
    [/`retryableStatusCodes` is `retryIf`/],
  ],
  [
    'new ' +
      'ExponentialBackOff.Builder().setInitialIntervalMillis(300).setMultiplier(2).setMaxElapsedTimeMillis(60000).build();',
    'Google HTTP client',
    Infinity,
    (k, r) => (0.5 + r) * min(60_000, 300 * 2 ** (k - 1)),
    [],
  ],
];

/** Polly's formula for equal draws, in units of the delay. @param {number} k @param {number} r */
function pollyUnit(k, r) {
  const f = (/** @type {number} */ t) => 2 ** t * Math.tanh(Math.sqrt(4 * t));
  return (f(k - 1 + r) - (k === 1 ? 0 : f(k - 2 + r))) / 1.4;
}

describe('other languages are recognised by their names', () => {
  for (const [text, name, attempts, formula, notes] of FOREIGN) {
    test(text.replaceAll('\n', ' '), () => {
      const answer = translated(text);
      assert.equal(answer.from, name);
      assert.match(
        answer.looksLike,
        new RegExp(`^This looks like ${name}: (?:its waits are|the preset \`\\w+\` is) drawn`),
      );
      compareWaits(answer.policy, min(attempts, 8) - 1, formula);
      assert.equal(Number(/** @type {any} */ (answer.policy.toJSON()).maxAttempts ?? 6), attempts);
      for (const note of notes)
        assert.ok(
          answer.notes.some((/** @type {string} */ text) => note.test(text)),
          `${note} is not in\n${answer.notes.join('\n')}`,
        );
    });
  }
});

/**
 * Texts that do not identify a library, the question, and the libraries on offer.
 * @type {[text: string, error: RegExp, choices: readonly string[]][]}
 */
const ASKED = [
  ['{ retry: 3 }', /fit more than one library/, ['exponential-backoff', 'ky', 'got', 'TanStack Query']],
  ['{ maxAttempts: 3 }', /fit more than one library/, ['cockatiel', '@lifeomic/attempt', 'AWS SDK v3', 'rejitter']],
  ['{ jitter: true }', /fit more than one library/, ['exponential-backoff', '@lifeomic/attempt', 'ky', 'rejitter']],
  ['{ retries: 5 }', /fit more than one library/, ['p-retry', 'axios-retry', 'async-retry']],
  ['{ factor: 2 }', /fit more than one library/, ['p-retry', 'async-retry', '@lifeomic/attempt', 'rejitter']],
  ['{ delay: 100 }', /fit more than one library/, ['@lifeomic/attempt', 'ky']],
  ['{"retries": 2, "minTimeout": 500, "factor": 1}', /fit more than one library/, ['p-retry', 'async-retry']],
  ['await retry(fn, { retries: 3, delay: 1000 })', /fit more than one library/, ['async-retry', '@lifeomic/attempt']],
  [
    "import { retry } from 'ts-retry-promise';\nretry(fn, { retries: 3, delay: 100, factor: 2, maxDelay: 500 })",
    /^`ts-retry-promise` is not supported/,
    [],
  ],
  ['new FooClient({ maxAttempts: 5, maxDelay: 3 })', /^`FooClient` is not supported/, []],
  ['superagent.get(url, { retry: { limit: 5, backoffLimit: 3000 } })', /^`superagent.get` is not supported/, []],
  ['foo({ baseMs: 1, capMs: 2 })', /^`foo` is not supported/, []],
  ['Effect.retry(task, Schedule.exponential(100).pipe(Schedule.jittered))', /^`Effect.retry` is not supported/, []],
  [
    'hello world',
    /No supported library is recognised here\. Supported by their options: p-retry, .*, rejitter\. Recognised by their names: Polly 8, .*, Spring\./,
    [],
  ],
  ['retry_policy = RetryPolicy::exponential(max: 3)', /No supported library|not supported/, []],
  ['@retry(wait = 5)', /No supported library/, []],
];

describe('asks instead of guessing', () => {
  for (const [text, error, choices] of ASKED) {
    test(text.replaceAll('\n', ' '), () => {
      const answer = page.translate(text, 'detect');
      assert.match(answer.error, error);
      assert.doesNotMatch(answer.error, /^Line \d/);
      assert.deepEqual(answer.choices, choices.length > 0 ? choices : page.SOURCES);
      // Each choice gives a translation, or says what is missing.
      for (const choice of answer.choices) {
        const chosen = page.translate(text, choice);
        assert.ok('code' in chosen || typeof chosen.error === 'string');
      }
    });
  }
});

test('the examples are each of their library, and are drawn', () => {
  for (const source of page.SOURCES) {
    const { from, strategy } = translated(page.exampleOf(source));
    assert.ok(from.startsWith(source), from);
    assert.ok(strategies.isAccepted(strategy));
  }
});

test('a chosen library beats the detected one, and every option that it does not have is named', () => {
  const text = 'new S3Client({ retries: 5, foo: 1, bar: 2 })';
  assert.match(
    translated(text, 'p-retry').notes.join(),
    /Not translated, because p-retry 9\.0\.0 has no such option: `foo`, `bar`\./,
  );
  assert.equal(translated('{ retries: 5 }', 'async-retry').from, 'async-retry 1.3.3');
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`option${i}`, i]));
  assert.match(translated(`pRetry(f, ${JSON.stringify(many)})`).notes.join(), /`option7` and 22 more\./);
});

describe('the waits before and after', () => {
  /** @type {(input: any) => any} */
  let beforeAfter;
  before(async () => {
    ({ beforeAfter } = await pageModule('compute/before-after.ts'));
  });
  /** @param {string} text */
  const compared = (text) => {
    const { before, strategy } = translated(text);
    return beforeAfter({ before, after: strategy, seed: 7 });
  };
  const distance = (/** @type {any} */ { waits }) => max(...waits.map((/** @type {any} */ wait) => wait.distance));

  test("cockatiel's default piles up at its cap, and the translation does not", () => {
    const answer = compared('retry(handleAll, { maxAttempts: 10, backoff: new ExponentialBackoff() })');
    assert.equal(answer.sampled, true);
    const last = answer.waits[9];
    assert.equal(last.before.atoms[0].ms, 30_000);
    assert.ok(last.before.atoms[0].probability > 0.4, String(last.before.atoms[0].probability));
    assert.ok(last.after.atoms.every((/** @type {any} */ atom) => atom.probability < 0.01));
    assert.ok(last.distance > 0.3);
    // The sample agrees with the lab's density of the same formula.
    for (const wait of answer.waits.slice(0, 7))
      assert.ok(Math.abs(wait.before.meanMs - wait.after.meanMs) < 0.02 * wait.after.meanMs, `wait ${wait.k}`);
  });

  test('ky cuts after the jitter: before has an atom of the known size', () => {
    // Wait 5 is U(0, 4800) cut at 3000.
    const wait = compared('ky(url, { retry: { limit: 5, backoffLimit: 3000, jitter: true } })').waits[4];
    assert.ok(Math.abs(wait.before.atoms[0].probability - 1800 / 4800) < 1e-9);
    assert.deepEqual(wait.after.atoms, []);
    assert.ok(Math.abs(wait.distance - 1800 / 4800) < 0.01);
  });

  test('async-retry sorts its draws where they overlap', () => {
    const answer = compared('asyncRetry(f, { retries: 4, factor: 1.1 })');
    assert.ok(answer.waits[0].before.meanMs < answer.waits[0].after.meanMs - 100);
    assert.ok(answer.waits[3].before.meanMs > answer.waits[3].after.meanMs + 100);
  });

  test('a translation that is exact has no distance; the probabilities of each side add up to 1', () => {
    for (const text of [
      'axiosRetry(axios, { retryDelay: axiosRetry.exponentialDelay })',
      'got(url, { retry: { limit: 5 } })',
      page.exampleOf('p-retry'),
    ])
      assert.ok(distance(compared(text)) < 1e-6, text);
    for (const source of page.SOURCES) {
      for (const { k, before, after } of compared(page.exampleOf(source)).waits) {
        for (const { cells, atoms } of [before, after]) {
          let sum = atoms.reduce((/** @type {number} */ total, /** @type {any} */ atom) => total + atom.probability, 0);
          for (let i = 2; i < cells.length; i += 3) sum += cells[i];
          assert.ok(Math.abs(sum - 1) < 1e-5, `${source}, wait ${k}: ${sum}`);
        }
      }
    }
  });
});

describe('the printed programs', () => {
  /** @type {Awaited<ReturnType<typeof programFolder>>} */
  let folder;
  before(async () => {
    folder = await programFolder();
  });
  after(() => folder.remove());
  const texts = [
    ...TABLE.map(([text]) => text),
    ...FOREIGN.map(([text]) => text),
    ...['ky', 'got', 'axios-retry', 'cockatiel'].map((source) => source),
  ];
  const programs = () => texts.map((text) => translated(page.SOURCES.includes(text) ? page.exampleOf(text) : text));

  test('all of them have the right types', async () => {
    assert.equal(await folder.complaints(programs().map(({ code }) => code)), '');
  });

  test('each retries a server that answers 503 twice, and ends with 200 after three requests', async () => {
    const all = programs();
    const ended = await folder.againstFailures(all.map(({ code }) => code));
    for (const [i, { code, policy }] of all.entries()) {
      const { maxAttempts = 6 } = /** @type {any} */ (policy.toJSON());
      assert.ok(Number(maxAttempts) >= 3, code);
      assert.deepEqual(ended[i], { ended: '200', requests: 3 }, code);
    }
    // The server is one that can fail: a call without retries ends with its first answer.
    const single = "const response = await fetch('https://example.com/orders');";
    assert.deepEqual(await folder.againstFailures([single]), [{ ended: '503', requests: 1 }]);
  });

  test('each makes the policy that it is printed for', () => {
    for (const { code, policy } of programs()) {
      if (code.includes('createFetch')) continue;
      assert.deepEqual(policyIn(code).toJSON(), policy.toJSON());
    }
  });
});

/** Options of rejitter that are not left out: a translation needs their values. */
const VALUES = [
  'attemptTimeoutMs',
  'backoff',
  'baseMs',
  'capMs',
  'factor',
  'jitter',
  'longRetryAfter',
  'maxAttempts',
  'maxRetryAfterMs',
  'minMs',
  'stepMs',
  'totalTimeoutMs',
  'truncateAt',
];

test('each option of the package either has a value in a translation or is said to change no wait', () => {
  /** The package lists its options in the error about an unknown one. @param {(options: any) => unknown} take */
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
    if (VALUES.includes(name))
      return (
        rejection(text) === `${name} must be a value, got something. A variable cannot be read here: paste its value.`
      );
    const why = name === 'protection' ? 'the waits are those without it' : 'it changes no wait';
    assert.ok(translated(text).notes.includes(`\`${name}\` is left out: ${why}.`), name);
    return false;
  });
  assert.deepEqual(valued.sort(), VALUES);
});

/** @type {[text: string, error: RegExp, from?: string][]} */
const REFUSED = [
  ['', /^Paste the options of your library, or the whole call\.$/],
  ['hello world', /^No options are found in this text|^Line 1, column 7/, 'p-retry'],
  ['{ retries: 5', /^Line 1, column 13: Expected `,` or the closing bracket, but the text ends\.$/],
  ['{ retries: }', /^Line 1, column 12: Expected a value, but found `}`\.$/],
  ['retries: 5,\n  minTimeout 3', /^Line 2, column 14: Expected `:` after `minTimeout`, but found `3`\.$/],
  ["pRetry(fn, { retries: 'x", /^Line 1, column 23: Unterminated string constant\.$/],
  [
    'pRetry(fn, { retries: config.retries })',
    /^retries must be a non-negative number, got config\.retries\. A variable cannot be read here: paste its value\.$/,
  ],
  [
    'pRetry(fn, { retries })',
    /^retries must be a non-negative number, got retries\. A variable cannot be read here: paste its value\.$/,
  ],
  [
    'let retries = 3;\nretries = 4;\npRetry(fn, { retries })',
    /^retries must be a non-negative number, got retries\. A variable cannot be read here: paste its value\.$/,
  ],
  [
    'pRetry(fn, { retries: read() })',
    /^retries must be a non-negative number, got read\(…\)\. This page runs no pasted code: paste the value\.$/,
  ],
  ['pRetry(fn, { retries: -1 })', /^retries must be a non-negative number, got -1\.$/],
  ['pRetry(fn, { retries: 2.5 })', /^retries must be a whole number or Infinity, got 2\.5\.$/],
  ['{ retries: 1, randomize: 1 }', /^randomize must be true or false, got 1\.$/, 'p-retry'],
  [
    'axiosRetry(axios, { retryDelay: (n) => lookUp(n) })',
    /^retryDelay is a function, which does more than arithmetic .* This page runs no pasted code\./,
  ],
  ['axiosRetry(axios, { retryDelay: axiosRetry.linearDelay })', /write axiosRetry\.linearDelay\(\)/],
  ['retry(handleAll, { backoff: new DelegateBackoff((c) => c.error.delay) })', /This page runs no pasted code/],
  ['ky(url, { retry: { jitter: (delay) => delay ** Math.random() } })', /no jitter of rejitter does/],
  ["ky(url, { retry: { methods: 'get' } })", /^methods must be a list of strings, got 'get'\.$/],
  ['useQuery({ queryFn, retry: (count, error) => error.status !== 404 })', /decides by the error/],
  ["new S3Client({ maxAttempts: 3, retryMode: 'fast' })", /^retryMode must be 'standard' or 'adaptive', got 'fast'\.$/],
  ['asyncRetry(f, { retries: Infinity })', /forever before the first attempt/],
  ['asyncRetry(f, { minTimeout: 10, maxTimeout: 1 })', /which async-retry rejects/],
  ["retryWithFullJitter(f, { baseMs: 'x' })", /^rejitter: baseMs must be a number of milliseconds.*, got "x"/],
  ['{ baseMs: 100, retrys: 3 }', /unknown option "retrys"/],
  ['{"version": 2, "baseMs": 1}', /^rejitter: version must be 1, got 2$/],
  ['['.repeat(5000), /nested too deeply/],
  [`{ a: ${'('.repeat(200)}1${')'.repeat(200)} }`, /nested too deeply/],
  ['x'.repeat(20_001), /^This text has 20001 characters\. Paste the options only\.$/],
  [`{ retries: 2${'**2'.repeat(200)} }`, /nested too deeply/],
  ['const wait = (n) => wait(n);\naxiosRetry(axios, { retryDelay: wait })', /does more than arithmetic/],
];

describe('rejected with one message', () => {
  for (const [text, error, from] of REFUSED) {
    test(text.slice(0, 60).replaceAll('\n', ' ') || 'nothing', () => {
      const message = rejection(text, from);
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
  for (const text of dangerous) for (const from of ['detect', 'p-retry', 'rejitter']) page.translate(text, from);
  translated(
    '{ retries: 5, __proto__: { factor: 3 }, constructor: 1, toString: 2, "<img src=x onerror=alert(1)>": 3 }',
    'p-retry',
  );
  rejection('{ "version": 1, "baseMs": 5, "__proto__": { "capMs": 7 }, "constructor": 3 }');
  rejection('{ baseMs: 5, jitter: { __proto__: { type: "additive" }, ratio: 3 } }');
  assert.equal('ran' in globalThis, false);
  assert.equal(/** @type {any} */ ({}).factor, undefined);
  assert.equal(/** @type {any} */ ({}).capMs, undefined);
});

test('long texts of one thing end with an answer', () => {
  const repeated = ['/', '"\\', '\n', 'a<', 'a:1,', 'b(){},', '/*x', '*1', '-', 'a.', '`', '=>', 'new '];
  for (const piece of repeated) {
    const text = `f({ a: 1${piece.repeat(Math.floor(18_000 / piece.length))}`;
    assert.equal(typeof rejection(text), 'string');
    assert.doesNotMatch(rejection(text), /call stack|stack space/i);
  }
  assert.equal(translated(`{ retries: ${'- '.repeat(20)}3 }`, 'p-retry').strategy.maxAttempts, 4);
  assert.match(rejection(`{ retries: ${'- '.repeat(5000)}3 }`), /nested too deeply/);
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
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  assert.equal(stderr, '');
  assert.equal(signal, null, `only ${stdout.split('\n').length - 1} texts were answered`);
  assert.equal(stdout, 'answered\n'.repeat(HOSTILE.length));
});

test('reading takes a number of steps proportional to the length', async () => {
  const { parse } = await pageModule('take-away/literal.ts');
  const units = /** @type {[string, string, string][]} */ ([
    ...HOSTILE,
    ['[', '(a):b,', ']'],
    ['[', '(a):/b,', ']'],
    ['', 'a.b().', 'c'],
    ['f(', '{a:1},', '1)'],
    ['', 'const a=[a];', ''],
  ]);
  for (const [head, unit, tail] of units) {
    for (const count of [10, 1000]) {
      const text = head + unit.repeat(Math.min(count, Math.floor(19_900 / unit.length))) + tail;
      const { steps } = parse(text);
      assert.ok(steps <= 4 * text.length + 20, `${head}${unit}: ${steps} steps for ${text.length} characters`);
    }
  }
});

test('a function that would take too many steps is rejected after a bounded number of them', async () => {
  const { parse, Fn } = await pageModule('take-away/literal.ts');
  // Each calls the one before twice: 2^40 steps.
  const text =
    Array.from({ length: 40 }, (_, i) => `const f${i + 1} = (n) => f${i}(n) + f${i}(n);`).join('\n') +
    '\nconst f0 = (n) => n; ({ delay: f40 });';
  const [{ value }] = parse(text).objects;
  assert.ok(value.map.get('delay') instanceof Fn);
  assert.equal(value.map.get('delay').apply([1], 0.5), undefined);
  assert.match(rejection(`axiosRetry(a, { retryDelay: f40 });\n${text}`), /does more than arithmetic/);
});
