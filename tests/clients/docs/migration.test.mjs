// The pages of docs/migration. Each row of their tables is run twice on a virtual clock, with the other package and
// with rejitter: both make the same attempts at the same times, unless migration.json says how they differ. So do the two
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
import CircuitBreaker from 'opossum';
import pRetry, { AbortError, makeRetriable } from 'p-retry';

import { fails } from '../../package/lib/callbacks.mjs';
import { withGlobals } from '../../package/lib/clock.mjs';
import { importEntry, vectors } from '../../package/lib/consumer.mjs';
import { importFetch, serving } from '../../package/lib/fetching.mjs';
import { blocks, documents, evaluate, literal, marked, tableIn } from '../../package/lib/readers.mjs';
import { importAll } from '../../package/protection/entry.mjs';
import { importPasted, still } from '../lib/pasted.mjs';

const { RetryPolicy, breaker, isTransientError, permanent, protect, retry } = await importAll();
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
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

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

/** Whether the callback `f` of a cell is the function that is retried. */
const isRetried = (code) => /^(pRetry|retry|policy\.(execute|run))\(f[,)]/.test(code);

/**
 * Runs a cell. It holds options, statements that the function meets in its second attempt, or an expression: a promise,
 * the retrying function, a circuit, or a listener of the policy. A callback `f` of the cell does `act`.
 */
function runCell(code, { base, run, names }, answers, act) {
  return still(async (clock) => {
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
  });
}

/** The third attempt fails with 404, the twelfth succeeds. */
const FAILURES = [503, 503, 404, ...Array(8).fill(503), 200];
const half = { random: () => 0.5 };

/** A page about functions: `base` has the options that the rows of both sides assume. */
const functions = (base, run, names = () => ({})) => {
  const own = (fn, options) => retry(fn, { ...half, ...options });
  const now = { base: { jitter: 'none', ...base.now }, run: ({ fn }, options) => own(fn, options) };
  const known = (_, options) => ({ retry: own, permanent, presets, RetryPolicy, policy: new RetryPolicy(options) });
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
    (_, options) => ({
      ...{ ...cockatiel, aggressive: cockatiel.TimeoutStrategy.Aggressive, policy: cockatielOf(options) },
    }),
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

/** Rows of the tables that need other answers, or in which the two differ, as their remarks say. */
const { requests: SPECIAL } = vectors('migration');
const LAST = 'rejected with status 503';

/** Asserts that attempts were made at the same times. Some round fractions of a millisecond down, others up. */
function sameTimes(actual, expected) {
  const same = actual.length === expected.length && actual.every((time, i) => Math.abs(time - expected[i]) <= i);
  assert.ok(same, `attempts at ${actual} instead of ${expected}`);
}

for (const [name, { old, now, statuses }] of Object.entries(PAGES)) {
  const rows = tableIn(page(name), name);

  const special = Object.entries(SPECIAL[name] ?? {});

  test(`${name}: the table has rows, and the special ones are among them`, () => {
    assert.ok(rows.length >= 7);
    for (const [part] of special) assert.ok(rows.some(([cell]) => cell.includes(part), part));
  });

  for (const [oldCell, nowCell, remark] of rows) {
    test(`${name}: ${oldCell} is ${nowCell}`, async () => {
      const [, row = {}] = special.find(([part]) => oldCell.includes(part)) ?? [];
      const before = await runCell(literal(oldCell), old, { statuses, ...row });
      const after = await runCell(literal(nowCell), now, { statuses, ...row });
      if (row.old) {
        const { outcomes = [LAST, LAST], logged = [0, 0] } = row;
        assert.notEqual(remark, '', 'the page says how they differ');
        assert.deepEqual([before.times, after.times], [row.old, row.now]);
        assert.deepEqual([before.outcome, after.outcome], outcomes);
        assert.deepEqual([before.log.length, after.log.length], logged);
        return;
      }
      assert.ok(before.times.length >= 2 || row.once, `nothing was retried: ${before.times}`);
      sameTimes(after.times, before.times);
      assert.equal(after.outcome, before.outcome);
      assert.deepEqual(after.log, before.log);
    });
  }
}

// The tables of callbacks. An operation makes three attempts that fail, with 100 ms between them.

const WAIT_MS = 100;
/** Calls a function three times, whatever becomes of it; what the last call rejects with is the end. */
async function threeTimes(call) {
  for (let i = 0; i < 2; i++) {
    await call().catch(() => {});
    await sleep(WAIT_MS);
  }
  return call();
}

const own = { maxAttempts: 3, backoff: 'fixed', baseMs: WAIT_MS, jitter: 'none' };
const nodeRetry = { retries: 2, minTimeout: WAIT_MS, factor: 1, randomize: false };
const circuitOf = (fn, options) => new CircuitBreaker(fn, { timeout: false, volumeThreshold: 10, ...options });
/** One call of each is protected. */
const circuits = {
  old: {
    run({ fn }, options) {
      const circuit = circuitOf(fn, options);
      return threeTimes(() => circuit.fire()).finally(() => circuit.shutdown());
    },
    names: ({ fn }) => ({ circuit: circuitOf(fn) }),
  },
  now: {
    run({ fn }, { isFailure }) {
      const one = new RetryPolicy({ maxAttempts: 1, protection: protect(breaker(), { isFailure }) });
      return threeTimes(() => one.run(fn));
    },
    names: (_, options) => ({ policy: new RetryPolicy(options) }),
  },
};
const requested = ({ fetch }, options) => createFetch(options, fetch)(ADDRESS);

/** The options of both sides. */
const THREE = {
  'p-retry': [nodeRetry, own],
  'async-retry': [nodeRetry, own],
  cockatiel: [{ ...constant, maxAttempts: 2 }, own],
  'axios-retry': [
    { retries: 2, retryDelay: () => WAIT_MS },
    { ...own, throwOnStatus: true },
  ],
  opossum: [{}, own],
};

/** Runs a cell, with what nobody handles counted instead of reported. */
async function observed(code, side, act) {
  const listeners = process.listeners('unhandledRejection');
  let unhandled = 0;
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', () => unhandled++);
  const quiet = { console: { ...console, error() {} } };
  const seen = await withGlobals(quiet, () => runCell(code, side, { statuses: [503] }, act));
  process.removeAllListeners('unhandledRejection');
  for (const listener of listeners) process.on('unhandledRejection', listener);
  return { ...seen, unhandled };
}

const NUMBERS = ['attempt', 'attemptNumber'];

/** Returns in words the arguments that a callback receives. */
function inWords(value) {
  if (value === null || typeof value !== 'object') return typeof value;
  if (value instanceof Error) return 'error';
  if (value instanceof Request) return 'request';
  return `{ ${['error', 'reason', 'response', 'url', ...NUMBERS].filter((name) => name in value).join(', ')} }`;
}

/** When it was called, by the attempts: `0` is the time of the first. */
function timesOfCalls({ times, told }, code) {
  const [all, same] = [times.join(), told.at.join()];
  if (same === all) return isRetried(code) || code.includes('prepare') ? 'each attempt' : 'each failure';
  if (same === times.slice(0, -1).join()) return 'before each wait';
  if (same === times.slice(1).join()) return 'after each wait';
  return same === String(times.at(-1)) ? 'at the end' : same;
}

function effectOf({ times, told, outcome, unhandled }, code) {
  if (unhandled > 0) return 'unhandled rejection';
  if (outcome === undefined) return 'never ends';
  if (outcome !== 'rejected with thrown') return 'no effect';
  if (isRetried(code)) return told.at.length === 3 ? 'retried' : 'ends all';
  return times.length < 3 ? 'ends all' : 'is the error';
}

/** The cells of a row that a side fills. */
async function cellsOf(code, side) {
  const thrown = fails(new Error('thrown'));
  const plain = await observed(code, side, (value) => value());
  const late = await observed(code, side, (value) => sleep(50).then(value));
  const effects = [await observed(code, side, thrown), await observed(code, side, async () => thrown())];
  const numbers = plain.told.args.flatMap((value) => [value, ...NUMBERS.map((name) => Object(value)[name])]);
  return [
    plain.told.args.flatMap((value) => (value === undefined ? [] : inWords(value))).join(', '),
    String(numbers.find((value) => typeof value === 'number') ?? '–'),
    late.endMs > plain.endMs ? 'yes' : 'no',
    [...new Set(effects.map((effect) => effectOf(effect, code)))].join('; a rejection: '),
    timesOfCalls(plain, code),
  ];
}

for (const [name, bases] of Object.entries(THREE)) {
  const { old, now } = PAGES[name] ?? circuits;
  const rows = tableIn(page(name), `callback of ${name}`);
  assert.ok(rows.length > 1, name);
  for (const [oldCell, nowCell, ...cells] of rows)
    test(`${name}: ${oldCell} is called as ${nowCell}`, async () => {
      const theirs = await cellsOf(literal(oldCell), { ...old, base: bases[0] });
      const run = name === 'axios-retry' ? requested : now.run;
      const ours = await cellsOf(literal(nowCell), { ...now, run, base: bases[1] });
      assert.deepEqual(
        cells,
        theirs.map((cell, i) => (cell === ours[i] ? cell : `${cell} / ${ours[i]}`)),
      );
    });
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
