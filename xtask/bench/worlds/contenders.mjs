// Who calls a service in the worlds: this package, and others with 100 ms doubling, full jitter.

import { StandardRetryStrategy } from '@smithy/util-retry';
import Bottleneck from 'bottleneck';
import {
  ExponentialBackoff,
  SamplingBreaker,
  bulkhead,
  circuitBreaker,
  fullJitterGenerator,
  handleAll,
  retry,
  wrap,
} from 'cockatiel';
import { Layer, ManagedRuntime } from 'effect';
import * as EffectLimiter from 'effect/persistence/RateLimiter';
import CircuitBreaker from 'opossum';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import * as rejitter from 'rejitter';
import * as fetching from 'rejitter/fetch';
import * as protection from 'rejitter/protection';

import { retryWithStrategy } from '../contenders.mjs';
import { once, oursOf } from './ours.mjs';

const BASE_MS = 100;

/** Calls at the same time, where a package bounds nothing else: each takes 20 ms, so one makes 50 a second. */
const AT_ONCE = 1;

/** p-retry around a limit. A response of 429 is a failure, as its documentation has it. */
const retried = (limit) => ({
  fetch: (send, { maxAttempts = 6 } = {}) =>
    pRetry(
      () =>
        limit(async () => {
          const response = await send();
          if (response.ok) return response;
          throw new Error(`status ${response.status}`);
        }),
      { retries: maxAttempts - 1, minTimeout: BASE_MS, randomize: true },
    ),
});

/** resilience4j's `RateLimiter`, by its source: permissions of each second, of which later ones may be reserved. */
function cyclesOf(limit) {
  let [cycle, permissions] = [0, limit];
  return async (fn) => {
    const now = Math.floor(Date.now() / 1000);
    permissions = Math.min(limit, permissions + (now - cycle) * limit);
    cycle = now;
    permissions -= 1;
    const cycles = permissions < 0 ? Math.ceil(-permissions / limit) : 0;
    if (cycles > 0) await new Promise((done) => setTimeout(done, (cycle + cycles) * 1000 - Date.now()));
    return fn();
  };
}

export const CONTENDERS = {
  ...oursOf({ ...rejitter, ...fetching, ...protection }),
  cockatiel() {
    const generator = fullJitterGenerator;
    const backoff = new ExponentialBackoff({ generator, initialDelay: BASE_MS, maxDelay: 30_000 });
    const circuit = circuitBreaker(handleAll, {
      halfOpenAfter: 5000,
      breaker: new SamplingBreaker({ threshold: 0.5, duration: 10_000, minimumRps: 1 }),
    });
    const policies = once(({ maxAttempts }) =>
      maxAttempts === 1 ? circuit : wrap(retry(handleAll, { maxAttempts: maxAttempts - 1, backoff }), circuit),
    );
    return { call: (fn, options) => policies(options).execute(fn) };
  },
  opossum(random) {
    const circuit = new CircuitBreaker(async (fn) => fn(), {
      timeout: false,
      volumeThreshold: 10,
    });
    const retryIf = ({ code }) => code !== 'EOPENBREAKER';
    const policies = once((options) => new rejitter.RetryPolicy({ ...options, random, retryIf }));
    return {
      call: (fn, options) => policies(options).run(() => circuit.fire(fn)),
      stop: () => circuit.shutdown(),
    };
  },
  'bottleneck, p-retry'(_, { perSecond }) {
    const bottleneck = new Bottleneck({ minTime: 1000 / perSecond });
    return retried((fn) => bottleneck.schedule(fn));
  },
  'p-limit, p-retry': () => retried(pLimit(AT_ONCE)),
  'cockatiel, bulkhead'() {
    const generator = fullJitterGenerator;
    const backoff = new ExponentialBackoff({ generator, initialDelay: BASE_MS });
    const policy = wrap(retry(handleAll, { maxAttempts: 5, backoff }), bulkhead(AT_ONCE, Infinity));
    return {
      fetch: (send) =>
        policy.execute(async () => {
          const response = await send();
          if (response.ok) return response;
          throw new Error(`status ${response.status}`);
        }),
    };
  },
  'effect, p-retry'(_, { perSecond }) {
    const layer = Layer.provide(EffectLimiter.layer, EffectLimiter.layerStoreMemory);
    const runtime = ManagedRuntime.make(layer);
    const limiter = runtime.runSync(EffectLimiter.RateLimiter);
    const rate = { key: 'api', window: 1000, limit: perSecond, algorithm: 'token-bucket' };
    return retried(async (fn) => {
      await runtime.runPromise(EffectLimiter.sleep(limiter, rate));
      return fn();
    });
  },
  "resilience4j's rule, p-retry": (_, { perSecond }) => retried(cyclesOf(perSecond)),
  'AWS tokens'() {
    const strategy = new StandardRetryStrategy({ maxAttempts: 4, baseDelay: BASE_MS });
    return { call: (fn, { maxAttempts }) => retryWithStrategy(strategy, fn, maxAttempts) };
  },
};
