// Each callback of a connection that is kept aborts it, wakes it, or throws: nothing is left, nothing is called later.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { onClock, sleep, turn, withGlobals } from '../lib/clock.mjs';
import { importEntry } from '../lib/consumer.mjs';
import { importAll } from '../protection/entry.mjs';

const { keepConnected } = await importEntry('reconnect');
const { RetryPolicy, breaker, cooldown, limiter, protect, retryAfter } = await importAll();

const bug = new Error('bug');
const hang = () => new Promise(() => {});
const refused = () => Promise.reject(new Error('refused'));

/** Refuses the first attempt of two. A connection is open for a second. */
const comesAndGoes = ({ attempt, opened }, liveness) =>
  attempt % 2 ? refused() : (opened(liveness) ?? sleep(1000).then(refused));
const opens = ({ opened }, liveness) => opened(liveness) ?? hang();

const BREAKER = () => [breaker({ consecutiveFailures: 1, openMs: 3000 })];
/** One starts in ten seconds. */
const RATE = () => [limiter({ limit: 1, perMs: 10_000 })];

/** The callbacks, and what it takes that they are called. Those that `fail` end all by what they throw. */
const CALLBACKS = {
  wakeOn: { fails: true },
  onAttempt: {},
  session: {},
  'the ping of an option': { lives: opens },
  'a getter of an option': { lives: opens },
  onOpen: {},
  "the session's signal": { mayThrow: false },
  onFailure: {},
  retryIf: { fails: true },
  'the promise of retryIf': { fails: true },
  backoff: { fails: true },
  random: { fails: true },
  onRetry: {},
  onGiveUp: { maxAttempts: 1 },
  unsubscribe: { maxAttempts: 1 },
  isFailure: { parts: BREAKER },
  opened: { parts: BREAKER },
  rejected: { parts: BREAKER },
  'half-open': { parts: BREAKER },
  closed: { parts: BREAKER },
  queued: { parts: RATE },
  weight: { parts: RATE, fails: true },
  acquire: { parts: (called) => [limiter({ acquire: called('acquire', () => 0) })] },
  held: { parts: () => [cooldown()], isHeld: true },
};

const ACTS = {
  aborts: ({ controller }) => controller.abort(),
  wakes: ({ wake }) => wake?.(),
  throws: () => {
    throw bug;
  },
};

/** The options, with `called(name, callback)` for each callback. */
function optionsOf(called, known, { maxAttempts, parts }) {
  const onEvent = ({ type }) => called(type)();
  const protection = parts && protect(...parts(called), { onEvent, isFailure: called('isFailure') });
  const hooks = ['onAttempt', 'onOpen', 'onFailure', 'onRetry', 'onGiveUp'].map((name) => [name, called(name)]);
  return {
    ...Object.fromEntries(hooks),
    ...(parts && { protection, weight: called('weight', () => 1) }),
    maxAttempts,
    signal: known.controller.signal,
    retryIf: called('retryIf', () => sleep(10).then(called('the promise of retryIf', () => true))),
    backoff: called('backoff', () => 2000),
    random: called('random', () => 0.5),
    wakeOn: called('wakeOn', (wake) => {
      Object.assign(known, { wake, wakers: 1 });
      return () => {
        known.wakers = 0;
        called('unsubscribe')();
      };
    }),
  };
}

/** Sets a cooldown, and uses up its probe. */
async function hold(protection, signal) {
  const policy = new RetryPolicy({ maxAttempts: 1, protection });
  await policy.run(() => Promise.reject(retryAfter(5000, new Error('busy')))).catch(() => {});
  policy.run(hang, { signal }).catch(() => {});
}

/** Keeps a connection whose callback acts at its first call. Returns how it has ended, and what is left. */
async function play(clock, name, act) {
  const { lives = comesAndGoes, isHeld, ...rest } = CALLBACKS[name];
  const known = { controller: new AbortController(), wakers: 0 };
  const other = new AbortController();
  const calls = [];
  let acted = false;
  const called = (own, callback) => (given) => {
    // The other operation has events of its own.
    if (known.kept !== undefined || own === name) calls.push(own);
    const isFirst = own === name && !acted;
    acted ||= isFirst;
    if (isFirst && act !== 'wakes') ACTS[act](known);
    const answer = callback?.(given);
    if (isFirst && act === 'wakes') ACTS[act](known);
    return answer;
  };
  const options = optionsOf(called, known, rest);
  if (isHeld) await hold(options.protection, other.signal);
  const ping = called('the ping of an option');
  const liveness = {
    silenceMs: 2000,
    get ping() {
      called('a getter of an option')();
      return ping;
    },
  };
  const session = called('session', (connection) => {
    connection.signal.addEventListener('abort', called("the session's signal"));
    return lives(connection, liveness);
  });
  let end;
  known.kept = null;
  known.kept = keepConnected(session, options).then(
    ({ reason }) => (end = reason),
    (error) => (end = error),
  );
  for (let i = 0; i < 100 && !acted; i++) await clock.advance(500);
  assert.ok(acted, 'it was called');
  await turn();
  if (act !== 'aborts') {
    await clock.advance(30_000);
    known.controller.abort();
    await turn();
  }
  other.abort();
  const before = calls.length;
  await clock.advance(100_000);
  const { limiter, cooldown } = options.protection?.status() ?? {};
  const places = [limiter?.running, limiter?.queued, cooldown?.held].map((places) => places ?? 0);
  const listeners = getEventListeners(known.controller.signal, 'abort').length;
  return { end, later: calls.slice(before), left: [clock.pending.size, listeners, known.wakers, ...places] };
}

for (const act of Object.keys(ACTS))
  for (const [name, { fails, maxAttempts, mayThrow }] of Object.entries(CALLBACKS))
    if (act !== 'throws' || mayThrow !== false)
      test(`${name} ${act}: nothing is left`, async () => {
        const reported = [];
        const globals = { reportError: (error) => reported.push(error) };
        const { end, later, left } = await withGlobals(globals, () => onClock((clock) => play(clock, name, act)));
        if (act === 'throws' && fails) assert.equal(end, bug);
        else if (maxAttempts === 1) assert.equal(end.message, 'refused');
        else assert.equal(end, 'aborted');
        assert.deepEqual(
          reported.filter((error) => error !== bug),
          [],
          'what was reported',
        );
        assert.deepEqual([later, left], [[], [0, 0, 0, 0, 0, 0]], 'calls, timers, listeners, wake-ups and places');
      });
