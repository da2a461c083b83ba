// Limits of docs/comparison.md: what keeps calls below a quota, each called as its own documentation says.

import Bottleneck from 'bottleneck';
import * as cockatiel from 'cockatiel';
import { Effect, Layer, ManagedRuntime, Schedule, Semaphore } from 'effect';
import * as RateLimiter from 'effect/persistence/RateLimiter';
import pLimit from 'p-limit';
import PQueue from 'p-queue';
import pRetry from 'p-retry';
import { RetryPolicy } from 'rejitter';
import { limiter, protect } from 'rejitter/protection';

/**
 * At most `limit` starts in `perMs`, `burst` of them at once after a pause (1: evenly spaced), at most `concurrency`
 * at the same time, at most `maxQueue` waiting. A call has up to `attempts`, 100 ms apart.
 * @typedef {object} Limits
 * @property {number} [limit]
 * @property {number} [perMs]
 * @property {number} [burst]
 * @property {number} [concurrency]
 * @property {number} [maxQueue]
 * @property {number} [attempts]
 *
 * Calls through the limits. What `fn` rejects with may have `retryAfterMs`: the server asks for a wait.
 * @typedef {(fn: (attempt: { signal?: AbortSignal }) => unknown, signal?: AbortSignal) => Promise<unknown>} Limited
 */

const WAIT_MS = 100;

const PATIENT = { baseMs: WAIT_MS, capMs: WAIT_MS, jitter: 'none', hint: ({ retryAfterMs }) => retryAfterMs };

/** @type {Record<string, import('./contenders.mjs').Contender>} */
export const LIMITERS = {
  'RetryPolicy, limiter': {
    code: `export { RetryPolicy } from 'rejitter'; export { limiter, protect } from 'rejitter/protection';`,
    knows: 'rate burst concurrency queue signal retries retryAfter',
    limit: ({ attempts = 1, limit, perMs = 1000, burst, ...rest }) => {
      // The same rate, in a time in which a burst fits.
      const longer = Math.max(1, (burst ?? 1) / (limit ?? Infinity));
      const rate = limit === undefined ? {} : { limit: limit * longer, perMs: perMs * longer, burst };
      const protection = protect(limiter({ ...rate, ...rest }));
      const policy = new RetryPolicy({ ...PATIENT, maxAttempts: attempts, protection });
      return (fn, signal) => policy.run(fn, { signal });
    },
  },
  bottleneck: {
    code: `export { default } from 'bottleneck';`,
    knows: 'rate burst concurrency queue retries retryAfter',
    limit: ({ limit = Infinity, perMs = 1000, burst = 1, concurrency, maxQueue, attempts = 1 }) => {
      const evenly = { minTime: perMs / limit };
      const refill = { reservoirIncreaseInterval: perMs, reservoirIncreaseAmount: limit };
      const bucket = { reservoir: burst, ...refill, reservoirIncreaseMaximum: burst };
      const queue = { highWater: maxQueue, strategy: Bottleneck.strategy.OVERFLOW };
      const jobs = new Bottleneck({
        ...(burst > 1 ? bucket : evenly),
        ...{ maxConcurrent: concurrency ?? null, ...(maxQueue === undefined ? {} : queue) },
      });
      jobs.on('failed', async (error, { retryCount }) =>
        retryCount < attempts - 1 ? (error.retryAfterMs ?? WAIT_MS) : undefined,
      );
      return (fn) => jobs.schedule(() => fn({}));
    },
  },
  'p-queue, p-retry': {
    code: `export { default } from 'p-queue'; export { default as pRetry } from 'p-retry';`,
    knows: 'rate concurrency signal retries',
    limit: ({ limit = Infinity, perMs = 0, concurrency = Infinity, attempts = 1 }) => {
      const rate = limit === Infinity ? {} : { intervalCap: limit, interval: perMs, strict: true };
      const queue = new PQueue({ ...rate, concurrency });
      const retries = { retries: attempts - 1, minTimeout: WAIT_MS, factor: 1 };
      return (fn, signal) => pRetry(() => queue.add(fn, { signal }), { ...retries, signal });
    },
  },
  'p-limit, p-retry': {
    code: `export { default } from 'p-limit'; export { default as pRetry } from 'p-retry';`,
    knows: 'concurrency retries',
    limit: ({ concurrency = Infinity, attempts = 1 }) => {
      const limited = pLimit(concurrency);
      const retries = { retries: attempts - 1, minTimeout: WAIT_MS, factor: 1 };
      return (fn) => pRetry(() => limited(() => fn({})), retries);
    },
  },
  cockatiel: {
    code: `export { bulkhead, handleAll, retry, wrap } from 'cockatiel';`,
    knows: 'concurrency queue signal retries',
    limit: ({ concurrency = Infinity, maxQueue = Infinity, attempts = 1 }) => {
      const { ConstantBackoff, bulkhead, handleWhen, isBulkheadRejectedError, retry, wrap } = cockatiel;
      const again = handleWhen((error) => !isBulkheadRejectedError(error));
      const retries = retry(again, { maxAttempts: attempts - 1, backoff: new ConstantBackoff(WAIT_MS) });
      const policy = wrap(retries, bulkhead(concurrency, maxQueue));
      return (fn, signal) => policy.execute(fn, signal);
    },
  },
  effect: {
    code: `
      import { Effect, Layer, ManagedRuntime, Schedule, Semaphore } from 'effect';
      import * as RateLimiter from 'effect/persistence/RateLimiter';
      const runtime = ManagedRuntime.make(RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory)));
      const withLimiter = runtime.runSync(RateLimiter.makeWithRateLimiter);
      const places = Semaphore.makeUnsafe(2);
      const limit = withLimiter({ algorithm: 'token-bucket', onExceeded: 'delay', key: '', limit: 1, window: 500 });
      export const limited = (fn, signal) => runtime.runPromise(
        Effect.retry(places.withPermits(1)(limit(Effect.tryPromise(fn))), { schedule: Schedule.spaced(100), times: 5 }),
        { signal });`,
    knows: 'rate burst concurrency signal retries retryAfter',
    limit: ({ limit, perMs = 1000, burst = 1, concurrency, attempts = 1 }) => {
      const runtime = ManagedRuntime.make(RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory)));
      const service = runtime.runSync(RateLimiter.RateLimiter);
      const places = concurrency === undefined ? undefined : Semaphore.makeUnsafe(concurrency);
      // A bucket that holds as many as may start at once, and gets `limit` in `perMs`.
      const bucket = { algorithm: 'token-bucket', key: '', limit: burst, window: (burst * perMs) / (limit ?? 1) };
      const turn = limit === undefined ? Effect.void : RateLimiter.sleep(service, bucket);
      return (fn, signal) => {
        const once = Effect.tryPromise({ try: async (signal) => fn({ signal }), catch: (error) => error });
        const heard = limit === undefined ? once : adaptive(service, once, limit, perMs);
        const started = Effect.andThen(turn, heard);
        const placed = places === undefined ? started : places.withPermits(1)(started);
        const schedule = Schedule.spaced(WAIT_MS);
        return runtime.runPromise(Effect.retry(placed, { schedule, times: attempts - 1 }), { signal });
      };
    },
  },
};

/** As `HttpClient.withRateLimiter` does with a 429: its limiter is told, and asked before each start. */
function adaptive(service, once, limit, perMs) {
  const asked = { key: '', tokens: 1, fallbackLimit: limit, fallbackWindow: perMs };
  const attempt = Effect.flatMap(service.adaptiveConsume(asked), ({ delay, epoch, phase }) => {
    if (phase === 'cooldown') return Effect.andThen(Effect.sleep(delay), attempt);
    const told = Effect.tapError(once, ({ retryAfterMs }) =>
      retryAfterMs === undefined
        ? Effect.void
        : service.adaptiveFeedback({ key: '', epoch, tokens: 1, status: 429, retryAfter: retryAfterMs }),
    );
    return Effect.delay(told, delay);
  });
  return attempt;
}
