// The pages of docs/migration, run: how a cell of their tables is, with the other package or with rejitter.

import assert from 'node:assert/strict';

import asyncRetry from 'async-retry';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import * as cockatiel from 'cockatiel';
import { backOff } from 'exponential-backoff';
import fetchRetry from 'fetch-retry';
import got from 'got';
import ky from 'ky';
import CircuitBreaker from 'opossum';
import pRetry, { AbortError, makeRetriable } from 'p-retry';

import { importEntry } from '../../package/lib/consumer.mjs';
import { importFetch, serving } from '../../package/lib/fetching.mjs';
import { documents, evaluate } from '../../package/lib/readers.mjs';
import { importAll } from '../../package/protection/entry.mjs';
import { still } from './pasted.mjs';

const { RetryPolicy, permanent, retry } = await importAll();
const { createFetch } = await importFetch();
const presets = await importEntry('presets');

export const page = (name) => documents.get(`docs/migration/${/^(ky|got)$/.test(name) ? 'ky-got' : name}.md`);

/** Describes how a promise settled. */
const settled = (promise) =>
  promise.then(
    (value) => `resolved with ${value?.status ?? value}`,
    ({ message, response }) =>
      /timed out|timeout of/.test(message)
        ? 'rejected with a timeout'
        : `rejected with ${response?.status ?? response?.statusCode ?? message}`,
  );

export const ADDRESS = 'https://example.com/users/7';
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

let answer;
export const { server } = serving((request, response) => answer(request, response));

/**
 * A function, a fetch and a server that answer with these statuses, the last again and again, and note when. A `silent`
 * fetch answers nothing, and a status of 0 is a failure of the network.
 */
export function world(clock, { statuses, headers = {}, method = 'GET', silent = false }) {
  const calls = { times: [], log: [] };
  const next = () => statuses[Math.min(calls.times.push(clock.now), statuses.length) - 1];
  const fn = async () => {
    const status = next();
    if (status !== 200) throw Object.assign(new Error(`status ${status}`), { status });
    return { status, name: 'Ada' };
  };
  const fetch = async (input, init) => {
    const status = next();
    if (silent) {
      const { signal } = init?.signal ? init : input;
      return new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
    }
    if (status === 0) throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
    return new Response('{"name":"Ada"}', { status, headers });
  };
  answer = (_, response) => response.writeHead(next(), headers).end('{"name":"Ada"}');
  return { calls, next, fn, fetch, method, silent, log: (...args) => calls.log.push(args.map(String)) };
}

/** Whether the callback `f` of a cell is the function that is retried. */
export const isRetried = (code) => /^(pRetry|retry|policy\.(execute|run))\(f[,)]/.test(code);

/** Between attempts, in the tables of callbacks. */
export const WAIT_MS = 100;

/** Calls a function three times, whatever becomes of it; what the last call rejects with is the end. */
export async function threeTimes(call) {
  for (let i = 0; i < 2; i++) {
    await call().catch(() => {});
    await sleep(WAIT_MS);
  }
  return call();
}

/**
 * Runs a cell. It holds options, statements that the function meets in its second attempt, or an expression: a promise,
 * the retrying function, a circuit, or a listener of the policy. A callback `f` of the cell does `act`.
 */
export function runCell(code, { base, run, names }, answers, act) {
  return still(
    async (clock) => {
      const it = world(clock, answers);
      const { calls, next, fn, log } = it;
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error('stopped')), 250);
      const told = { at: [], args: undefined };
      const value = () => (/[dD]elay|backoff/.test(code) ? WAIT_MS : !/prepare/.test(code) || undefined);
      const f = (...args) => {
        told.at.push(clock.now);
        told.args ??= args;
        return act(isRetried(code) ? fn : value);
      };
      const known = {
        ...{ f, fn, log, sleep, options: base, signal: controller.signal, error: new Error('the end'), url: ADDRESS },
        refresh: async () => log('refresh'),
        hang: () => new Promise(() => void next()),
        count: async () => calls.times.push(clock.now),
        ...names(it, base),
      };
      const outcome = () => {
        if (code.startsWith('{')) return run(it, { ...base, ...evaluate(code, known) });
        if (/^throw|;/.test(code)) {
          const statements = evaluate(`async (bail) => { ${code} }`, known);
          return run({ ...it, fn: (bail) => (calls.times.length === 1 && next() ? statements(bail) : fn()) }, base);
        }
        const value = evaluate(code, known);
        if (value instanceof CircuitBreaker) return threeTimes(() => value.fire());
        if (typeof value === 'function') return value();
        return typeof value.then === 'function' ? value : known.policy.execute(fn);
      };
      const ended = await Promise.race([settled(outcome()), sleep(60_000)]);
      const endMs = clock.now;
      if (act) await sleep(WAIT_MS);
      known.circuit?.shutdown();
      return { ...calls, outcome: ended, ...(act && { told, endMs }) };
    },
    answers.draw,
    answers.graceMs,
  );
}

/** The third attempt fails with 404, the twelfth succeeds. */
const FAILURES = [503, 503, 404, ...Array(8).fill(503), 200];
/** The draws of both come from `Math.random`, which a test sets. */
const draws = { random: () => Math.random() };

/** A page about functions: `base` has the options that the rows of both sides assume. */
const functions = (base, run, names = () => ({})) => {
  const own = (fn, options) => retry(fn, { ...draws, ...options });
  const now = { base: { jitter: 'none', ...base.now }, run: ({ fn }, options) => own(fn, options) };
  const known = (_, options) => ({ retry: own, permanent, presets, RetryPolicy, policy: new RetryPolicy(options) });
  return { old: { base: base.old, run, names }, now: { ...now, names: known }, statuses: FAILURES };
};
/** A page about requests. `send` sends one with our fetch. */
const requests = (base, run, send, names = () => ({})) => {
  const fetchOf = ({ fetch }, options = base.now) => createFetch({ ...draws, ...options }, fetch);
  const now = { base: base.now, run: (it, options) => send(fetchOf(it, options), it) };
  const known = (it) => ({ fetch: fetchOf(it) });
  return { old: { base: base.old, run, names }, now: { ...now, names: known }, statuses: [503] };
};
const sendAlone = (fetch, { method }) => fetch(ADDRESS, { method });

axios.defaults.adapter = 'fetch';
export const axiosWith = (fetch, silent) => axios.create({ env: { fetch }, timeout: silent ? 1000 : 0 });
const fetchRetryOf = ({ fetch }, options) => fetchRetry(fetch, { retryOn: [503], ...options });
const noise = { type: 'additive', maxMs: 100 };
export const constant = { maxAttempts: 4, backoff: new cockatiel.ConstantBackoff(100) };
const cockatielOf = (options) => cockatiel.retry(cockatiel.handleAll, options);

export const PAGES = {
  'p-retry': functions(
    { old: { retries: 4, minTimeout: 100 }, now: { maxAttempts: 5, baseMs: 100, capMs: Infinity } },
    ({ fn }, options) => pRetry(fn, options),
    () => ({ pRetry, AbortError, makeRetriable }),
  ),
  'async-retry': functions(
    { old: { retries: 4, minTimeout: 100, randomize: false }, now: { maxAttempts: 5, baseMs: 100, capMs: Infinity } },
    ({ fn }, options) => asyncRetry(fn, options),
    () => ({ retry: asyncRetry }),
  ),
  'exponential-backoff': functions(
    { old: { numOfAttempts: 5 }, now: { maxAttempts: 5, capMs: Infinity } },
    ({ fn }, options) => backOff(fn, options),
  ),
  cockatiel: functions(
    { old: constant, now: { maxAttempts: 5, backoff: 'fixed' } },
    ({ fn }, options) => cockatielOf(options).execute(fn),
    (_, options) => ({
      ...{ ...cockatiel, aggressive: cockatiel.TimeoutStrategy.Aggressive, policy: cockatielOf(options) },
    }),
  ),
  'axios-retry': requests(
    { old: { retries: 3 }, now: { maxAttempts: 4, baseMs: 0, capMs: Infinity, jitter: 'none' } },
    ({ fetch, silent, method }, options) => {
      const client = axiosWith(fetch, silent);
      // Its documentation says that a timeout is retried only if a condition says so.
      axiosRetry(client, { ...(silent && { retryCondition: () => true }), ...options });
      return client.request({ url: ADDRESS, method });
    },
    (fetch, { method }) => axiosWith(fetch).request({ url: ADDRESS, method }),
    () => ({ axiosRetry }),
  ),
  'fetch-retry': requests(
    { old: {}, now: { maxAttempts: 4, backoff: 'fixed', baseMs: 1000, jitter: 'none' } },
    (it, options) => fetchRetryOf(it, options)(ADDRESS),
    sendAlone,
    (it) => ({ fetch: fetchRetryOf(it) }),
  ),
  ky: requests(
    { old: { limit: 2 }, now: { maxAttempts: 3, baseMs: 300, capMs: Infinity, jitter: 'none' } },
    ({ fetch, silent, method }, retry) => ky(ADDRESS, { fetch, method, timeout: silent ? 1000 : false, retry }),
    (fetch, { method }) => ky(ADDRESS, { fetch, method, timeout: false, retry: 0 }),
  ),
  got: requests(
    { old: { limit: 3 }, now: { maxAttempts: 4, baseMs: 1000, capMs: Infinity, jitter: noise, throwOnStatus: true } },
    ({ method }, retry) => got(server().origin, { method, retry }),
    sendAlone,
  ),
};

/** Asserts that attempts were made at the same times. Some round fractions of a millisecond down, others up. */
export function sameTimes(actual, expected) {
  const same = actual.length === expected.length && actual.every((time, i) => Math.abs(time - expected[i]) <= i);
  assert.ok(same, `attempts at ${actual} instead of ${expected}`);
}
