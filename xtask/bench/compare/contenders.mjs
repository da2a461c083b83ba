// The packages of docs/comparison.md, each called as its own documentation says, at its best: with the jitter that
// spreads most, where there is a choice.

import asyncRetry from 'async-retry';
import axios from 'axios';
import axiosRetry, { exponentialDelay } from 'axios-retry';
import * as cockatiel from 'cockatiel';
import { Effect, Layer, ManagedRuntime, Queue, Schedule, Stream } from 'effect';
import * as EffectBreaker from 'effect/persistence/CircuitBreaker';
import { backOff } from 'exponential-backoff';
import fetchRetry from 'fetch-retry';
import got from 'got';
import ky from 'ky';
import * as attempt from '@lifeomic/attempt';
import * as ofetch from 'ofetch';
import CircuitBreaker from 'opossum';
import pRetry, { AbortError } from 'p-retry';
import ReconnectingWebSocket from 'reconnecting-websocket';
import { RetryPolicy, retry } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import * as light from 'rejitter/light';
import * as lightFetch from 'rejitter/light/fetch';
import { breaker, budget, cooldown, protect } from 'rejitter/protection';
import { closeError, keepConnected } from 'rejitter/reconnect';
import * as rx from 'rxjs';
import { StandardRetryStrategy } from '@smithy/util-retry';
import { RetryAgent, request } from 'undici';

import { retryWithStrategy } from '../contenders.mjs';
import { FetchDispatcher, FetchRequest } from './adapters.mjs';
import { LIMITERS } from './limiters.mjs';

/**
 * What a function receives: the number of its attempt, from 1, and a signal, if the package passes them. It may tell of
 * its progress, where the package has words for that.
 * @typedef {(attempt: { attempt?: number, signal?: AbortSignal, alive?: () => void, progress?: () => void,
 *   commit?: () => void }) => unknown} Fn
 *
 * Up to `attempts` calls of a function, whose waits double from `baseMs` to `capMs`.
 * @typedef {object} Options
 * @property {number} [attempts]
 * @property {number} [baseMs]
 * @property {number} [capMs]
 * @property {boolean} [jitter]
 * @property {AbortSignal} [signal]
 * @property {number} [attemptMs] for each attempt, which is then retried
 * @property {number} [idleMs] in which an attempt has to give a sign of life
 * @property {number} [totalMs] for all of them
 * @property {(error: unknown) => boolean} [retryIf]
 * @property {() => unknown} [onRetry]
 *
 * The words in `knows` are what a package offers, by its documentation. A case may need some of them.
 * @typedef {object} Contender
 * @property {string} code an app's import of what the cases use
 * @property {'node'} [platform] where it needs modules of Node
 * @property {string} knows
 * @property {(options: Options) => Record<string, any>} [options] in its own words
 * @property {(fn: Fn, options: Record<string, any>) => Promise<unknown>} [call]
 * @property {(fetch: any, options: { attempts?: number, attemptMs?: number }) => (url: any, init?: any) =>
 *   Promise<any>} [client] a client over a fetch
 * @property {() => (fn: () => Promise<unknown>, signal?: AbortSignal) => Promise<unknown>} [guard] a protection,
 *   through which operations of up to four attempts go, 10 ms apart; a circuit opens after five failures, for about a
 *   second
 * @property {(options: import('./limiters.mjs').Limits) => import('./limiters.mjs').Limited} [limit]
 * @property {(Socket: any) => () => void} [connect] opens a connection that stays; returns what closes it
 */

const ALL = 'options attempt signal passed attemptMs totalMs interrupts retryIf';

/** Without what is undefined. */
const set = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

const ours = ({ attempts, attemptMs, totalMs, jitter, ...rest }) => ({
  ...{ maxAttempts: attempts, attemptTimeoutMs: attemptMs, totalTimeoutMs: totalMs },
  ...{ jitter: jitter === false ? 'none' : undefined, ...rest },
});

const own = (code, call, more) => ({ code, knows: `${ALL} onRetry`, options: ours, call, ...more });

const FUNCTIONS = {
  light: own(`export { retry } from 'rejitter/light';`, light.retry, {
    knows: ALL,
    options: ({ onRetry, ...rest }) => ours(rest),
  }),
  retry: own(`export { retry } from 'rejitter';`, retry),
  RetryPolicy: own(`export { RetryPolicy } from 'rejitter';`, (fn, options) => new RetryPolicy(options).run(fn)),
  'p-retry': {
    code: `export { default, AbortError } from 'p-retry';`,
    // "An attempt that is already running is not interrupted."
    knows: 'options attempt signal totalMs retryIf onRetry',
    options: ({ attempts = 11, baseMs, capMs, jitter = true, signal, totalMs, retryIf, onRetry }) =>
      set({
        ...{ retries: attempts - 1, minTimeout: baseMs, maxTimeout: capMs, randomize: jitter, signal },
        ...{ maxRetryTime: totalMs, onFailedAttempt: onRetry },
        shouldRetry: retryIf && (({ error }) => retryIf(error)),
      }),
    call: (fn, options) => pRetry((n) => fn({ attempt: n }), options),
  },
  cockatiel: {
    code: `export { ExponentialBackoff, fullJitterGenerator, handleWhen, retry, timeout, wrap } from 'cockatiel';`,
    knows: `${ALL} onRetry`,
    options: ({ attempts = Infinity, baseMs, capMs, jitter, ...rest }) => ({
      maxAttempts: attempts - 1,
      backoff: new cockatiel.ExponentialBackoff({
        ...{ initialDelay: baseMs, maxDelay: capMs },
        generator: jitter === false ? cockatiel.noJitterGenerator : cockatiel.fullJitterGenerator,
      }),
      ...rest,
    }),
    call: (fn, { attemptMs, totalMs, signal, retryIf = () => true, onRetry, ...options }) => {
      const limit = (ms) => (ms === undefined ? [] : [cockatiel.timeout(ms, cockatiel.TimeoutStrategy.Aggressive)]);
      const retries = cockatiel.retry(cockatiel.handleWhen(retryIf), options);
      if (onRetry) retries.onRetry(onRetry);
      const policy = cockatiel.wrap(...limit(totalMs), retries, ...limit(attemptMs));
      return policy.execute((it) => fn({ ...it, attempt: it.attempt + 1 }), signal);
    },
  },
  'exponential-backoff': {
    code: `export { backOff } from 'exponential-backoff';`,
    knows: 'options retryIf onRetry',
    options: ({ attempts, baseMs, capMs, jitter, retryIf = () => true, onRetry }) =>
      set({
        ...{ numOfAttempts: attempts, startingDelay: baseMs, maxDelay: capMs, timeMultiple: 2 },
        jitter: jitter === false ? 'none' : 'full',
        retry: async (error) => {
          await onRetry?.();
          return retryIf(error);
        },
      }),
    call: (fn, options) => backOff(async () => fn({}), options),
  },
  'async-retry': {
    code: `export { default } from 'async-retry';`,
    knows: 'options attempt totalMs interrupts retryIf onRetry',
    options: ({ attempts = 11, baseMs, capMs, jitter = true, totalMs, retryIf, onRetry }) =>
      set({
        ...(attempts === Infinity ? { forever: true } : { retries: attempts - 1 }),
        ...{ minTimeout: baseMs, maxTimeout: capMs, randomize: jitter, maxRetryTime: totalMs, onRetry, retryIf },
      }),
    // "403: don't retry" of its README: bail, then return.
    call: (fn, { retryIf = () => true, ...options }) =>
      asyncRetry(async (bail, n) => {
        try {
          return await fn({ attempt: n });
        } catch (error) {
          if (retryIf(error)) throw error;
          return bail(error);
        }
      }, options),
  },
  '@lifeomic/attempt': {
    code: `export { retry } from '@lifeomic/attempt';`,
    // Its `timeout` is that of an attempt, and ends all of them.
    knows: 'options attempt retryIf onRetry',
    options: ({ attempts = 3, baseMs, capMs, jitter = true, retryIf = () => true, onRetry }) =>
      set({
        ...{ maxAttempts: attempts === Infinity ? 0 : attempts, delay: baseMs, factor: 2, maxDelay: capMs, jitter },
        handleError: async (error, context) => {
          await onRetry?.();
          if (!retryIf(error)) context.abort();
        },
      }),
    call: (fn, options) => attempt.retry(({ attemptNum }) => fn({ attempt: attemptNum + 1 }), options),
  },
  effect: {
    code: `
      import { Effect, Queue, Schedule, Stream } from 'effect';
      const waits = Schedule.jittered(Schedule.min([Schedule.exponential(100), Schedule.spaced(10_000)]));
      export const retry = (fn, signal) => Effect.runPromise(
        Effect.timeout(Effect.retry(Effect.timeout(Effect.tryPromise(fn), 1000), { schedule: waits, times: 5 }), 9000),
        { signal });`,
    knows: 'signal passed attemptMs totalMs interrupts retryIf onRetry',
    options: (options) => options,
    call: (fn, { attempts = 11, baseMs = 100, capMs = 1000, jitter, signal, attemptMs, totalMs, retryIf, onRetry }) => {
      const limit = (ms) => (effect) => (ms === undefined ? effect : Effect.timeout(effect, ms));
      const waits = Schedule.min([Schedule.exponential(baseMs), Schedule.spaced(capMs)]);
      const schedule = jitter === false ? waits : Schedule.jittered(waits);
      const once = Effect.tryPromise({
        try: async (signal) => fn({ signal }),
        catch: (error) => error,
      });
      const told = onRetry ? Effect.tapError(once, () => Effect.promise(async () => onRetry())) : once;
      const retries = Effect.retry(limit(attemptMs)(told), set({ schedule, times: attempts - 1, while: retryIf }));
      return Effect.runPromise(limit(totalMs)(retries), { signal });
    },
  },
};

/** An attempt is a stream, whose items are signs of life and progress. The words are kept for one operation. */
const PROGRESS = {
  retry: own(`export { retry } from 'rejitter';`, retry, {
    knows: 'progress alive idle commit totalMs',
    options: ({ idleMs, ...rest }) => ours({ idleTimeoutMs: idleMs, ...rest }),
  }),
  'p-retry': {
    code: `export { default, AbortError } from 'p-retry';`,
    knows: 'progress commit totalMs',
    options: FUNCTIONS['p-retry'].options,
    call: (fn, options) => {
      let gained = false;
      let committed = false;
      const once = async (attempt) => {
        gained = false;
        try {
          return await fn({ attempt, progress: () => (gained = true), commit: () => (committed = true) });
        } catch (error) {
          throw committed ? new AbortError(error) : error;
        }
      };
      return pRetry(once, { ...options, shouldConsumeRetry: () => !gained });
    },
  },
  effect: {
    code: `
      import { Effect, Queue, Schedule, Stream } from 'effect';
      const waits = Schedule.jittered(Schedule.min([Schedule.exponential(100), Schedule.spaced(10_000)]));
      export const retry = (fn) => Effect.runPromise(Stream.runDrain(Stream.retry(Stream.timeoutOrElse(
        Stream.callback((queue) => Effect.tryPromise(() => fn(queue)).pipe(Effect.ensuring(Queue.end(queue)))),
        { duration: 1000, orElse: () => Stream.fail('silent') }), Schedule.max([waits, Schedule.recurs(5)]))));`,
    knows: 'progress alive idle commit totalMs',
    options: (options) => options,
    call: async (fn, { attempts = 11, baseMs = 100, capMs = 1000, idleMs, totalMs }) => {
      let committed = false;
      let value;
      const once = Stream.callback((queue) => {
        const heard = () => void Queue.offerUnsafe(queue, 'heard');
        const words = { alive: heard, progress: heard, commit: () => (committed = true) };
        const run = async (signal) => {
          value = await fn({ signal, ...words });
          Queue.endUnsafe(queue);
        };
        return Effect.tryPromise({ try: run, catch: (error) => error });
      });
      const silent = { duration: idleMs, orElse: () => Stream.fail(new Error('silent')) };
      const waits = Schedule.min([Schedule.exponential(baseMs), Schedule.spaced(capMs)]);
      const schedule = Schedule.while(Schedule.max([waits, Schedule.recurs(attempts - 1)]), () => !committed);
      const all = Stream.runDrain(
        Stream.retry(idleMs === undefined ? once : Stream.timeoutOrElse(once, silent), schedule),
      );
      await Effect.runPromise(totalMs === undefined ? all : Effect.timeout(all, totalMs));
      return value;
    },
  },
  rxjs: {
    code: `export { Observable, lastValueFrom, retry, takeUntil, throwError, timeout, timer } from 'rxjs';`,
    knows: 'progress alive idle commit totalMs',
    options: (options) => options,
    call: (fn, { attempts = Infinity, baseMs = 100, capMs = 1000, idleMs, totalMs }) => {
      let committed = false;
      const once = new rx.Observable((subscriber) => {
        const aborter = new AbortController();
        const heard = () => subscriber.next();
        const words = { alive: heard, progress: heard, commit: () => (committed = true) };
        const end = (value) => {
          subscriber.next(value);
          subscriber.complete();
        };
        (async () => fn({ signal: aborter.signal, ...words }))().then(end, (error) => subscriber.error(error));
        return () => aborter.abort();
      });
      const wait = (count) => rx.timer(Math.min(capMs, baseMs * 2 ** (count - 1)));
      const delay = (error, count) => (committed ? rx.throwError(() => error) : wait(count));
      const limited = idleMs === undefined ? once : once.pipe(rx.timeout({ each: idleMs }));
      const retried = limited.pipe(rx.retry({ count: attempts - 1, delay, resetOnSuccess: true }));
      return rx.lastValueFrom(totalMs === undefined ? retried : retried.pipe(rx.takeUntil(rx.timer(totalMs))));
    },
  },
};

const STATUSES = [408, 425, 429, 500, 502, 503, 504];

const fetching = (code, create) => ({
  code,
  knows: 'retryAfter request attemptMs',
  client: (fetch, { attempts, attemptMs }) => create({ maxAttempts: attempts, attemptTimeoutMs: attemptMs }, fetch),
});

const FETCHES = {
  'light/fetch': fetching(`export { createFetch } from 'rejitter/light/fetch';`, lightFetch.createFetch),
  createFetch: fetching(`export { createFetch } from 'rejitter/fetch';`, createFetch),
  ky: {
    code: `export { default } from 'ky';`,
    knows: 'retryAfter request attemptMs streams',
    client:
      (fetch, { attempts = 3, attemptMs = false }) =>
      (url, init) => {
        const retry = { limit: attempts - 1, retryOnTimeout: true, jitter: true };
        return ky(url, { fetch, timeout: attemptMs, retry, ...init });
      },
  },
  'axios-retry': {
    code: `export { default, exponentialDelay } from 'axios-retry';`,
    knows: 'retryAfter attemptMs',
    client: (fetch, { attempts = 4, attemptMs }) => {
      const client = axios.create({ adapter: 'fetch', env: { fetch }, timeout: attemptMs });
      const more = attemptMs ? { shouldResetTimeout: true, retryCondition: () => true } : {};
      axiosRetry(client, { retries: attempts - 1, retryDelay: exponentialDelay, ...more });
      return (url, { body, ...init } = {}) => client.request({ url, data: body, ...init });
    },
  },
  'fetch-retry': {
    code: `export { default } from 'fetch-retry';`,
    knows: 'request',
    client: (fetch, { attempts = 4 }) => {
      const retryDelay = (n) => 300 * 2 ** n;
      return fetchRetry(fetch, { retries: attempts - 1, retryOn: STATUSES, retryDelay });
    },
  },
  ofetch: {
    code: `export { createFetch } from 'ofetch';`,
    knows: 'request attemptMs',
    client: (fetch, { attempts, attemptMs }) => {
      const defaults = set({ retry: attempts && attempts - 1, retryDelay: 300, timeout: attemptMs });
      return ofetch.createFetch({ fetch, defaults }).raw;
    },
  },
  got: {
    code: `export { default } from 'got';`,
    platform: 'node',
    knows: 'retryAfter attemptMs',
    client:
      (fetch, { attempts = 3, attemptMs }) =>
      (url, init) =>
        got(url, {
          ...{ request: (to, options) => new FetchRequest(fetch, to, options) },
          ...{ retry: { limit: attempts - 1 }, timeout: set({ request: attemptMs }), ...init },
        }),
  },
  'undici, RetryAgent': {
    code: `export { Agent, RetryAgent, request } from 'undici';`,
    platform: 'node',
    // Its timeouts are those of the connection, which the fetch replaces here.
    knows: 'retryAfter',
    client: (fetch, { attempts = 6 }) => {
      const dispatcher = new RetryAgent(new FetchDispatcher(fetch), { maxRetries: attempts - 1 });
      return (url, init) => request(url, { dispatcher, ...init });
    },
  },
};

/** Responses of 503 for a function's failures, which become failures again. */
const overFetch = (protection) => {
  const options = { maxAttempts: 4, baseMs: 10, capMs: 10, protection };
  return async (fn, signal) => {
    let own;
    const send = createFetch(options, async () => {
      try {
        return new Response(String(await fn()));
      } catch (error) {
        signal?.throwIfAborted();
        own = error;
        return new Response('', { status: 503 });
      }
    });
    const response = await send('http://x.test/', { signal });
    if (!response.ok) throw own;
    return response.text();
  };
};

const GUARDS = {
  'RetryPolicy, 3 parts': {
    code: `export { RetryPolicy } from 'rejitter'; export { breaker, budget, cooldown, protect } from 'rejitter/protection';`,
    knows: 'budget circuit signal',
    guard: () => {
      const policy = new RetryPolicy({ maxAttempts: 4, baseMs: 10, capMs: 10, protection: parts() });
      return (fn, signal) => policy.run(fn, { signal });
    },
  },
  'createFetch, 3 parts': {
    code: `export { createFetch } from 'rejitter/fetch'; export { breaker, budget, cooldown, protect } from 'rejitter/protection';`,
    knows: 'budget circuit signal',
    guard: () => overFetch(parts()),
  },
  cockatiel: {
    code: `export { ConsecutiveBreaker, circuitBreaker, handleAll, retry, wrap } from 'cockatiel';`,
    knows: 'circuit signal',
    guard: () => {
      const { ConsecutiveBreaker, ConstantBackoff, circuitBreaker, handleAll, retry, wrap } = cockatiel;
      const circuit = circuitBreaker(handleAll, { halfOpenAfter: 1000, breaker: new ConsecutiveBreaker(5) });
      const policy = wrap(retry(handleAll, { maxAttempts: 3, backoff: new ConstantBackoff(10) }), circuit);
      return (fn, signal) => policy.execute(fn, signal);
    },
  },
  'opossum, p-retry': {
    code: `export { default as CircuitBreaker } from 'opossum'; export { default as pRetry } from 'p-retry';`,
    knows: 'circuit',
    guard: () => {
      const circuit = new CircuitBreaker(async (fn) => fn(), {
        ...{ resetTimeout: 1000, volumeThreshold: 5 },
      });
      const options = { retries: 3, minTimeout: 10, factor: 1 };
      return (fn) =>
        pRetry(async () => {
          try {
            return await circuit.fire(fn);
          } catch (error) {
            throw CircuitBreaker.isOurError(error) ? new AbortError(error) : error;
          }
        }, options);
    },
  },
  effect: {
    code: `
      import { Effect, Layer, ManagedRuntime, Schedule } from 'effect';
      import * as CircuitBreaker from 'effect/persistence/CircuitBreaker';
      const breaker = CircuitBreaker.layer({ tripPolicy: CircuitBreaker.consecutive(5), openDuration: 1000 });
      const runtime = ManagedRuntime.make(Layer.provide(breaker, CircuitBreaker.layerStoreMemory()));
      const { execute } = runtime.runSync(CircuitBreaker.CircuitBreaker);
      export const guarded = (fn, signal) => runtime.runPromise(
        execute({ key: '' })(
          Effect.timeout(Effect.retry(Effect.tryPromise(fn), { schedule: Schedule.spaced(10), times: 3 }), 10_000)),
        { signal });`,
    knows: 'circuit signal',
    // "Put `Effect.retry` and `Effect.timeout` inside it, so it sees one outcome per call."
    guard: () => {
      const breaker = EffectBreaker.layer({ tripPolicy: EffectBreaker.consecutive(5), openDuration: 1000 });
      const runtime = ManagedRuntime.make(Layer.provide(breaker, EffectBreaker.layerStoreMemory()));
      const { execute } = runtime.runSync(EffectBreaker.CircuitBreaker);
      return (fn, signal) => {
        const once = Effect.tryPromise({ try: fn, catch: (error) => error });
        const retries = Effect.retry(once, { schedule: Schedule.spaced(10), times: 3 });
        return runtime.runPromise(execute({ key: '' })(Effect.timeout(retries, 10_000)), { signal });
      };
    },
  },
  '@smithy/util-retry': {
    code: `export { StandardRetryStrategy } from '@smithy/util-retry';`,
    knows: 'budget',
    guard: () => {
      const strategy = new StandardRetryStrategy({ maxAttempts: 4, baseDelay: 10 });
      return (fn) => retryWithStrategy(strategy, fn, 4);
    },
  },
};

const parts = () => protect(budget(), breaker({ consecutiveFailures: 5, openMs: 1000, maxOpenMs: 1000 }), cooldown());

const CONNECTIONS = {
  reconnect: {
    code: `export { closeError, keepConnected } from 'rejitter/reconnect';`,
    knows: 'codes silence',
    connect: (Socket) => {
      const aborter = new AbortController();
      keepConnected(
        ({ opened, alive, signal }) =>
          new Promise((_, reject) => {
            const socket = new Socket();
            signal.addEventListener('abort', () => socket.close());
            socket.addEventListener('open', () => opened({ silenceMs: 20_000 }));
            socket.addEventListener('message', () => alive());
            socket.addEventListener('close', (event) => reject(closeError(event)));
          }),
        { signal: aborter.signal, wakeOn: false },
      ).catch(() => {});
      return () => aborter.abort();
    },
  },
  'reconnecting-websocket': {
    code: `export { default } from 'reconnecting-websocket';`,
    knows: '',
    connect: (Socket) => {
      // Its default, which it draws once per page.
      const minReconnectionDelay = 1000 + 4000 * Math.random();
      const options = { WebSocket: Socket, minReconnectionDelay };
      const socket = new ReconnectingWebSocket('ws://x.test/', [], options);
      return () => socket.close();
    },
  },
};

/** The contenders of each group. */
export const GROUPS = {
  functions: FUNCTIONS,
  progress: PROGRESS,
  fetch: FETCHES,
  protection: GUARDS,
  limits: LIMITERS,
  connections: CONNECTIONS,
};
