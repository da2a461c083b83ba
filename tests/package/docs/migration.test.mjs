// The pages of docs/migration. Each row of their tables is run twice on a virtual clock, with the other package and
// with rejitter: both make the same attempts at the same times, unless DIFFERENT says how they differ. So do the two
// blocks at the top of each page. breakers.test.mjs has the tables of breakers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

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
import { importFetch, serving } from '../lib/fetching.mjs';
import { blocks, documents, evaluate, literal, marked, tableIn } from '../lib/readers.mjs';
import { importPasted, still, withGlobals } from '../lib/pasted.mjs';

const { RetryPolicy, isTransientError, permanent, retry } = await importPackage();
const { createFetch } = await importFetch();
const presets = await importEntry('presets');

const page = (name) => documents.get(`docs/migration/${/^(ky|got)$/.test(name) ? 'ky-got' : name}.md`);

/** Describes how a promise settled. */
const settled = (promise) =>
  promise.then(
    (value) => `resolved with ${value?.status ?? value}`,
    ({ message, response }) =>
      /timed out|timeout of/.test(message)
        ? 'rejected with a timeout'
        : `rejected with ${response?.status ?? response?.statusCode ?? message}`,
  );

const ADDRESS = 'https://example.com/users/7';

let answer;
const { server } = serving((request, response) => answer(request, response));

/**
 * A function, a fetch and a server that answer with these statuses, the last again and again, and note when. A `silent`
 * fetch answers nothing, and a status of 0 is a failure of the network.
 */
function world(clock, { statuses, headers = {}, method = 'GET', silent = false }) {
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

/**
 * Runs a cell. It holds options, statements that the function meets in its second attempt, or an expression: a promise,
 * the retrying function, or a listener of the policy.
 */
function runCell(code, { base, run, names }, answers) {
  return still(async (clock) => {
    const it = world(clock, answers);
    const { calls, next, fn, log } = it;
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('stopped')), 250);
    const known = {
      ...{ fn, log, options: base, signal: controller.signal, error: new Error('the end'), url: ADDRESS },
      refresh: async () => log('refresh'),
      sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
      hang: () => new Promise(() => void next()),
      count: async () => calls.times.push(clock.now),
      ...names(it),
    };
    const outcome = () => {
      if (code.startsWith('{')) return run(it, { ...base, ...evaluate(code, known) });
      if (/^throw|;/.test(code)) {
        const statements = evaluate(`async (bail) => { ${code} }`, known);
        return run({ ...it, fn: (bail) => (calls.times.length === 1 && next() ? statements(bail) : fn()) }, base);
      }
      const value = evaluate(code, known);
      if (typeof value === 'function') return value();
      return typeof value.then === 'function' ? value : known.policy.execute(fn);
    };
    return { ...calls, outcome: await settled(outcome()) };
  });
}

/** The third attempt fails with 404, the twelfth succeeds. */
const FAILURES = [503, 503, 404, ...Array(8).fill(503), 200];
const half = { random: () => 0.5 };

/** A page about functions: `base` has the options that the rows of both sides assume. */
const functions = (base, run, names = () => ({})) => {
  const own = (fn, options) => retry(fn, { ...half, ...options });
  const now = { base: { jitter: 'none', ...base.now }, run: ({ fn }, options) => own(fn, options) };
  const known = () => ({ retry: own, permanent, presets, RetryPolicy });
  return { old: { base: base.old, run, names }, now: { ...now, names: known }, statuses: FAILURES };
};
/** A page about requests. `send` sends one with our fetch. */
const requests = (base, run, send, names = () => ({})) => {
  const fetchOf = ({ fetch }, options = base.now) => createFetch({ ...half, ...options }, fetch);
  const now = { base: base.now, run: (it, options) => send(fetchOf(it, options), it) };
  const known = (it) => ({ fetch: fetchOf(it) });
  return { old: { base: base.old, run, names }, now: { ...now, names: known }, statuses: [503] };
};
const sendAlone = (fetch, { method }) => fetch(ADDRESS, { method });

axios.defaults.adapter = 'fetch';
const axiosWith = (fetch, silent) => axios.create({ env: { fetch }, timeout: silent ? 1000 : 0 });
const fetchRetryOf = ({ fetch }, options) => fetchRetry(fetch, { retryOn: [503], ...options });
const noise = { type: 'additive', maxMs: 100 };
const constant = { maxAttempts: 4, backoff: new cockatiel.ConstantBackoff(100) };
const cockatielOf = (options) => cockatiel.retry(cockatiel.handleAll, options);

const PAGES = {
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
    () => ({ ...cockatiel, aggressive: cockatiel.TimeoutStrategy.Aggressive, policy: cockatielOf(constant) }),
  ),
  'axios-retry': requests(
    { old: { retries: 3 }, now: { maxAttempts: 4, capMs: Infinity, jitter: 'none' } },
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

/** Answers in some rows, by a part of the first cell. */
const ANSWERS = {
  'p-retry': { 429: { statuses: FAILURES.with(1, 429) } },
  'axios-retry': {
    'error.response?.status === 418': { statuses: [418, 418, 503] },
    'axiosRetry.isNetworkError': { statuses: [0, 0, 500] },
    'axiosRetry.isRetryableError': { method: 'POST' },
    validateResponse: { statuses: [202, 503, 404, 200] },
    shouldResetTimeout: { silent: true },
  },
  'fetch-retry': { 418: { statuses: [418, 418, 418, 418, 200] } },
  ky: {
    418: { statuses: [418, 418, 503] },
    post: { method: 'POST' },
    maxRetryAfter: { statuses: [503, 200], headers: { 'retry-after': '7' } },
    retryOnTimeout: { silent: true },
  },
  got: {
    418: { statuses: [418, 418, 403] },
    POST: { method: 'POST' },
    maxRetryAfter: { headers: { 'retry-after': '7' }, once: true },
  },
};
const partOf = (table, cell) => Object.entries(table ?? {}).find(([part]) => cell.includes(part))?.[1];

const LAST = 'rejected with status 503';
const ended = (times, outcome = LAST, log = []) => ({ times, log, outcome });

// The rows in which the two differ, as their remarks say: the times of the attempts and the outcome, old and new.
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

/** Asserts that attempts were made at the same times. Some round fractions of a millisecond down, others up. */
function sameTimes(actual, expected) {
  const same = actual.length === expected.length && actual.every((time, i) => Math.abs(time - expected[i]) <= i);
  assert.ok(same, `attempts at ${actual} instead of ${expected}`);
}

for (const [name, { old, now, statuses }] of Object.entries(PAGES)) {
  const rows = tableIn(page(name), name);

  test(`${name}: the table has rows, and those that differ are among them`, () => {
    assert.ok(rows.length >= 7);
    for (const part of Object.keys(DIFFERENT[name] ?? {})) assert.ok(rows.some(([cell]) => cell.includes(part), part));
  });

  for (const [oldCell, nowCell, remark] of rows) {
    test(`${name}: ${oldCell} is ${nowCell}`, async () => {
      const answers = { statuses, ...partOf(ANSWERS[name], oldCell) };
      const before = await runCell(literal(oldCell), old, answers);
      const after = await runCell(literal(nowCell), now, answers);
      const known = partOf(DIFFERENT[name], oldCell);
      if (known) {
        assert.notEqual(remark, '', 'the page says how they differ');
        assert.deepEqual([before, after], known);
        return;
      }
      assert.ok(before.times.length >= 2 || answers.once, `nothing was retried: ${before.times}`);
      sameTimes(after.times, before.times);
      assert.equal(after.outcome, before.outcome);
      assert.deepEqual(after.log, before.log);
    });
  }
}

/** Runs a block as a file, with a function and servers that fail twice; returns the times of the attempts. */
function timesOf(code) {
  const text = /from 'got'/.test(code) ? code.replaceAll('https://example.com', server().origin) : code;
  return still(async (clock) => {
    const { calls, fn: callApi, fetch } = world(clock, { statuses: [503, 503, 200] });
    const files = { 'api.mjs': 'export const callApi = globalThis.callApi;\n' };
    const globals = { fetch, callApi, console: { ...console, log: () => {} } };
    await withGlobals(globals, () => importPasted(text, files));
    return calls.times;
  });
}

for (const name of [...Object.keys(PAGES), 'opossum']) {
  test(`${name}: the blocks before and after make the same attempts`, async () => {
    const [[, old]] = marked(name);
    const now = marked(`${name} after`)[0]?.[1] ?? blocks(page(name))[0].code;
    const times = await timesOf(old);
    assert.equal(times.length, 3);
    // Draws of got's noise.
    sameTimes(
      await timesOf(name === 'got' ? now.replace('{ maxAttempts', '{ random: () => 0.5, maxAttempts') : now),
      times,
    );
    for (const [, together] of marked(`${name} (?:breaker|call)`)) assert.equal((await timesOf(together)).length, 3);
  });
}

test("axios-retry: the call is not repeated after a 404, and a request's own options count", () =>
  still(async (clock) => {
    const [none, down] = [404, 503].map((status) => world(clock, { statuses: [status] }));
    const call = () => axiosWith(none.fetch).get(ADDRESS);
    await assert.rejects(retry(call, { retryIf: isTransientError }), { status: 404 });
    const client = axiosWith(createFetch({}, down.fetch));
    await assert.rejects(client.get(ADDRESS, { fetchOptions: { retry: { maxAttempts: 2 } } }), { status: 503 });
    assert.deepEqual([none.calls.times.length, down.calls.times.length], [1, 2]);
  }));
