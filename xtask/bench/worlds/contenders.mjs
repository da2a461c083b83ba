// The callers of a service in the worlds: four attempts, 100 ms doubling, full jitter; and what may hold it back.

import { StandardRetryStrategy } from '@smithy/util-retry';
import {
  ExponentialBackoff,
  SamplingBreaker,
  circuitBreaker,
  fullJitterGenerator,
  handleAll,
  retry,
  wrap,
} from 'cockatiel';
import CircuitBreaker from 'opossum';
import { RetryPolicy } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import { breaker, budget, cooldown, protect } from 'rejitter/protection';

import { retryWithStrategy } from '../contenders.mjs';

export const ATTEMPTS = 4;
const BASE_MS = 100;

/**
 * One process. `limited` takes a function that sends a request, for worlds with 429s; without it, those are left out.
 * @typedef {object} Contender
 * @property {(fn: () => Promise<unknown>, attempts?: number) => Promise<unknown>} call
 * @property {(send: () => Promise<Response>) => Promise<Response>} [limited]
 * @property {() => void} [stop]
 */

/**
 * Each policy is made once.
 * @template T
 * @param {(attempts: number) => T} make
 */
function byAttempts(make) {
  /** @type {Map<number, T>} */
  const made = new Map();
  return (/** @type {number} */ attempts) => {
    const policy = made.get(attempts) ?? make(attempts);
    made.set(attempts, policy);
    return policy;
  };
}

/** @param {() => any} protection @returns {(random: () => number) => Contender} */
const ours = (protection) => (random) => {
  const options = { random, protection: protection() };
  const policies = byAttempts((maxAttempts) => new RetryPolicy({ ...options, maxAttempts }));
  /** @type {() => Promise<Response>} */
  let send;
  const fetch = createFetch(options, /** @type {any} */ (() => send()));
  return {
    call: (fn, attempts = ATTEMPTS) => policies(attempts).run(fn),
    limited: (sends) => {
      send = sends;
      return fetch('https://api.test/');
    },
  };
};

/** @type {Record<string, (random: () => number) => Contender>} */
export const CONTENDERS = {
  'no protection': ours(() => undefined),
  'breaker()': ours(() => protect(breaker())),
  'all three': ours(() => protect(budget(), breaker(), cooldown())),
  cockatiel() {
    const generator = fullJitterGenerator;
    const backoff = new ExponentialBackoff({ generator, initialDelay: BASE_MS, maxDelay: 30_000 });
    const circuit = circuitBreaker(handleAll, {
      halfOpenAfter: 5000,
      breaker: new SamplingBreaker({ threshold: 0.5, duration: 10_000, minimumRps: 1 }),
    });
    const policies = byAttempts((attempts) => wrap(retry(handleAll, { maxAttempts: attempts - 1, backoff }), circuit));
    return { call: (fn, attempts = ATTEMPTS) => (attempts === 1 ? circuit : policies(attempts)).execute(fn) };
  },
  opossum(random) {
    /** @type {any} */
    const circuit = new CircuitBreaker(async (/** @type {() => unknown} */ fn) => fn(), {
      timeout: false,
      volumeThreshold: 10,
    });
    const retryIf = (/** @type {any} */ { code }) => code !== 'EOPENBREAKER';
    const policies = byAttempts((maxAttempts) => new RetryPolicy({ maxAttempts, random, retryIf }));
    return {
      call: (fn, attempts = ATTEMPTS) => policies(attempts).run(() => circuit.fire(fn)),
      stop: () => circuit.shutdown(),
    };
  },
  'AWS tokens'() {
    const strategy = new StandardRetryStrategy({ maxAttempts: ATTEMPTS, baseDelay: BASE_MS });
    return { call: (fn, attempts) => retryWithStrategy(strategy, fn, attempts ?? ATTEMPTS) };
  },
};
