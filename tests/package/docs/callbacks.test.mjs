// The tables of callbacks in docs/migration: each row is run with both packages. An operation makes three attempts that
// fail, with 100 ms between them; the cells say what its callback receives and does.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import asyncRetry from 'async-retry';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import * as cockatiel from 'cockatiel';
import CircuitBreaker from 'opossum';
import pRetry from 'p-retry';

import { documents, evaluate, literal, tableIn } from '../lib/readers.mjs';
import { still, withGlobals } from '../lib/pasted.mjs';
import { importFetch } from '../lib/fetching.mjs';
import { importAll } from '../protection/entry.mjs';

const { RetryPolicy, breaker, protect, retry } = await importAll();
const { createFetch } = await importFetch();

const WAIT_MS = 100;
const ADDRESS = 'https://example.com/';
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Calls a function three times, whatever becomes of it; what the last call rejects with is the end. */
async function threeTimes(call) {
  for (let i = 0; i < 2; i++) {
    await call().catch(() => {});
    await sleep(WAIT_MS);
  }
  return call();
}

const own = { maxAttempts: 3, backoff: 'fixed', baseMs: WAIT_MS, jitter: 'none' };
const functions = {
  names: () => ({ retry, options: own, policy: new RetryPolicy(own) }),
  run: ({ fn }, options) => retry(fn, { ...own, ...options }),
};
const nodeRetry = { retries: 2, minTimeout: WAIT_MS, factor: 1, randomize: false };
const constant = { maxAttempts: 2, backoff: new cockatiel.ConstantBackoff(WAIT_MS) };
const retrier = (options) => cockatiel.retry(cockatiel.handleAll, { ...constant, ...options });

/** Both sides of a page whose package has the options of node-retry. */
const alike = (name, call) => [
  {
    names: () => ({ [name]: call, options: nodeRetry }),
    run: ({ fn }, options) => call(fn, { ...nodeRetry, ...options }),
  },
  functions,
];
const circuitOf = (fn, options) => new CircuitBreaker(fn, { timeout: false, volumeThreshold: 10, ...options });

/** The pages: what the cells of both sides know, and how options become an operation over `fn` or `fetch`. */
const PAGES = {
  'p-retry': alike('pRetry', pRetry),
  'async-retry': alike('retry', asyncRetry),
  cockatiel: [
    {
      names: () => ({ ...cockatiel, options: constant, policy: retrier() }),
      run: ({ fn }, options) => retrier(options).execute(fn),
    },
    functions,
  ],
  'axios-retry': [
    {
      run({ fetch }, options) {
        const client = axios.create({ adapter: 'fetch', env: { fetch } });
        axiosRetry(client, { retries: 2, retryDelay: () => WAIT_MS, ...options });
        return client.get(ADDRESS);
      },
    },
    { run: ({ fetch }, options) => createFetch({ ...own, throwOnStatus: true, ...options }, fetch)(ADDRESS) },
  ],
  opossum: [
    {
      names: (fn) => ({ circuit: circuitOf(fn) }),
      run({ fn }, options) {
        const circuit = circuitOf(fn, options);
        return threeTimes(() => circuit.fire()).finally(() => circuit.shutdown());
      },
    },
    {
      names: functions.names,
      run({ fn }, options) {
        const one = new RetryPolicy({ maxAttempts: 1, protection: protect(breaker(), options) });
        return threeTimes(() => one.run(fn));
      },
    },
  ],
};

/** Whether the callback of a cell is the function that is retried. */
const isRetried = (code) => /^(pRetry|retry|policy\.(execute|run))\(f[,)]/.test(code);

/** Runs a cell with a callback `f` that does `act`: the times of attempts and of calls, and how it ended. */
function runCell(code, { names, run }, act) {
  return still(async (clock) => {
    const seen = { attempts: [], calls: [], args: undefined, end: 'nothing', endMs: NaN, unhandled: 0 };
    const fn = async () => {
      seen.attempts.push(clock.now);
      throw new Error('down');
    };
    const fetch = async () => {
      seen.attempts.push(clock.now);
      return new Response('', { status: 503 });
    };
    const f = (...args) => {
      seen.calls.push(clock.now);
      seen.args ??= args;
      return act(
        isRetried(code) ? fn : () => (/[dD]elay|backoff/.test(code) ? WAIT_MS : !/prepare/.test(code) || undefined),
      );
    };
    const known = { ...names?.(fn), fn };
    const value = evaluate(code, { ...known, f });
    let operation = value.then && value;
    if (value instanceof CircuitBreaker) operation = threeTimes(() => value.fire());
    if (code.startsWith('policy.on')) operation = known.policy.execute(fn);
    operation ??= run({ fn, fetch }, value);
    await Promise.race([operation.catch(({ message }) => (seen.end = message)), sleep(5000)]);
    seen.endMs = clock.now;
    await sleep(WAIT_MS);
    known.circuit?.shutdown();
    return seen;
  });
}

/** The same, with what nobody handles counted instead of reported. */
async function observed(code, side, act) {
  const listeners = process.listeners('unhandledRejection');
  let unhandled = 0;
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', () => unhandled++);
  const seen = await withGlobals({ console: { ...console, error() {} } }, () => runCell(code, side, act));
  process.removeAllListeners('unhandledRejection');
  for (const listener of listeners) process.on('unhandledRejection', listener);
  return { ...seen, unhandled };
}

const NUMBERS = ['attempt', 'attemptNumber'];

/** What a callback receives, in words. */
function inWords(value) {
  if (value === null || typeof value !== 'object') return typeof value;
  if (value instanceof Error) return 'error';
  if (value instanceof Request) return 'request';
  return `{ ${['error', 'reason', 'response', 'url', ...NUMBERS].filter((name) => name in value).join(', ')} }`;
}

/** When it was called, by the attempts: `0` is the time of the first. */
function timesOf({ attempts, calls }, code) {
  const [all, same] = [attempts.join(), calls.join()];
  if (same === all) return isRetried(code) || code.includes('prepare') ? 'each attempt' : 'each failure';
  if (same === attempts.slice(0, -1).join()) return 'before each wait';
  if (same === attempts.slice(1).join()) return 'after each wait';
  return same === String(attempts.at(-1)) ? 'at the end' : same;
}

function effectOf({ attempts, calls, end, unhandled }, code) {
  if (unhandled > 0) return 'unhandled rejection';
  if (end === 'nothing') return 'never ends';
  if (end !== 'thrown') return 'no effect';
  if (isRetried(code)) return calls.length === 3 ? 'retried' : 'ends all';
  return attempts.length < 3 ? 'ends all' : 'is the error';
}

async function cellsOf(code, side) {
  const plain = await observed(code, side, (value) => value());
  const late = await observed(code, side, async (value) => {
    await sleep(50);
    return value();
  });
  const thrown = () => {
    throw new Error('thrown');
  };
  const [effect, rejection] = [await observed(code, side, thrown), await observed(code, side, async () => thrown())];
  const effects = new Set([effectOf(effect, code), effectOf(rejection, code)]);
  const numbers = plain.args.flatMap((value) => [value, ...NUMBERS.map((name) => Object(value)[name])]);
  return [
    plain.args.flatMap((value) => (value === undefined ? [] : inWords(value))).join(', '),
    String(numbers.find((value) => typeof value === 'number') ?? '–'),
    late.endMs > plain.endMs ? 'yes' : 'no',
    [...effects].join('; a rejection: '),
    timesOf(plain, code),
  ];
}

for (const [name, sides] of Object.entries(PAGES)) {
  const rows = tableIn(documents.get(`docs/migration/${name}.md`), `callback of ${name}`);
  assert.ok(rows.length > 1, name);
  for (const [old, now, ...cells] of rows)
    test(`${name}: ${old} is ${now}`, async () => {
      const theirs = await cellsOf(literal(old), sides[0]);
      const ours = await cellsOf(literal(now), sides[1]);
      assert.deepEqual(
        cells,
        theirs.map((cell, i) => (cell === ours[i] ? cell : `${cell} / ${ours[i]}`)),
      );
    });
}
