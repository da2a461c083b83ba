// Scripted operations (tests/vectors/operations.json): how an operation ends, its report, its waits, and the order and
// times of all callbacks. `retry`, a policy, `retrySync` and the `retry` of rejitter/light run the cases; Rust runs the
// same file.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

import { OPTIONS } from '../../../xtask/npm/options.mjs';
import { AWAITED, HOOKS, OBSERVERS, fails } from '../lib/callbacks.mjs';
import { replace, underBlockingClock, underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, infinite, repo, vectors } from '../lib/consumer.mjs';
import { evaluate, literal, tableIn } from '../lib/readers.mjs';
import { KINDS, value as valueOf } from '../schedules/values.mjs';
import { OWN_CURVE } from '../schedules/waits.mjs';

const { RetryError, RetryPolicy, TimeoutError, permanent, retry, retryAfter, retryReport, retrySync } =
  await importPackage();
const { retry: lightRetry } = await importEntry('light');
/** Rows leave out what is empty. */
const cases = vectors('operations', infinite).map((row) => ({ needs: [], options: {}, waits: [], ...row }));

/** Features that each function lacks. */
const LACKS = {
  retry: [],
  retrySync: ['interrupts', 'attemptTimeout'],
  light: [AWAITED, ...'blocking curve finalError finalResult hint hooks results'.split(' ')],
};
/** All options of rejitter/light that a case sets. */
const LIGHT = ['maxAttempts', 'baseMs', 'capMs', 'factor', 'jitter', 'attemptTimeoutMs', 'totalTimeoutMs'];
/** By names that no bundler shortens. */
const CLASSES = { RetryError, TimeoutError, TypeError, RangeError };
const START = 1000;
const MAX_TIMER_MS = 2 ** 31 - 1;

const TRAPS = ['get', 'set', 'defineProperty', 'getPrototypeOf', 'has', 'ownKeys'];
/** Errors of attempts: any value is one, is compared by its identity, and nothing of it need be readable. */
const HOSTILE = [
  // A map takes minus zero for zero.
  ...KINDS.filter((kind) => kind !== 'minus').map(valueOf),
  ...[false, 0n, Object.seal({}), runInNewContext('new TypeError("foreign")')],
  new Proxy(new Error('hidden'), Object.fromEntries(TRAPS.map((trap) => [trap, fails(new Error(trap))]))),
  Object.defineProperty(new Error(), 'message', { get: fails('read') }),
  Object.assign(new Error(), { message: Symbol('no text') }),
];

/** Undefined is the same as none. */
const UNSET = Object.fromEntries(OPTIONS.map(({ name }) => [name, undefined]));

/** Answers of a callback, by attempt. The last one repeats. */
const nth = (script, n) => script[Math.min(n, script.length) - 1];

/**
 * Prepares a case for one run, or for more if `again` is called between them.
 * @param {{ now: number }} clock
 * @param {(ms: number, end: () => unknown) => unknown} after performs `end` after this many milliseconds
 * @param {(ms: number, end: () => void) => void} [arm] starts a timer
 * @param {boolean} [watches] whether attempts ask for their signals; the options that are not set are undefined then
 * @param {boolean} [hostile] whether the errors of attempts are such values
 */
function play(script, { hooks, clock, after, arm, watches = false, hostile = false }) {
  const values = new Map();
  const names = new Map();
  const named = (name, make) => {
    if (!values.has(name)) names.set(values.set(name, make(name)).get(name), name);
    return values.get(name);
  };
  const error = (name) => named(name, () => new Error(name));
  const from = cases.findIndex(({ name }) => name === script.name);
  const thrownBy = (name) =>
    named(name, () => (hostile ? HOSTILE[(from + values.size) % HOSTILE.length] : new Error(name)));
  const result = (name) => named(`=${name}`, () => ({ name }));
  const reason = (name) => named(name, () => ({ reason: name }));

  const calls = [];
  const waits = [];
  const controller = new AbortController();
  let attempts = 0;
  let given;
  const signals = [];
  const log = (name, number = attempts) => {
    calls.push(`${clock.now - START} ${name} ${number}`);
    if (script.abort?.by === `${name} ${number}`) controller.abort(reason(script.abort.reason));
  };

  const fn = (attempt) => {
    attempts = attempt.attempt;
    log('fn');
    // Of its own: what ended another attempt has not aborted it.
    if (watches) signals.push(attempt.signal);
    if (watches && attempt.signal.aborted !== controller.signal.aborted) log('aborted');
    const step = nth(script.attempts, attempts);
    if (step.hangs) return new Promise(() => {});
    return after(step.takes, () => {
      if (step.returnsPermanent !== undefined) return permanent(thrownBy(step.returnsPermanent));
      if (step.returns !== undefined) return result(step.returns);
      const thrown = thrownBy(step.throws);
      const marked = step.retryAfterMs === undefined ? thrown : retryAfter(step.retryAfterMs, thrown);
      throw step.permanent ? permanent(marked) : marked;
    });
  };
  const callback = (name, at = (answers) => nth(answers, attempts)) => {
    if (script[name] === undefined) return {};
    const call = (outcome) => {
      // Without its marks.
      const isOwn = name !== 'retryIf' || names.has(outcome) || outcome instanceof TimeoutError;
      log(isOwn ? name : `${name}, of another error,`);
      const answer = at(script[name]);
      if (answer?.hangs) return new Promise(() => {});
      const end = () => {
        if (answer?.throws !== undefined) throw error(answer.throws);
        return answer?.takes === undefined ? answer : answer.returns;
      };
      // These two cannot be awaited.
      return name === 'backoff' || name === 'random' ? end() : after(answer?.takes, end);
    };
    return { [name]: call };
  };
  let draws = 0;
  const hook = (name) => (event) => {
    log(Object.isFrozen(event) ? name : `${name}, not frozen,`, event.attempt);
    if (name === 'onRetry') waits.push(event.delayMs);
    if (name === 'onGiveUp') given = event;
    if (script.hooks?.[name] === 'throws') throw new Error('a hook that throws');
  };
  const { abort } = script;
  if (abort?.before) controller.abort(reason(abort.reason));
  if (abort?.atMs !== undefined) arm(abort.atMs, () => controller.abort(reason(abort.reason)));
  const options = {
    ...(watches && UNSET),
    ...script.options,
    ...Object.assign({}, ...['retryIf', 'retryOnResult', AWAITED, 'backoff'].map((name) => callback(name))),
    ...callback('random', (answers) => {
      assert.ok(draws < answers.length, 'random() was called more often than the script says');
      return answers[draws++];
    }),
    ...(hooks && Object.fromEntries(HOOKS.map((name) => [name, hook(name)]))),
    ...(abort !== undefined && { signal: controller.signal }),
  };
  /** The name of an outcome in the script, or the class of an error of the package. */
  const nameOf = (value) =>
    names.get(value)?.replace(/^=/, '') ??
    Object.entries(CLASSES).find(([, each]) => value instanceof each)?.[0] ??
    value?.name;
  const again = () => {
    for (const list of [calls, waits, signals]) list.length = 0;
    attempts = draws = 0;
    given = undefined;
  };
  return { fn, options, calls, waits, nameOf, given: () => given, again, signals, signal: controller.signal };
}

/** The outcome in the form of the cases: of an error of the package, or of a callback, what it holds as well. */
function outcomeOf({ error, value, failed }, nameOf) {
  if (!failed) return { resolves: nameOf(value) };
  const name = nameOf(error);
  if (HOSTILE.includes(error) || !(error instanceof Error)) return { rejects: name };
  return {
    rejects: name,
    ...(Object.hasOwn(error, 'cause') && { cause: nameOf(error.cause) }),
    ...(error instanceof RetryError && { errors: error.errors.map(nameOf) }),
    ...(error instanceof RetryError && error.result !== undefined && { result: nameOf(error.result) }),
  };
}

/** The report in the form of the cases. */
function reportOf({ records, ...rest }, nameOf) {
  const named = (record, kind) => (kind in record ? { ...record, [kind]: nameOf(record[kind]) } : record);
  return { ...rest, records: records.map((record) => named(named(record, 'error'), 'result')) };
}

/**
 * Compares a run with what the case expects. `hooks`: whether the hooks were set that show most of it; `light`: whether
 * there are reports, and whether a failure becomes the cause of a callback's error.
 */
function check(script, played, ended, hooks, light = false) {
  const { outcome, waits, calls, needs, reason, elapsedMs, hintMs, dropped = 0, records } = script;
  const { nameOf } = played;
  const { cause, ...bare } = outcome;
  assert.deepEqual(outcomeOf(ended, nameOf), light && needs.includes('callbackErrors') ? bare : outcome);
  // The cause is not enumerable, like that of an error which the language makes.
  if (!HOSTILE.includes(ended.error)) assert.ok(!Object.keys(Object(ended.error)).includes('cause'));
  const seen = hooks ? calls : calls.filter((call) => !HOOKS.some((name) => call.includes(` ${name} `)));
  assert.deepEqual(played.calls, seen);
  const kept = played.given()?.report ?? retryReport(ended.failed ? ended.error : ended.value);
  if (hooks) assert.deepEqual(played.waits, waits);
  if (light) return;
  if (reason === undefined) return assert.equal(kept, undefined);
  if (!hooks && needs.includes('abort')) return;
  const attempts = records.at(-1)?.attempt ?? 0;
  const hint = hintMs !== undefined && { hintMs };
  assert.deepEqual(reportOf(kept, nameOf), { reason, attempts, elapsedMs, dropped, records, ...hint });
}

/**
 * Runs a case by a function that returns a promise, with timers that fire early, as those of hosts do.
 * @param {boolean} defer whether an attempt rejects instead of throwing
 */
async function runAsync(script, hooks, defer, run = retry) {
  const early = new Set();
  const options = { start: START, skew: (id) => (early.has(id) ? -1 : 0) };
  let settledAt;
  const { error } = await underClock(async (clock) => {
    /** Timers of the script itself. */
    const own = new Set();
    const arm = (ms, end) => {
      const rest = ms - MAX_TIMER_MS;
      own.add(clock.arm(rest > 0 ? () => arm(rest, end) : end, Math.min(ms, MAX_TIMER_MS), []));
    };
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (callback, ms) => {
      // The package arms a timer for the rest; after one of 1 ms there is none.
      if (ms !== 1) early.add(clock.count + 1);
      armed.push(ms);
      const unref = fails(new Error('no case sets unref'));
      return Object.assign(setTimeout(callback, ms), { unref });
    };
    const armed = [];
    const blocks = script.needs.includes('blocking');
    const after = (ms, end) => {
      if (blocks) clock.now += ms ?? 0;
      if (blocks || (ms === undefined && !defer)) return end();
      return new Promise((done) => (ms === undefined ? done() : arm(ms, done))).then(end);
    };
    const hostile = defer && (hooks || run === lightRetry);
    const played = play(script, { hooks, clock, after, watches: defer, arm, hostile });
    const ended = async (operation) => {
      const startedAt = clock.now;
      const [{ status, value, reason: error }] = await Promise.allSettled([operation()]);
      settledAt = clock.now - startedAt;
      return { value, error, failed: status === 'rejected' };
    };
    const settles = (end) => {
      check(script, played, end, hooks, run === lightRetry);
      if (script.elapsedMs !== undefined) assert.equal(settledAt, script.elapsedMs);
      for (const ms of armed) assert.ok(Number.isInteger(ms) && ms >= 0 && ms <= MAX_TIMER_MS, `setTimeout(${ms})`);
      // Each wait, of 0 as well, lets the event loop turn.
      assert.ok(script.abort || armed.length >= script.waits.length, 'a timer for each wait');
      for (const timer of clock.pending.values()) assert.ok(own.has(timer), 'no timer is left');
      assert.equal(getEventListeners(played.signal, 'abort').length, 0, 'no listener is left');
      for (const { attempt, error } of (played.signals.length > 0 && script.records) || [])
        if (error === 'TimeoutError')
          assert.ok(played.signals[attempt - 1].aborted, `the signal of attempt ${attempt}`);
    };
    settles(await ended(() => run(played.fn, played.options)));
    // Operations of a policy share nothing, but that each has draws of its own: a seed belongs to the first one.
    if (run !== retry || script.abort !== undefined) return;
    const policy = new RetryPolicy({ ...played.options, metrics: true });
    for (let i = 0; i < 2; i++) {
      played.again();
      armed.length = 0;
      clock.now = START;
      const end = await ended(() => policy.run(played.fn));
      if (i === 0 || script.options.seed === undefined) settles(end);
      else if (hooks) assert.notDeepEqual(played.waits, script.waits);
      assert.equal(policy.metrics().inFlight, 0);
    }
  }, options);
  if (error) throw error;
}

function runSync(script, hooks) {
  let played;
  const body = (clock) => {
    const after = (ms, end) => {
      clock.now += ms ?? 0;
      return end();
    };
    played = play(script, { hooks, clock, after, hostile: hooks });
    return retrySync(played.fn, played.options);
  };
  const { error, value, threw } = underBlockingClock(body, { start: START });
  check(script, played, { error, value, failed: threw === true }, hooks);
}

const able = (name, { needs }) => !needs.some((need) => LACKS[name].includes(need));

/** The case for rejitter/light, whose backoff is constant with the factor 1; undefined if it lacks an option. */
function lightCase({ options: { backoff, ...options }, ...script }) {
  if (backoff === 'fixed') options.factor = 1;
  const known = Object.keys(options).every((name) => LIGHT.includes(name));
  const same = [undefined, 'fixed', 'exponential'].includes(backoff) && typeof script.backoff !== 'object';
  const drawn = ['full', 'equal', 'none', undefined].includes(options.jitter);
  const returned = script.attempts.some(({ returnsPermanent }) => returnsPermanent);
  return able('light', script) && known && same && drawn && !returned ? { ...script, options } : undefined;
}

/** The case with each default of the table of options as an option, if that may stand beside those of the case. */
function spelledOut({ options, ...script }) {
  const { backoff = 'exponential', jitter = 'full', baseMs, capMs } = { ...options, ...script };
  const own = OWN_CURVE.includes(jitter);
  const allowed = {
    ...{ backoff: script.backoff === undefined && !own, factor: backoff === 'exponential' && !own },
    ...{ stepMs: backoff === 'linear' && !own, truncateAt: backoff === 'truncated', metrics: false },
    baseMs: capMs === undefined && backoff !== 'truncated',
    capMs: baseMs === undefined && typeof backoff === 'string',
  };
  const defaults = OPTIONS.filter(({ name, standard }) => standard !== '' && (allowed[name] ?? true)).map(
    ({ name, standard }) => [name, evaluate(standard, { baseMs: baseMs ?? 100 })],
  );
  return { ...script, options: { ...Object.fromEntries(defaults), ...options } };
}

for (const script of cases)
  test(script.name, async () => {
    // Hooks that throw are reported to what throws, too, as the consoles of some test environments do.
    const putBack = replace(console, 'error', fails(new Error('written to the console')));
    try {
      // Without hooks the package takes shorter ways, and an attempt may throw or reject.
      for (const hooks of script.needs.includes('hooks') ? [true] : [true, false]) {
        if (able('retry', script)) {
          for (const defer of [false, true]) await runAsync(script, hooks, defer);
          // With hooks, a predicate for results would be heard of: they are told of the results that it decides about.
          if (!hooks) await runAsync(spelledOut(script), hooks, false);
        }
        if (able('retrySync', script)) runSync(script, hooks);
      }
      const light = lightCase(script);
      if (light) for (const defer of [false, true]) await runAsync(light, false, defer, lightRetry);
    } finally {
      putBack();
    }
  });

test('there are cases of every reason, every callback and every feature, and each function runs many', () => {
  const sorted = (list) => [...new Set(list)].sort();
  assert.equal(sorted(cases.map(({ name }) => name)).length, cases.length);
  const reasons = 'aborted callback deadline exhausted hint notRetryable permanent timeout'.split(' ');
  assert.deepEqual(sorted(cases.flatMap(({ reason = [] }) => reason)), reasons);
  const callbacks = [...OBSERVERS, 'fn', 'retryIf', 'retryOnResult', 'backoff', 'random'];
  assert.deepEqual(sorted(cases.flatMap(({ calls }) => calls.map((call) => call.split(' ')[1]))), sorted(callbacks));
  const documented = tableIn(readFileSync(join(repo, 'tests', 'vectors', 'README.md'), 'utf8'), 'feature');
  assert.deepEqual(sorted(cases.flatMap(({ needs }) => needs)), sorted(documented.map(([name]) => literal(name))));
  for (const runs of [(script) => able('retry', script), (script) => able('retrySync', script), lightCase])
    assert.ok(cases.filter(runs).length >= 60);
});
