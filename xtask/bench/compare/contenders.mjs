// The packages of docs/comparison.md, each called in its own words.

import asyncRetry from 'async-retry';
import axios from 'axios';
import axiosRetry, { exponentialDelay } from 'axios-retry';
import * as cockatiel from 'cockatiel';
import { Effect, Schedule } from 'effect';
import ky from 'ky';
import pRetry from 'p-retry';
import { retry } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import * as light from 'rejitter/light';
import * as lightFetch from 'rejitter/light/fetch';

const URL = 'http://x.test/';

/**
 * Up to `attempts` calls of a function, with the package's own jitter. An option that `knows` does not name is one that
 * the package does not have.
 * @typedef {object} Options
 * @property {number} attempts
 * @property {number} baseMs
 * @property {number} capMs
 * @property {AbortSignal} [signal]
 * @property {number} [attemptMs]
 * @property {number} [totalMs]
 *
 * @typedef {object} Contender
 * @property {(fn: () => Promise<unknown>, options: Options) => Promise<unknown>} run
 * @property {('signal' | 'attemptMs' | 'totalMs')[]} knows
 * @property {(fetch: typeof globalThis.fetch) => (init: any) => Promise<unknown>} [client] sends up to three requests
 *   by the package's own rules
 */

/**
 * A `fetch` that calls the function, and gives up when its signal says so.
 * @param {() => Promise<unknown>} fn
 * @returns {any}
 */
const fetchOf = (fn) => async (/** @type {any} */ input, /** @type {RequestInit | undefined} */ init) => {
  const signal = init?.signal ?? input.signal;
  const aborted = new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
  return new Response(String(await Promise.race([fn(), aborted])));
};

/** @param {typeof retry | typeof light.retry} run @returns {Contender['run']} */
const ours =
  (run) =>
  (fn, { attempts, attemptMs, totalMs, ...rest }) =>
    run(fn, { maxAttempts: attempts, attemptTimeoutMs: attemptMs, totalTimeoutMs: totalMs, ...rest });

/** @type {Record<string, Contender>} */
export const CONTENDERS = {
  rejitter: {
    run: ours(retry),
    knows: ['signal', 'attemptMs', 'totalMs'],
    client: (fetch) => {
      const send = createFetch({ maxAttempts: 3 }, fetch);
      return (init) => send(URL, init);
    },
  },
  'rejitter/light': {
    run: ours(light.retry),
    knows: ['signal', 'attemptMs', 'totalMs'],
    client: (fetch) => {
      const send = lightFetch.createFetch({ maxAttempts: 3 }, fetch);
      return (init) => send(URL, init);
    },
  },
  'p-retry': {
    run: (fn, { attempts, baseMs, capMs, signal, totalMs }) =>
      pRetry(fn, {
        retries: attempts - 1,
        minTimeout: baseMs,
        maxTimeout: capMs,
        randomize: true,
        signal,
        maxRetryTime: totalMs,
      }),
    knows: ['signal', 'totalMs'],
  },
  cockatiel: {
    run: (fn, { attempts, baseMs, capMs, signal, attemptMs, totalMs }) => {
      const backoff = new cockatiel.ExponentialBackoff({ initialDelay: baseMs, maxDelay: capMs });
      const limit = (/** @type {number | undefined} */ ms) =>
        ms === undefined ? [] : [cockatiel.timeout(ms, cockatiel.TimeoutStrategy.Aggressive)];
      const retries = cockatiel.retry(cockatiel.handleAll, { maxAttempts: attempts - 1, backoff });
      return cockatiel.wrap(...limit(totalMs), retries, ...limit(attemptMs)).execute(fn, signal);
    },
    knows: ['signal', 'attemptMs', 'totalMs'],
  },
  ky: {
    run: (fn, { attempts, baseMs, capMs, signal, attemptMs, totalMs }) =>
      ky(URL, {
        fetch: fetchOf(fn),
        retry: {
          limit: attempts - 1,
          delay: (/** @type {number} */ k) => baseMs * 2 ** (k - 1),
          backoffLimit: capMs,
          jitter: true,
          shouldRetry: () => true,
          retryOnTimeout: true,
        },
        signal,
        timeout: attemptMs ?? false,
        totalTimeout: totalMs ?? false,
      }),
    knows: ['signal', 'attemptMs', 'totalMs'],
    client: (fetch) => (init) => ky(URL, { fetch, timeout: false, retry: { limit: 2 }, ...init }),
  },
  'axios-retry': {
    run: (fn, { attempts, baseMs, signal, attemptMs }) => {
      const client = axios.create({
        adapter: 'fetch',
        env: { fetch: fetchOf(fn) },
        timeout: attemptMs,
        signal,
      });
      axiosRetry(client, {
        retries: attempts - 1,
        retryDelay: (/** @type {number} */ k, /** @type {Error} */ error) => exponentialDelay(k, error, baseMs / 2),
        retryCondition: () => true,
        shouldResetTimeout: true,
      });
      return client.get(URL);
    },
    knows: ['signal', 'attemptMs'],
    client: (fetch) => {
      const client = axios.create({ adapter: 'fetch', env: { fetch } });
      axiosRetry(client, { retries: 2, retryDelay: exponentialDelay });
      return ({ body, ...init }) => client.request({ url: URL, data: body, ...init });
    },
  },
  'async-retry': {
    run: (fn, { attempts, baseMs, capMs, totalMs }) =>
      asyncRetry(fn, { retries: attempts - 1, minTimeout: baseMs, maxTimeout: capMs, maxRetryTime: totalMs }),
    knows: ['totalMs'],
  },
  effect: {
    run: (fn, { attempts, baseMs, capMs, signal, attemptMs, totalMs }) => {
      const limit = (/** @type {number | undefined} */ ms) => (/** @type {any} */ effect) =>
        ms === undefined ? effect : Effect.timeout(effect, ms);
      const schedule = Schedule.jittered(Schedule.min([Schedule.exponential(baseMs), Schedule.spaced(capMs)]));
      const attempt = limit(attemptMs)(Effect.tryPromise({ try: fn, catch: (/** @type {unknown} */ error) => error }));
      const retries = Effect.retry(attempt, { schedule, times: attempts - 1 });
      return Effect.runPromise(limit(totalMs)(retries), { signal });
    },
    knows: ['signal', 'attemptMs', 'totalMs'],
  },
};
