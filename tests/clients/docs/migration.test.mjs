// The pages of docs/migration. Each row of their tables is run twice on a virtual clock, with the other package and
// with rejitter: both make the same attempts at the same times, unless migration.json says how they differ. So do the
// two blocks at the top of each page. breakers.test.mjs has the tables of breakers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import CircuitBreaker from 'opossum';

import { fails } from '../../package/lib/callbacks.mjs';
import { withGlobals } from '../../package/lib/clock.mjs';
import { vectors } from '../../package/lib/consumer.mjs';
import { importFetch } from '../../package/lib/fetching.mjs';
import { blocks, literal, marked, tableIn } from '../../package/lib/readers.mjs';
import { importAll } from '../../package/protection/entry.mjs';
import {
  ADDRESS,
  PAGES,
  WAIT_MS,
  axiosWith,
  constant,
  isRetried,
  page,
  runCell,
  sameTimes,
  server,
  sleep,
  threeTimes,
  world,
} from '../lib/migration.mjs';
import { importPasted, still } from '../lib/pasted.mjs';

const { RetryPolicy, breaker, isTransientError, protect, retry } = await importAll();
const { createFetch } = await importFetch();

/** Rows of the tables that need other answers, or in which the two differ, as their remarks say. */
const { requests: SPECIAL } = vectors('migration');
const LAST = 'rejected with status 503';

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
      await timesOf(name === 'got' ? now.replace('maxAttempts', 'random: () => 0.5, maxAttempts') : now),
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
