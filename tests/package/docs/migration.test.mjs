// The pages of docs/migration. Each row of their tables is run twice on a virtual clock, with the other package and
// with rejitter: both make the same attempts at the same times, unless DIFFERENT says how they differ. So do the two
// blocks at the top of each page. breakers.test.mjs has the tables of breakers.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import asyncRetry from 'async-retry';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import * as cockatiel from 'cockatiel';
import { backOff } from 'exponential-backoff';
import fetchRetry from 'fetch-retry';
import got from 'got';
import ky from 'ky';
import pRetry, { AbortError, makeRetriable } from 'p-retry';

import { importEntry, importPackage } from '../lib/consumer.mjs';
import { importFetch, listen } from '../lib/fetching.mjs';
import { blocks, documents, evaluate, literal, marked, tableIn } from '../lib/readers.mjs';
import { importPasted, still, withGlobals } from '../lib/pasted.mjs';

const { RetryPolicy, isTransientError, permanent, retry } = await importPackage();
const { createFetch } = await importFetch();
const presets = await importEntry('presets');

const page = (name) => documents.get(`docs/migration/${name}.md`);

/** Describes how a promise settled. */
const settled = (promise) =>
  promise.then(
    (value) => `resolved with ${value?.status ?? value}`,
    (error) =>
      /timed out|timeout of/.test(error.message)
        ? 'rejected with a timeout'
        : `rejected with ${error.response?.status ?? error.response?.statusCode ?? error.message}`,
  );

// Functions.

/** The function under retry: throws 503, 503, 404, 503, …, and returns at the twelfth call. */
function failing(clock, statuses, abort) {
  const calls = { times: [], log: [] };
  const fn = async () => {
    calls.times.push(clock.now);
    const n = calls.times.length;
    const status = statuses[n - 1] ?? (n === 3 ? 404 : n < 12 ? 503 : 200);
    if (n === 1 && abort) setTimeout(abort, 250);
    if (status !== 200) throw Object.assign(new Error(`status ${status}`), { status });
    return 'done';
  };
  return { calls, fn };
}

/**
 * Runs a cell of a page about functions. It holds options, a statement that the function meets in its second attempt,
 * or an expression that is a promise or the retrying function.
 * @param {{ run: (fn: any, options: any) => Promise<any>, base: object, names?: () => object,
 *   policy?: (options: any) => any }} side
 */
function runFunction(code, { run, base, names = () => ({}), policy }, statuses = []) {
  return still(async (clock) => {
    const controller = new AbortController();
    const abort = /\bsignal\b/.test(code) ? () => controller.abort(new Error('stopped')) : undefined;
    const { calls, fn } = failing(clock, statuses, abort);
    const log = (...args) => calls.log.push(args.map(String));
    const known = {
      log,
      refresh: async () => log('refresh'),
      sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
      hang: () => {
        calls.times.push(clock.now);
        return new Promise(() => {});
      },
      count: async () => {
        calls.times.push(clock.now);
        return calls.times.length;
      },
      signal: controller.signal,
      error: new Error('the end'),
      options: base,
      fn,
      ...names(),
    };
    let outcome;
    if (code.startsWith('{')) outcome = run(fn, { ...base, ...evaluate(code, known) });
    else if (/^throw|;/.test(code)) {
      const body = async (bail) => {
        if (calls.times.length !== 1) return fn();
        calls.times.push(clock.now);
        return new Function('bail', ...Object.keys(known), code)(bail, ...Object.values(known));
      };
      outcome = run(body, base);
    } else if (code.startsWith('policy.on')) {
      const made = policy(base);
      evaluate(code, { ...known, policy: made });
      outcome = made.execute(fn);
    } else {
      const value = evaluate(code, policy ? { ...known, policy: policy(base) } : known);
      outcome = typeof value === 'function' ? value() : value;
    }
    return { ...calls, outcome: await settled(outcome) };
  });
}

const half = { random: () => 0.5 };
const OURS = {
  run: (fn, options) => retry(fn, { ...half, ...options }),
  names: () => ({ retry: (fn, options) => retry(fn, { ...half, ...options }), permanent, presets, RetryPolicy }),
};

const FUNCTIONS = {
  'p-retry': {
    old: { run: pRetry, base: { retries: 4, minTimeout: 100 }, names: () => ({ pRetry, AbortError, makeRetriable }) },
    now: { ...OURS, base: { maxAttempts: 5, baseMs: 100, capMs: Infinity, jitter: 'none' } },
  },
  'async-retry': {
    old: {
      run: asyncRetry,
      base: { retries: 4, minTimeout: 100, randomize: false },
      names: () => ({ retry: asyncRetry }),
    },
    now: { ...OURS, base: { maxAttempts: 5, baseMs: 100, capMs: Infinity, jitter: 'none' } },
  },
  'exponential-backoff': {
    old: { run: backOff, base: { numOfAttempts: 5 } },
    now: { ...OURS, base: { maxAttempts: 5, capMs: Infinity, jitter: 'none' } },
  },
  cockatiel: {
    old: {
      run: (fn, options) => cockatiel.retry(cockatiel.handleAll, options).execute(fn),
      base: { maxAttempts: 4, backoff: new cockatiel.ConstantBackoff(100) },
      names: () => ({ ...cockatiel, aggressive: cockatiel.TimeoutStrategy.Aggressive }),
      policy: (options) => cockatiel.retry(cockatiel.handleAll, options),
    },
    now: { ...OURS, base: { maxAttempts: 5, backoff: 'fixed', jitter: 'none' } },
  },
};

// Requests.

const ADDRESS = 'https://example.com/users/7';

/** A fetch that answers with these statuses, the last again and again. */
function answering(clock, { statuses, headers = {}, hang = false }) {
  const calls = { times: [], log: [] };
  const inner = async (input, init) => {
    calls.times.push(clock.now);
    if (hang) {
      const { signal } = init?.signal ? init : input;
      return new Promise((_, fail) => {
        signal.addEventListener('abort', () => fail(signal.reason));
      });
    }
    const status = statuses[Math.min(calls.times.length, statuses.length) - 1];
    if (status === 0) throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
    return new Response('{"name":"Ada"}', { status, headers });
  };
  return { calls, inner };
}

const ownFetch = (code, inner, base, log) => createFetch({ ...half, ...base, ...evaluate(code, { log }) }, inner);
axios.defaults.adapter = 'fetch';
const axiosWith = (fetch, hang) => axios.create({ env: { fetch }, timeout: hang ? 1000 : 0 });

/** @type {Record<string, Record<'old' | 'now', (code: string, inner: any, at: any) => Promise<any>>>} */
const REQUESTS = {
  'axios-retry': {
    old: (code, inner, { log, hang, method }) => {
      const client = axiosWith(inner, hang);
      // Its documentation says that a timeout is retried only if a condition says so.
      const retryCondition = hang ? { retryCondition: () => true } : {};
      axiosRetry(client, { retries: 3, ...retryCondition, ...evaluate(code, { axiosRetry, log }) });
      return client.request({ url: ADDRESS, method });
    },
    now: (code, inner, { log, method }) =>
      axiosWith(ownFetch(code, inner, { maxAttempts: 4, capMs: Infinity, jitter: 'none' }, log)).request({
        url: ADDRESS,
        method,
      }),
  },
  'fetch-retry': {
    old: (code, inner) => {
      const make = (options) => fetchRetry(inner, { retryOn: [503], ...options });
      return code.startsWith('{') ? make(evaluate(code))(ADDRESS) : evaluate(code, { fetch: make(), url: ADDRESS });
    },
    now: (code, inner) => {
      const make = (options) =>
        createFetch({ maxAttempts: 4, backoff: 'fixed', baseMs: 1000, jitter: 'none', ...options }, inner);
      return code.startsWith('{') ? make(evaluate(code))(ADDRESS) : evaluate(code, { fetch: make(), url: ADDRESS });
    },
  },
  ky: {
    old: (code, inner, { hang, method }) =>
      ky(ADDRESS, { fetch: inner, method, timeout: hang ? 1000 : false, retry: { limit: 2, ...evaluate(code) } }),
    now: (code, inner, { method }) =>
      ky(ADDRESS, {
        method,
        timeout: false,
        retry: 0,
        fetch: ownFetch(code, inner, { maxAttempts: 3, baseMs: 300, capMs: Infinity, jitter: 'none' }),
      }),
  },
  got: {
    old: (code, origin, { method }) => got(origin, { method, retry: { limit: 3, ...evaluate(code) } }),
    now: (code, inner, { method }) => {
      const jitter = { type: 'additive', maxMs: 100 };
      const base = { maxAttempts: 4, baseMs: 1000, capMs: Infinity, jitter, throwOnStatus: true };
      return ownFetch(code, inner, base)(ADDRESS, { method });
    },
  },
};

/** Answers of a row's server; any other answers 503. */
const ANSWERS = {
  'axios-retry': {
    'error.response?.status === 418': { statuses: [418, 418, 503] },
    'axiosRetry.isNetworkError': { statuses: [0, 0, 500] },
    'axiosRetry.isRetryableError': { method: 'POST' },
    validateResponse: { statuses: [202, 503, 404, 200] },
    shouldResetTimeout: { hang: true },
  },
  'fetch-retry': { 418: { statuses: [418, 418, 418, 418, 200] } },
  ky: {
    418: { statuses: [418, 418, 503] },
    post: { method: 'POST' },
    maxRetryAfter: { statuses: [503, 200], headers: { 'retry-after': '7' } },
    retryOnTimeout: { hang: true },
  },
  got: {
    418: { statuses: [418, 418, 403] },
    POST: { method: 'POST' },
    maxRetryAfter: { headers: { 'retry-after': '7' }, once: true },
  },
};

let server;
let answer;
before(async () => {
  server = await listen((request, response) => answer(request, response));
});
after(() => server.close());

const answersOf = (name, key) => ({
  method: 'GET',
  statuses: [503],
  ...Object.entries(ANSWERS[name] ?? {}).find(([part]) => key.includes(part))?.[1],
});

function runRequest(side, name, code, at) {
  return still(async (clock) => {
    const { calls, inner } = answering(clock, at);
    answer = async (_, response) => {
      const { status } = await inner();
      response.writeHead(status, at.headers).end('{}');
    };
    const log = (...args) => calls.log.push(args.map(String));
    const client = REQUESTS[name][side];
    const outcome = await settled(
      client(code, name === 'got' && side === 'old' ? server.origin : inner, { ...at, log }),
    );
    return { ...calls, outcome };
  });
}

const LAST = 'rejected with status 503';
const ended = (times, outcome = LAST, log = []) => ({ times, log, outcome });

// The rows in which the two differ, as their remarks say: the times of the attempts and the outcome, old and new.
/** @type {Record<string, Record<string, [old: object, now: object]>>} */
const DIFFERENT = {
  'p-retry': {
    maxRetryTime: [ended([0, 100, 300, 700, 1000]), ended([0, 100, 300, 700])],
    // The timer of 0 ms takes 1.
    shouldConsumeRetry: [ended([0, 100, 100, 300, 700, 1500]), ended([0, 100, 101, 501, 1301])],
    refresh: [
      ended([0, 100, 300, 700, 1500], LAST, Array(5).fill(['refresh'])),
      ended([0, 100, 300, 700, 1500], LAST, Array(4).fill(['refresh'])),
    ],
  },
  'async-retry': { maxRetryTime: [ended([0, 100, 300]), ended([0, 100])] },
  cockatiel: {
    'wrap(timeout': [ended([0, 100, 200], 'rejected with a timeout'), ended([0, 100, 200], 'rejected with status 404')],
    'execute(fn, signal)': [ended([0, 100, 200, 300]), ended([0, 100, 200], 'rejected with stopped')],
  },
  ky: { 'maxRetryAfter:': [ended([0, 5000], 'resolved with 200'), ended([0, 6250], 'resolved with 200')] },
};

/** Asserts that attempts were made at the same times. Fractions of a millisecond are rounded down by some and up by others. */
function sameTimes(actual, expected, label) {
  assert.equal(actual.length, expected.length, `${label}: ${actual} instead of ${expected}`);
  for (const [i, time] of actual.entries())
    assert.ok(Math.abs(time - expected[i]) <= i, `${label}: ${actual} instead of ${expected}`);
}

for (const name of [...Object.keys(FUNCTIONS), ...Object.keys(REQUESTS)]) {
  const rows = tableIn(page(name === 'ky' || name === 'got' ? 'ky-got' : name), name);
  const different = DIFFERENT[name] ?? {};

  test(`${name}: the table has rows, and those that differ are among them`, () => {
    assert.ok(rows.length >= 7);
    for (const key of Object.keys(different))
      assert.ok(
        rows.some(([old]) => old.includes(key)),
        key,
      );
  });

  for (const [oldCell, nowCell, remark] of rows) {
    test(`${name}: ${oldCell} is ${nowCell}`, async () => {
      const [old, now] = [literal(oldCell), literal(nowCell)];
      const statuses = /429/.test(old) ? [503, 429] : [];
      const run = (side, code) =>
        FUNCTIONS[name]
          ? runFunction(code, FUNCTIONS[name][side], statuses)
          : runRequest(side, name, code, answersOf(name, old));
      const before = await run('old', old);
      const after = await run('now', now);
      const known = Object.entries(different).find(([part]) => old.includes(part))?.[1];
      if (known) {
        assert.notEqual(remark, '', 'the page says how they differ');
        assert.deepEqual([before, after], known);
        return;
      }
      assert.ok(before.times.length >= 2 || answersOf(name, old).once, `nothing was retried: ${before.times}`);
      sameTimes(after.times, before.times, 'times of the attempts');
      assert.equal(after.outcome, before.outcome);
      assert.deepEqual(after.log, before.log);
    });
  }
}

// The blocks.

/** Runs a block as a file, with a function and servers that fail twice; returns the times of the attempts. */
function timesOf(code) {
  const text = /from 'got'/.test(code) ? code.replaceAll('https://example.com', server.origin) : code;
  return still(async (clock) => {
    const { calls, inner } = answering(clock, { statuses: [503, 503, 200] });
    answer = async (_, response) => response.writeHead((await inner()).status).end('{"name":"Ada"}');
    const callApi = async () => {
      const { status } = await inner();
      if (status !== 200) throw Object.assign(new Error(`status ${status}`), { status });
      return { status, name: 'Ada' };
    };
    const files = { 'api.mjs': 'export const callApi = globalThis.callApi;\n' };
    const run = () => importPasted(text, files);
    await withGlobals({ fetch: inner, callApi, console: { ...console, log: () => {} } }, run);
    return calls.times;
  });
}

for (const name of [...Object.keys(FUNCTIONS), ...Object.keys(REQUESTS), 'opossum']) {
  test(`${name}: the blocks before and after make the same attempts`, async () => {
    const [[, old]] = marked(name);
    const now = marked(`${name} after`)[0]?.[1] ?? blocks(page(name))[0].code;
    const times = await timesOf(old);
    assert.equal(times.length, 3);
    // Draws of got's noise.
    const random = name === 'got' ? now.replace('{ maxAttempts', '{ random: () => 0.5, maxAttempts') : now;
    sameTimes(await timesOf(random), times, 'times of the attempts');
  });
}

for (const name of ['cockatiel breaker', 'axios-retry call'])
  test(`${name}: the block goes through retries`, async () => {
    assert.equal((await timesOf(marked(name)[0][1])).length, 3);
  });

test("axios-retry: the call is not repeated after a 404, and a request's own options count", async () => {
  for (const [status, own, calls] of [
    [404, {}, 1],
    [503, { maxAttempts: 2, baseMs: 0 }, 2],
  ]) {
    const seen = [];
    const inner = async () => seen.push(status) && new Response('', { status });
    const client = axios.create({ env: { fetch: own.maxAttempts ? createFetch({}, inner) : inner } });
    const call = () => client.get('http://x/', { fetchOptions: { retry: own } });
    await assert.rejects(own.maxAttempts ? call() : retry(call, { retryIf: isTransientError }), { status });
    assert.equal(seen.length, calls);
  }
});
