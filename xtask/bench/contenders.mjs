// @ts-check
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

/** The loop that people write instead of taking a package. @param {() => unknown} fn */
async function retryByHand(fn) {
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
 * The loop of the AWS SDKs' middleware, without what is about HTTP: the strategy hands out tokens and waits.
 * @param {any} strategy
 * @param {() => unknown} fn
 */
async function retryWithStrategy(strategy, fn) {
  let token = await strategy.acquireInitialRetryToken('bench');
  for (;;) {
    try {
      const result = await fn();
      strategy.recordSuccess(token);
      return result;
    } catch (error) {
      try {
        strategy.capacity = Infinity;
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

/** @param {any} cockatiel */
const ofCockatiel = ({ ExponentialBackoff, fullJitterGenerator, handleAll, retry }) => {
  const backoff = new ExponentialBackoff({ generator: fullJitterGenerator, initialDelay: BASE_MS, maxDelay: CAP_MS });
  return retry(handleAll, { maxAttempts: ATTEMPTS - 1, backoff });
};

/** @type {Contender[]} */
const RETRIES = [
  { name: BARE, retries: false, call: 'fn()', scope: (fn) => ({ fn }) },
  { name: BY_HAND, call: 'retryByHand(fn)', scope: (fn) => ({ fn, retryByHand }) },
  {
    name: POLICY,
    module: 'rejitter',
    call: 'policy.run(fn)',
    scope: (fn, { RetryPolicy }) => ({ fn, policy: new RetryPolicy(OWN) }),
  },
  {
    name: 'rejitter, function',
    module: 'rejitter',
    call: 'retryWithFullJitter(fn, options)',
    scope: (fn, { retryWithFullJitter }) => ({ fn, retryWithFullJitter, options: OWN }),
  },
  {
    name: 'rejitter/light',
    module: 'rejitter/light',
    call: 'retry(fn, options)',
    scope: (fn, { retry }) => ({ fn, retry, options: OWN }),
  },
  {
    name: 'p-retry',
    note: 'jitter is ×1 to ×2, clipped at the cap',
    module: 'p-retry',
    call: 'retry(fn, options)',
    scope: (fn, { default: retry }) => ({ fn, retry, options: NODE_RETRY }),
  },
  {
    name: 'cockatiel',
    note: 'a policy, run many times',
    module: 'cockatiel',
    call: 'policy.execute(fn)',
    scope: (fn, cockatiel) => ({ fn, policy: ofCockatiel(cockatiel) }),
  },
  {
    name: 'exponential-backoff',
    module: 'exponential-backoff',
    call: 'backOff(fn, options)',
    scope: (fn, { backOff }) => {
      const limits = { numOfAttempts: ATTEMPTS, startingDelay: BASE_MS, maxDelay: CAP_MS };
      return { fn, backOff, options: { ...limits, timeMultiple: 2, jitter: 'full' } };
    },
  },
  {
    name: 'async-retry',
    note: 'jitter is ×1 to ×2, clipped at the cap',
    module: 'async-retry',
    call: 'retry(fn, options)',
    scope: (fn, { default: retry }) => ({ fn, retry, options: NODE_RETRY }),
  },
  {
    name: '@lifeomic/attempt',
    module: '@lifeomic/attempt',
    call: 'retry(fn, options)',
    scope: (fn, { retry }) => {
      const options = { maxAttempts: ATTEMPTS, delay: BASE_MS, factor: 2, maxDelay: CAP_MS, jitter: true };
      return { fn, retry, options };
    },
  },
  {
    name: '@smithy/util-retry',
    note: "the loop is the caller's; cap 20 s; its quota is lifted, or it would fail after a few such operations",
    module: '@smithy/util-retry',
    call: 'retryWithStrategy(strategy, fn)',
    scope: (fn, { StandardRetryStrategy }) => {
      const strategy = new StandardRetryStrategy({ maxAttempts: ATTEMPTS, baseDelay: BASE_MS });
      return { fn, retryWithStrategy, strategy };
    },
  },
  {
    name: 'effect',
    note: 'the effect is built once and run many times; jitter is ×0.8 to ×1.2, no cap',
    module: 'effect',
    call: 'Effect.runPromise(program)',
    scope: (fn, { Effect, Schedule }) => {
      const times = Schedule.upTo({ times: ATTEMPTS - 1 });
      const schedule = Schedule.exponential('100 millis').pipe(Schedule.jittered, times);
      const attempt = Effect.tryPromise({ try: () => fn(), catch: (/** @type {unknown} */ error) => error });
      return { Effect, program: Effect.retry(attempt, schedule) };
    },
  },
];

export const BARE_FETCH = 'bare fetch';
const STATUSES = [408, 425, 429, 500, 502, 503, 504];
const ADDRESS = 'http://bench.invalid/users/7';

/** Wrappers of fetch. @type {Contender[]} */
const FETCHERS = [
  { name: BARE_FETCH, retries: false, call: 'fetch(ADDRESS)', scope: (fetch) => ({ fetch, ADDRESS }) },
  {
    name: 'rejitter/fetch',
    module: 'rejitter/fetch',
    call: 'fetch(ADDRESS)',
    scope: (inner, { createFetch }) => ({ fetch: createFetch(OWN, inner), ADDRESS }),
  },
  {
    name: 'ky',
    note: 'its timeout is off',
    module: 'ky',
    call: 'get(ADDRESS)',
    scope: (fetch, { default: ky }) => {
      const delay = (/** @type {number} */ attempt) => BASE_MS * 2 ** (attempt - 1);
      const retry = { limit: ATTEMPTS - 1, delay, backoffLimit: CAP_MS, jitter: true };
      return { get: ky.create({ fetch, timeout: false, retry }), ADDRESS };
    },
  },
  {
    name: 'fetch-retry',
    note: "the jitter is the caller's",
    module: 'fetch-retry',
    call: 'fetch(ADDRESS)',
    scope: (inner, { default: wrap }) => {
      const retryDelay = (/** @type {number} */ attempt) => Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
      return { fetch: wrap(inner, { retries: ATTEMPTS - 1, retryOn: STATUSES, retryDelay }), ADDRESS };
    },
  },
  {
    name: 'ofetch',
    note: "no backoff: the wait cannot depend on the attempt; the jitter is the caller's",
    module: 'ofetch',
    call: 'fetch(ADDRESS)',
    scope: (fetch, { createFetch }) => {
      const defaults = { retry: ATTEMPTS - 1, retryDelay: () => Math.random() * BASE_MS };
      return { fetch: createFetch({ fetch, defaults }).raw, ADDRESS };
    },
  },
];

export const BUDGET = 'with a budget';
export const BREAKER = 'with a breaker';
export const WRAPPED = 'cockatiel, retry and circuit breaker';

/**
 * @param {string} name
 * @param {(parts: any) => any[]} parts
 * @returns {Contender}
 */
const guarded = (name, parts) => ({
  name,
  module: './rejitter.mjs',
  call: 'policy.run(fn)',
  scope: (fn, all) => ({ fn, policy: new all.RetryPolicy({ ...OWN, protection: all.protect(...parts(all)) }) }),
});

/** Operations under protection. @type {Contender[]} */
const PROTECTED = [
  ...RETRIES.filter(({ name }) => name === BARE || name === POLICY),
  guarded(BUDGET, ({ budget }) => [budget()]),
  guarded(BREAKER, ({ breaker }) => [breaker()]),
  guarded('with a cooldown', ({ cooldown }) => [cooldown()]),
  guarded('with all three', ({ budget, breaker, cooldown }) => [budget(), breaker(), cooldown()]),
  {
    name: WRAPPED,
    note: 'the circuit is checked before each attempt',
    module: 'cockatiel',
    call: 'policy.execute(fn)',
    scope: (fn, cockatiel) => {
      const { ConsecutiveBreaker, circuitBreaker, handleAll, wrap } = cockatiel;
      const circuit = circuitBreaker(handleAll, { halfOpenAfter: 5000, breaker: new ConsecutiveBreaker(10) });
      return { fn, policy: wrap(ofCockatiel(cockatiel), circuit) };
    },
  },
];

export const FIELDS = { retries: RETRIES, fetch: FETCHERS, protection: PROTECTED };

/**
 * Imports what a contender needs. `undefined` if a peer does not run here; rejitter must run.
 * @param {Contender} contender
 * @returns {Promise<((fn: any) => Record<string, unknown>) | undefined>} its scope
 */
export async function load({ name, module, scope }) {
  try {
    const imported = module && (await import(module));
    return (fn) => scope(fn, imported);
  } catch (error) {
    if (module?.includes('rejitter')) throw error;
    console.log(`${name} does not run: ${/** @type {Error} */ (error).message.split('\n')[0]}`);
    return undefined;
  }
}
