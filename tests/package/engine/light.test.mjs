// rejitter/light: what the table of operations (operations.test.mjs) cannot say.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';

import { VirtualClock, microtasks, underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, installed, modules, runNode, vectors } from '../lib/consumer.mjs';
import { words } from '../lib/words.mjs';
import { draw } from '../schedules/waits.mjs';

const main = await importPackage();
const { TimeoutError, delayMs, retry } = await importEntry('light');

const { delay, hinted } = await import(pathToFileURL(join(modules, 'lib/light/generated.js')).href);
const wasm = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(join(installed, 'core.wasm')))).exports;
const EXPONENTIAL = 2;

/** Fails with each of the errors in turn, the last one again and again. */
const failing = (...errors) => {
  let calls = 0;
  const fn = () => {
    throw errors[Math.min(calls++, errors.length - 1)];
  };
  return Object.assign(fn, { calls: () => calls });
};

const hangs = () => new Promise(() => {});

test('defaults and draws are those of the main entry', async () => {
  const curves = [{ baseMs: 3, capMs: 70, factor: 3 }, { baseMs: 20_000 }, { capMs: Infinity, maxAttempts: 9 }];
  for (const options of [{}, { jitter: 'equal' }, { jitter: 'none' }, ...curves, { maxAttempts: 3, baseMs: 0 }]) {
    const waits = [];
    for (const run of [main.retry, retry]) {
      const random = [0.1, 0.9, 0.5, 0.25, 0.999, 0, 0.3, 0.7].values();
      const draw = () => random.next().value;
      const { clock, rejected } = await underClock(() => run(failing(1), { ...options, random: draw }));
      assert.ok(rejected);
      waits.push(clock.delays);
    }
    assert.deepEqual(waits[1], waits[0]);
    for (let k = 1; k < 9; k += 1) {
      const drawn = { ...options, random: () => 0.6 };
      assert.equal(delayMs(k, drawn), new main.RetryPolicy(drawn).delayMs(k));
    }
  }
});

test('delayMs draws by itself, and has no last wait', () => {
  const draws = Array.from({ length: 50 }, () => delayMs(3));
  assert.ok(draws.every((ms) => ms >= 0 && ms <= 400) && new Set(draws).size > 40);
  assert.equal(delayMs(Number.MAX_SAFE_INTEGER, { jitter: 'none', maxAttempts: 1 }), 10_000);
  for (const [k, kind] of [
    [0, RangeError],
    [1.5, RangeError],
    [Infinity, RangeError],
    ['1', TypeError],
    [undefined, TypeError],
  ])
    assert.throws(
      () => delayMs(k),
      (error) => error instanceof kind && /^rejitter: k must be a positive /.test(error.message),
    );
  assert.throws(() => delayMs(1, { baseMs: -1 }), RangeError);
});

test('calls the callback at once, with the number of the attempt and a fresh signal', async () => {
  const seen = [];
  const { value } = await underClock(() => {
    const result = retry((attempt) => {
      seen.push(attempt);
      if (seen.length < 3) throw 1;
      return 'v';
    });
    assert.equal(seen.length, 1);
    return result;
  });
  assert.equal(value, 'v');
  for (const [i, attempt] of seen.entries()) {
    assert.equal(attempt.attempt, i + 1);
    // The signal is a getter, which a copy of the attempt loses.
    assert.deepEqual({ ...attempt }, { attempt: i + 1 });
    assert.ok(!attempt.signal.aborted);
  }
  assert.equal(new Set(seen.map(({ signal }) => signal)).size, 3);
});

/** How an operation ends. */
const ending = (fn, options) => underClock(() => retry(fn, options));

test('errors and results come out as they went in', async () => {
  const hostile = new Proxy({}, { get: () => assert.fail('read'), has: () => assert.fail('read') });
  for (const thrown of [
    undefined,
    null,
    0,
    'text',
    Object.freeze(new Error()),
    Object.create(null),
    () => {},
    hostile,
  ]) {
    const { error, rejected } = await ending(failing(thrown), { maxAttempts: 2 });
    assert.ok(rejected && Object.is(error, thrown));
  }
  const thenable = runInNewContext('({ then(resolve) { resolve(7); } })');
  assert.equal(await retry(() => thenable), 7);
});

test('what a callback throws comes out by identity, and its result is checked', async () => {
  const own = new Error('own');
  for (const options of [{ retryIf: failing(own) }, { random: failing(own) }, { retryIf: () => Promise.reject(own) }])
    assert.equal((await ending(failing(1), options)).error, own);
  for (const [options, kind, text] of [
    [{ retryIf() {} }, TypeError, 'retryIf must return a boolean or { afterMs }'],
    [{ retryIf: () => ({ afterMs: -1 }) }, RangeError, 'retryIf must return a boolean or { afterMs }'],
    [{ retryIf: () => ({ afterMs: Infinity }) }, RangeError, 'retryIf must return a boolean or { afterMs }'],
    [{ random: () => 1 }, RangeError, 'random() must return a number, at least 0 and below 1, got 1'],
    [{ random: () => NaN }, RangeError, 'random() must return'],
  ]) {
    const { error } = await ending(failing(1), options);
    assert.ok(error instanceof kind && error.message.startsWith(`rejitter: ${text}`), String(error));
  }
});

test('directives of the main entry: the wrapper never comes out', async () => {
  const { permanent, retryAfter } = main;
  const inside = new Error('inside');
  for (const [wrapped, calls] of [
    [permanent(inside), 1],
    [retryAfter(5_000, permanent(retryAfter(1, inside))), 1],
    [new Error('around', { cause: permanent(inside) }), 1],
    [retryAfter(5_000, inside), 3],
  ]) {
    const fn = failing(wrapped);
    const seen = [];
    const retryIf = (error) => seen.push(error) > 0;
    const { error, clock } = await ending(fn, { maxAttempts: 3, jitter: 'none', retryIf });
    assert.equal(error, wrapped.message === 'around' ? wrapped : inside);
    assert.equal(fn.calls(), calls);
    assert.deepEqual(seen, calls === 1 ? [] : [inside, inside, inside]);
    assert.deepEqual(clock.delays, calls === 1 ? [] : [100, 200]);
  }
});

test('an abort ends it in the same macrotask, with neither listener nor timer left', async () => {
  const reason = { no: 'error' };
  for (const moment of ['attempt', 'predicate', 'wait']) {
    const clock = new VirtualClock().install();
    try {
      const controller = new AbortController();
      const { signal } = controller;
      let own;
      const fn = (attempt) => {
        own = attempt.signal;
        return moment === 'attempt' ? hangs() : failing(1)();
      };
      const retryIf = () => moment === 'wait' || hangs();
      const result = retry(fn, { signal, totalTimeoutMs: 50_000, attemptTimeoutMs: 900, retryIf });
      await microtasks();
      assert.equal(getEventListeners(signal, 'abort').length, 1);
      let ended;
      result.catch((error) => {
        ended = error;
      });
      controller.abort(reason);
      await microtasks();
      assert.ok(Object.is(ended, reason) && Object.is(own.reason, reason), moment);
      assert.deepEqual([getEventListeners(signal, 'abort').length, clock.pending.size], [0, 0]);
    } finally {
      clock.uninstall();
    }
  }
  assert.equal((await ending(assert.fail, { signal: AbortSignal.abort(reason) })).error, reason);
  // As of the polyfills that have no reasons.
  const { signal } = new AbortController();
  Object.defineProperty(signal, 'aborted', { value: true });
  const { name, message } = (await ending(assert.fail, { signal })).error;
  assert.deepEqual([name, message], ['AbortError', 'This operation was aborted']);
});

test('a timeout is the reason of the attempt that it ends; only that of the deadline has a cause', async () => {
  const failure = new Error('failure');
  for (const [options, text, cause] of [
    [{ attemptTimeoutMs: 50, maxAttempts: 2 }, 'attempt 2 timed out after 50 ms'],
    [{ totalTimeoutMs: 150 }, 'operation timed out after 150 ms', failure],
  ]) {
    const signals = [];
    const fn = ({ attempt, signal }) => {
      signals.push(signal);
      return attempt === 1 ? failing(failure)() : hangs();
    };
    const { error } = await ending(fn, { jitter: 'none', ...options });
    assert.deepEqual([error.name, error.message, error.cause], ['TimeoutError', `rejitter: ${text}`, cause]);
    assert.ok(error instanceof TimeoutError);
    assert.equal('cause' in error, cause !== undefined);
    assert.equal(signals[1].reason, error);
    assert.ok(!signals[0].aborted);
  }
});

test('a listener that throws takes nothing from other operations of the signal', async () => {
  const { AbortController: Native } = globalThis;
  const { error: log } = console;
  const reported = [];
  console.error = (error) => reported.push(error.message);
  // As in hosts whose `abort` lets out what listeners throw.
  globalThis.AbortController = class extends Native {
    abort(reason) {
      super.abort(reason);
      throw new Error('of a listener');
    }
  };
  try {
    const caller = new Native();
    const ends = [];
    const operations = [0, 1, 2].map((i) =>
      retry(({ signal }) => new Promise(() => signal.aborted), { signal: caller.signal }).catch(() => ends.push(i)),
    );
    caller.abort();
    await Promise.all(operations);
    assert.deepEqual(ends, [0, 1, 2]);
    const { error } = await ending(hangs, { attemptTimeoutMs: 5, maxAttempts: 2 });
    assert.ok(error instanceof TimeoutError);
    assert.deepEqual(reported, Array(5).fill('of a listener'));
  } finally {
    globalThis.AbortController = Native;
    console.error = log;
  }
});

test('each wait is that of the core to the last bit, for random options, draws and hints', () => {
  const { word, below, unit } = words(3);
  const unset = (draw) => (below(3) === 0 ? NaN : draw());
  const durations = () => [0, 1, 100, 1e4, 2 ** 53 - 1, 1e-300, unit() * 10 ** below(16), below(5000)][below(8)];
  const CALLS = Number(process.env.REJITTER_POLICIES || 100_000);
  for (let i = 0; i < CALLS; i += 1) {
    const [r, code, baseMs] = [below(9) === 0 ? 1 - 2 ** -53 : unit(), below(3), unset(durations)];
    const capMs = unset(() => (below(5) === 0 ? Infinity : Math.max(durations(), baseMs || 0)));
    const factor = unset(() => [1, 2, 1 + 2 ** -52 * below(1e6), 1 + unit() * 4, 2 ** 52][below(5)]);
    const [k, serverMs] = [below(4) === 0 ? word() : below(70), durations()];
    const decide = (hintMs) =>
      wasm.decide(k, r, EXPONENTIAL, code, baseMs, capMs, factor, 0, NaN, 0, NaN, Infinity, 0, -1, hintMs, r);
    const computed = delay(k, r, code, baseMs, capMs, factor);
    const [expected, asked] = [decide(NaN), decide(serverMs)];
    const text = `${[k, r, code, baseMs, capMs, factor, serverMs]}`;
    assert.ok(Object.is(computed, expected), `${text}: ${computed} instead of ${expected}`);
    const found = serverMs > 0 ? hinted(computed, r, delay(1, 0, 0, baseMs, capMs, factor), serverMs) : computed;
    assert.ok(Object.is(found, asked), `${text}: ${found} instead of ${asked}, after a hint`);
  }
});

test('the golden vectors of waits', () => {
  let compared = 0;
  for (const { options, seed, delays } of vectors('delays')) {
    const { backoff = 'exponential', capMs, ...rest } = options;
    const known = ['maxAttempts', 'baseMs', 'factor', 'jitter'];
    if ((backoff !== 'exponential' && backoff !== 'fixed') || typeof seed !== 'number') continue;
    if (
      !Object.keys(rest).every((name) => known.includes(name)) ||
      !['full', 'equal', 'none', undefined].includes(rest.jitter)
    )
      continue;
    for (const [i, wait] of delays.entries()) {
      const own = { ...rest, capMs: capMs === 'Infinity' ? Infinity : capMs, random: () => draw(seed, 0, i + 1, 0) };
      assert.ok(
        Object.is(delayMs(i + 1, backoff === 'fixed' ? { ...own, factor: 1 } : own), wait),
        JSON.stringify(options),
      );
      compared += 1;
    }
  }
  assert.ok(compared > 50, `${compared} waits`);
});

const UNKNOWN =
  'light has maxAttempts, baseMs, capMs, factor, jitter, attemptTimeoutMs, totalTimeoutMs, random, unref, ' +
  'signal, retryIf';
const DURATION = 'a number, at least 0 and below 9007199254740992';
const LIMIT = 'a positive number';
/** Options, the class of their error, and its text. */
const REFUSED = [
  [null, TypeError, 'options must be an object, got null'],
  [5, TypeError, 'options must be an object, got number'],
  [[1], TypeError, `unknown option "0"; ${UNKNOWN}`],
  [{ maxAttempts: 0 }, RangeError, 'maxAttempts must be a positive integer or Infinity, got 0'],
  [{ maxAttempts: 2.5 }, RangeError, 'maxAttempts must be a positive integer or Infinity, got 2.5'],
  [{ maxAttempts: '3' }, TypeError, 'maxAttempts must be a positive integer or Infinity, got string'],
  [{ baseMs: -1 }, RangeError, `baseMs must be ${DURATION}, got -1`],
  [{ baseMs: NaN }, RangeError, `baseMs must be ${DURATION}, got NaN`],
  [{ baseMs: Infinity }, RangeError, `baseMs must be ${DURATION}, got Infinity`],
  [{ baseMs: 5n }, TypeError, `baseMs must be ${DURATION}, got bigint`],
  [{ baseMs: 10, capMs: 9 }, RangeError, 'capMs must be a number, at least baseMs, got 9'],
  [{ capMs: -1 }, RangeError, 'capMs must be a number, at least baseMs, got -1'],
  [{ factor: 0.9 }, RangeError, 'factor must be a number, at least 1 and below 9007199254740992, got 0.9'],
  [{ jitter: 'ful' }, RangeError, 'jitter must be full, equal or none, got ful'],
  [{ jitter: { type: 'additive' } }, TypeError, 'jitter must be full, equal or none, got object'],
  [{ signal: {} }, TypeError, 'signal must be an AbortSignal, got object'],
  [{ signal: new AbortController() }, TypeError, 'signal must be an AbortSignal, got object'],
  [{ attemptTimeoutMs: 0 }, RangeError, `attemptTimeoutMs must be ${LIMIT}, got 0`],
  [{ totalTimeoutMs: null }, TypeError, `totalTimeoutMs must be ${LIMIT}, got null`],
  [{ retryIf: true }, TypeError, 'retryIf must be a function, got boolean'],
  [{ random: 0.5 }, TypeError, 'random must be a function, got number'],
  [{ unref: 1 }, TypeError, 'unref must be a boolean, got number'],
  [{ retries: 3 }, TypeError, `unknown option "retries"; ${UNKNOWN}`],
  [{ ['a\nb'.padEnd(1e6)]: 3 }, TypeError, `unknown option "${'a?b'.padEnd(174)}`],
  ...Object.keys({ backoff: 1, minMs: 1, onRetry: 1, seed: 1, protection: 1, finalError: 1, toString: 1 }).map(
    (name) => [{ [name]: 1 }, TypeError, `unknown option "${name}"; ${UNKNOWN}`],
  ),
];

test('bad options: one short sentence, and the callback is not called', async () => {
  for (const [options, kind, text] of REFUSED) {
    const fn = failing(1);
    const error = await retry(fn, options).catch((error) => error);
    assert.ok(error instanceof kind && fn.calls() === 0, String(error));
    assert.equal(error.message, `rejitter: ${text}`);
    assert.throws(() => delayMs(1, options), { name: kind.name, message: error.message });
  }
  await assert.rejects(retry(5), { name: 'TypeError', message: 'rejitter: fn must be a function, got number' });
  const inherited = Object.create({ maxAttempts: 1, retries: 1 });
  inherited.unref = undefined;
  inherited.unknown = undefined;
  inherited.jitter = 'none';
  const fn = failing(1);
  const { clock } = await underClock(() => retry(fn, Object.freeze(inherited)));
  assert.deepEqual([fn.calls(), clock.delays], [6, [100, 200, 400, 800, 1600]]);
});

for (const [how, code, options] of [
  ['ESM', `import { retry } from 'rejitter/light';`, {}],
  [
    'CommonJS',
    `const { retry } = require('rejitter/light');`,
    { ext: 'cjs', flags: ['--no-experimental-require-module'] },
  ],
]) {
  test(`${how}: two failures, then success, without WebAssembly`, async () => {
    const { stdout, stderr } = await runNode(
      `${code}
      delete globalThis.WebAssembly;
      let calls = 0;
      const fn = () => { if (++calls < 3) throw new Error('flaky'); return calls; };
      retry(fn, { baseMs: 2 }).then(console.log);`,
      options,
    );
    assert.deepEqual([stdout, stderr], ['3\n', '']);
  });
}

test('the loop fits on a screen', () => {
  const lines = (name) => readFileSync(join(modules, 'lib', 'light', name), 'utf8').split('\n').length;
  assert.ok(lines('index.js') <= 50);
});
