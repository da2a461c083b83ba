// Scripted operations (tests/vectors/operations.json): how an operation ends, its report, its waits, and the order and
// times of all callbacks. `retry` and `retrySync` run the cases; Rust runs the same file. Policies, rejitter/light,
// hostile values, and what is left at the end: the random schedules (../schedules).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { OPTIONS } from '../../../xtask/npm/options.mjs';
import { AWAITED, HOOKS, OBSERVERS, fails } from '../lib/callbacks.mjs';
import { replace, underBlockingClock, underClock } from '../lib/clock.mjs';
import { importPackage, infinite, repo, vectors } from '../lib/consumer.mjs';
import { evaluate, literal, tableIn } from '../lib/readers.mjs';
import { OWN_CURVE } from '../schedules/waits.mjs';

const { RetryError, TimeoutError, permanent, retry, retryAfter, retryReport, retrySync } = await importPackage();
/** Rows leave out what is empty. */
const cases = vectors('operations', infinite).map((row) => ({ needs: [], options: {}, waits: [], ...row }));

/** Features that retrySync lacks. */
const LACKS = ['interrupts', 'attemptTimeout', 'idleTimeout', 'pause'];
/** By names that no bundler shortens. */
const CLASSES = { RetryError, TimeoutError, TypeError, RangeError };
/** What an attempt tells, by the names of the functions. */
const VERBS = ['alive', 'progress', 'commit'];
const START = 1000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Answers of a callback, by attempt. The last one repeats. */
const nth = (script, n) => script[Math.min(n, script.length) - 1];

/**
 * Prepares a case for a run.
 * @param {{ now: number }} clock
 * @param {(ms: number, end: () => unknown) => unknown} after performs `end` after this many milliseconds
 * @param {(ms: number, end: () => void) => void} [arm] starts a timer; without one, all is told when it begins
 */
function play(script, { hooks, clock, after, arm }) {
  const values = new Map();
  const names = new Map();
  const named = (name, make) => {
    if (!values.has(name)) names.set(values.set(name, make(name)).get(name), name);
    return values.get(name);
  };
  const error = (name) => named(name, () => new Error(name));
  const result = (name) => named(`=${name}`, () => ({ name }));
  const reason = (name) => named(name, () => ({ reason: name }));

  const calls = [];
  const waits = [];
  const controller = new AbortController();
  let attempts = 0;
  let given;
  const log = (name, number = attempts) => {
    calls.push(`${clock.now - START} ${name} ${number}`);
    if (script.abort?.by === `${name} ${number}`) controller.abort(reason(script.abort.reason));
  };

  const fn = (attempt) => {
    attempts = attempt.attempt;
    log('fn');
    const step = nth(script.attempts, attempts);
    for (const verb of VERBS) {
      // A function of its own, as listeners are.
      const { [verb]: tell } = attempt;
      for (const ms of [step[verb] ?? []].flat()) {
        if (ms === 0 || arm === undefined) tell();
        else arm(ms, tell);
      }
    }
    if (step.hangs) return new Promise(() => {});
    return after(step.takes, () => {
      if (step.returnsPermanent !== undefined) return permanent(error(step.returnsPermanent));
      if (step.returns !== undefined) return result(step.returns);
      const thrown = error(step.throws);
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
  return { fn, options, calls, waits, nameOf, given: () => given };
}

/** The outcome in the form of the cases: of an error of the package, or of a callback, what it holds as well. */
function outcomeOf({ error, value, failed }, nameOf) {
  if (!failed) return { resolves: nameOf(value) };
  const name = nameOf(error);
  if (!(error instanceof Error)) return { rejects: name };
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

/** Compares a run with what the case expects. `hooks`: whether the hooks were set that show most of it. */
function check(script, played, ended, hooks) {
  const { outcome, waits, calls, needs, reason, elapsedMs, hintMs, dropped = 0, records } = script;
  const { nameOf } = played;
  assert.deepEqual(outcomeOf(ended, nameOf), outcome);
  // The cause is not enumerable, like that of an error which the language makes.
  assert.ok(!Object.keys(Object(ended.error)).includes('cause'));
  const seen = hooks ? calls : calls.filter((call) => !HOOKS.some((name) => call.includes(` ${name} `)));
  assert.deepEqual(played.calls, seen);
  const kept = played.given()?.report ?? retryReport(ended.failed ? ended.error : ended.value);
  if (hooks) assert.deepEqual(played.waits, waits);
  if (reason === undefined) return assert.equal(kept, undefined);
  if (!hooks && needs.includes('abort')) return;
  const attempts = records.at(-1)?.attempt ?? 0;
  const hint = hintMs !== undefined && { hintMs };
  assert.deepEqual(reportOf(kept, nameOf), { reason, attempts, elapsedMs, dropped, records, ...hint });
}

/**
 * Runs a case by `retry`, with timers that fire early, as those of hosts do: the package arms one for the rest.
 * @param {boolean} defer whether an attempt rejects instead of throwing
 */
async function runAsync(script, hooks, defer) {
  /** The script's own timers, and one of 1 ms, which has no rest, are in time. */
  let inTime = false;
  const skew = () => (inTime || armed.at(-1).ms === 1 ? 0 : -1);
  let armed;
  const { error } = await underClock(
    async (clock) => {
      ({ armed } = clock);
      const arm = (ms, end) => {
        const rest = ms - MAX_TIMER_MS;
        inTime = true;
        clock.arm(rest > 0 ? () => arm(rest, end) : end, Math.min(ms, MAX_TIMER_MS), []);
        inTime = false;
      };
      const blocks = script.needs.includes('blocking');
      const after = (ms, end) => {
        if (blocks) clock.now += ms ?? 0;
        if (blocks || (ms === undefined && !defer)) return end();
        return new Promise((done) => (ms === undefined ? done() : arm(ms, done))).then(end);
      };
      const played = play(script, { hooks, clock, after, arm });
      const [{ status, value, reason: error }] = await Promise.allSettled([retry(played.fn, played.options)]);
      if (script.elapsedMs !== undefined) assert.equal(clock.now - START, script.elapsedMs);
      check(script, played, { value, error, failed: status === 'rejected' }, hooks);
    },
    { start: START, skew, pause: script.pause },
  );
  if (error) throw error;
}

function runSync(script, hooks) {
  let played;
  const body = (clock) => {
    const after = (ms, end) => {
      clock.now += ms ?? 0;
      return end();
    };
    played = play(script, { hooks, clock, after });
    return retrySync(played.fn, played.options);
  };
  const { error, value, threw } = underBlockingClock(body, { start: START });
  check(script, played, { error, value, failed: threw === true }, hooks);
}

const blocks = ({ needs }) => !needs.some((need) => LACKS.includes(need));

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
        for (const defer of [false, true]) await runAsync(script, hooks, defer);
        // With hooks, a predicate for results would be heard of: they are told of the results that it decides about.
        if (!hooks) await runAsync(spelledOut(script), hooks, false);
        if (blocks(script)) runSync(script, hooks);
      }
    } finally {
      putBack();
    }
  });

test('there are cases of every reason, every callback and every feature, and retrySync runs many', () => {
  const sorted = (list) => [...new Set(list)].sort();
  assert.equal(sorted(cases.map(({ name }) => name)).length, cases.length);
  const reasons = 'aborted callback committed deadline exhausted hint notRetryable permanent timeout'.split(' ');
  assert.deepEqual(sorted(cases.flatMap(({ reason = [] }) => reason)), reasons);
  const callbacks = [...OBSERVERS, 'fn', 'retryIf', 'retryOnResult', 'backoff', 'random'];
  assert.deepEqual(sorted(cases.flatMap(({ calls }) => calls.map((call) => call.split(' ')[1]))), sorted(callbacks));
  const documented = tableIn(readFileSync(join(repo, 'tests', 'vectors', 'README.md'), 'utf8'), 'feature');
  assert.deepEqual(sorted(cases.flatMap(({ needs }) => needs)), sorted(documented.map(([name]) => literal(name))));
  assert.ok(cases.filter(blocks).length >= 60);
});
