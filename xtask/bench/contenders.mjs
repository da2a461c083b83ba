// All that is measured, set alike as far as it can be: six attempts, full jitter below min(10 s, 100 ms·2^(k−1)).

export const ATTEMPTS = 6;
export const BASE_MS = 100;
export const CAP_MS = 10_000;

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} [note] where it differs from what all are set to
 * @property {string} [module] is imported first
 * @property {boolean} [retries] false: the call alone
 * @property {string} call the expression that runs one operation
 * @property {(fn: any, module: any) => Record<string, unknown>} scope what the names in it mean
 */

const OWN = { maxAttempts: ATTEMPTS, baseMs: BASE_MS, capMs: CAP_MS };
const NODE_RETRY = { retries: ATTEMPTS - 1, factor: 2, minTimeout: BASE_MS, maxTimeout: CAP_MS, randomize: true };

/** The loop that people write instead of taking a package. */
export async function retryByHand(fn) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fn();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      const ms = Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
      await new Promise((done) => {
        setTimeout(done, ms);
      });
    }
  }
}

/**
 * The loop of the AWS SDKs' middleware, without what is about HTTP: the strategy hands out tokens, and waits itself.
 */
export async function retryWithStrategy(strategy, fn, attempts = ATTEMPTS) {
  let token = await strategy.acquireInitialRetryToken('bench');
  for (let left = attempts - 1; ; left--) {
    try {
      const result = await fn();
      strategy.recordSuccess(token);
      return result;
    } catch (error) {
      if (left === 0) throw error;
      try {
        token = await strategy.refreshRetryTokenForRetry(token, { error, errorType: 'TRANSIENT' });
      } catch {
        throw error;
      }
    }
  }
}

export const BARE = 'bare call';
export const BY_HAND = 'hand-written loop';
export const POLICY = 'rejitter, policy';
export const FUNCTION = 'rejitter, function';
/** The policy of rejitter, with the core as JavaScript. */
export const TRANSLATED = 'rejitter, policy, JavaScript form';
export const LIGHT = 'rejitter/light';

const ofCockatiel = ({ ExponentialBackoff, fullJitterGenerator, handleAll, retry }) => {
  const backoff = new ExponentialBackoff({ generator: fullJitterGenerator, initialDelay: BASE_MS, maxDelay: CAP_MS });
  return retry(handleAll, { maxAttempts: ATTEMPTS - 1, backoff });
};

const of = (module, call, scope, more) => ({ name: module, module, call, scope, ...more });

/** A file of the package: what every host but Node, Deno and Bun takes. */
const JAVASCRIPT_FORM = 'rejitter, index.js';

const RETRY = 'retry(fn, options)';
const CLIPPED = { note: 'jitter is ×1 to ×2, clipped at the cap' };

const RETRIES = [
  { name: BARE, retries: false, call: 'fn()', scope: (fn) => ({ fn }) },
  { name: BY_HAND, call: 'retryByHand(fn)', scope: (fn) => ({ fn, retryByHand }) },
  of('rejitter', 'policy.run(fn)', (fn, { RetryPolicy }) => ({ fn, policy: new RetryPolicy(OWN) }), { name: POLICY }),
  of('rejitter', RETRY, (fn, { retryWithFullJitter: retry }) => ({ fn, retry, options: OWN }), {
    name: FUNCTION,
  }),
  of(JAVASCRIPT_FORM, 'policy.run(fn)', (fn, { RetryPolicy }) => ({ fn, policy: new RetryPolicy(OWN) }), {
    name: TRANSLATED,
  }),
  of(LIGHT, RETRY, (fn, { retry }) => ({ fn, retry, options: OWN })),
  of('p-retry', RETRY, (fn, { default: retry }) => ({ fn, retry, options: NODE_RETRY }), CLIPPED),
  of('cockatiel', 'policy.execute(fn)', (fn, cockatiel) => ({ fn, policy: ofCockatiel(cockatiel) }), {
    note: 'a policy, run many times',
  }),
  of('exponential-backoff', 'backOff(fn, options)', (fn, { backOff }) => {
    const limits = { numOfAttempts: ATTEMPTS, startingDelay: BASE_MS, maxDelay: CAP_MS };
    return { fn, backOff, options: { ...limits, timeMultiple: 2, jitter: 'full' } };
  }),
  of('async-retry', RETRY, (fn, { default: retry }) => ({ fn, retry, options: NODE_RETRY }), CLIPPED),
  of('@lifeomic/attempt', RETRY, (fn, { retry }) => {
    const options = { maxAttempts: ATTEMPTS, delay: BASE_MS, factor: 2, maxDelay: CAP_MS, jitter: true };
    return { fn, retry, options };
  }),
  of(
    '@smithy/util-retry',
    'retryWithStrategy(strategy, fn)',
    (fn, { StandardRetryStrategy }) => {
      const strategy = new StandardRetryStrategy({ maxAttempts: ATTEMPTS, baseDelay: BASE_MS });
      Object.defineProperty(strategy, 'capacity', { get: () => Infinity, set() {} });
      return { fn, retryWithStrategy, strategy };
    },
    { note: "the loop is the caller's; cap 20 s; its quota is lifted, or it would fail after a few such operations" },
  ),
  of(
    'effect',
    'Effect.runPromise(program)',
    (fn, { Effect, Schedule }) => {
      const times = Schedule.upTo({ times: ATTEMPTS - 1 });
      const schedule = Schedule.exponential('100 millis').pipe(Schedule.jittered, times);
      const attempt = Effect.tryPromise({ try: () => fn(), catch: (error) => error });
      return { Effect, program: Effect.retry(attempt, schedule) };
    },
    { note: 'the effect is built once and run many times; jitter is ×0.8 to ×1.2, no cap' },
  ),
];

export const BARE_FETCH = 'bare fetch';
const STATUSES = [408, 425, 429, 500, 502, 503, 504];
const ADDRESS = 'http://bench.invalid/users/7';
export const FETCH = 'rejitter/fetch';
const CALL = 'fetch(ADDRESS)';

/** Wrappers of fetch. */
const FETCHERS = [
  { name: BARE_FETCH, retries: false, call: CALL, scope: (fetch) => ({ fetch, ADDRESS }) },
  of(FETCH, CALL, (inner, { createFetch }) => ({ fetch: createFetch(OWN, inner), ADDRESS })),
  of(
    'ky',
    'get(ADDRESS)',
    (fetch, { default: ky }) => {
      const delay = (attempt) => BASE_MS * 2 ** (attempt - 1);
      const retry = { limit: ATTEMPTS - 1, delay, backoffLimit: CAP_MS, jitter: true };
      return { get: ky.create({ fetch, timeout: false, retry }), ADDRESS };
    },
    { note: 'its timeout is off' },
  ),
  of(
    'fetch-retry',
    CALL,
    (inner, { default: wrap }) => {
      const retryDelay = (attempt) => Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
      return { fetch: wrap(inner, { retries: ATTEMPTS - 1, retryOn: STATUSES, retryDelay }), ADDRESS };
    },
    { note: "the jitter is the caller's" },
  ),
  of(
    'ofetch',
    CALL,
    (fetch, { createFetch }) => {
      const defaults = { retry: ATTEMPTS - 1, retryDelay: () => Math.random() * BASE_MS };
      return { fetch: createFetch({ fetch, defaults }).raw, ADDRESS };
    },
    { note: "no backoff: the wait cannot depend on the attempt; the jitter is the caller's" },
  ),
];

export const BUDGET = 'with a budget';
export const BREAKER = 'with a breaker';
export const WRAPPED = 'cockatiel, retry and circuit breaker';

const guarded = (name, parts) =>
  of(
    './rejitter.mjs',
    'policy.run(fn)',
    (fn, all) => ({ fn, policy: new all.RetryPolicy({ ...OWN, protection: all.protect(...parts(all)) }) }),
    { name },
  );

/** Operations under protection. */
const PROTECTED = [
  ...RETRIES.filter(({ name }) => name === BARE || name === POLICY),
  guarded(BUDGET, ({ budget }) => [budget()]),
  guarded(BREAKER, ({ breaker }) => [breaker()]),
  guarded('with a cooldown', ({ cooldown }) => [cooldown()]),
  guarded('with all three', ({ budget, breaker, cooldown }) => [budget(), breaker(), cooldown()]),
  of(
    'cockatiel',
    'policy.execute(fn)',
    (fn, cockatiel) => {
      const { ConsecutiveBreaker, circuitBreaker, handleAll, wrap } = cockatiel;
      const circuit = circuitBreaker(handleAll, { halfOpenAfter: 5000, breaker: new ConsecutiveBreaker(10) });
      return { fn, policy: wrap(ofCockatiel(cockatiel), circuit) };
    },
    { name: WRAPPED, note: 'the circuit is checked before each attempt' },
  ),
];

export const FIELDS = { retries: RETRIES, fetch: FETCHERS, protection: PROTECTED };

/**
 * Imports what a contender needs. `undefined` if a peer does not run here; rejitter must run.
 * @returns {Promise<((fn: any) => Record<string, unknown>) | undefined>} its scope
 */
export async function load({ name, module, scope }) {
  try {
    const [name, file] = module?.split(', ') ?? [];
    const path = file ? new URL(file, import.meta.resolve(`${name}`)).href : name;
    const imported = path && (await import(path));
    return (fn) => scope(fn, imported);
  } catch (error) {
    if (module?.includes('rejitter')) throw error;
    console.log(`${name} does not run: ${error.message.split('\n')[0]}`);
    return undefined;
  }
}
