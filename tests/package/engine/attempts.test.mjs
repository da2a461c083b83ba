// How attempts follow each other: what they show, the predicate between them, the draws and the time of the waits.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { VirtualClock, underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryPolicy, TimeoutError, retry, retryAfter, retryReport } = await importPackage();
const E = new Error('failing');
const failing = fails(E);

test('one draw per wait that has one, none for the attempts', async () => {
  const kinds = ['none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'];
  for (const jitter of [...kinds, { type: 'proportional', ratio: 0.5 }, { type: 'additive', maxMs: 5 }]) {
    let draws = 0;
    const random = () => {
      draws += 1;
      return 0.5;
    };
    const options = { jitter, maxAttempts: 5, random };
    const own = jitter === 'none' ? 0 : 4;
    for (const [run, expected] of [
      [() => operate(failing, options), own],
      [() => [...new RetryPolicy(options).delays()], own],
      [() => operate(failing, { ...options, retryIf: () => ({ afterMs: 5 }) }), 0],
      [() => operate(fails(retryAfter(5)), options), 4],
    ]) {
      draws = 0;
      await run();
      assert.equal(draws, expected, `${run}, ${JSON.stringify(jitter)}`);
    }
  }
});

test('pollyV2 with a custom random: the second draw of a wait comes from the lower digits of the first', async () => {
  const draws = [0.9, 0.8, 0.7, 0.6];
  // Above the cap the value is cap/2 + r′·cap/2.
  const options = { jitter: 'pollyV2', baseMs: 1000, capMs: 1000, maxAttempts: 5 };
  let i = 0;
  const { delays } = await operate(failing, { ...options, random: () => draws[i++] });
  assert.equal(i, 4);
  assert.ok(
    draws.some((r, k) => delays[k] === Math.ceil(500 + ((r * 2 ** 26) % 1) * 500)),
    delays.join(),
  );
  // The redraw is as uniform as with two draws, though only large values of r need it.
  const curve = { jitter: 'pollyV2', baseMs: 1000, capMs: 3000, maxAttempts: 4 };
  const lowerHalf = (policyOf) => {
    const upper = Array.from({ length: 4096 }, (_, seed) => [...policyOf(seed).delays()][2]).filter((ms) => ms >= 1500);
    return upper.filter((ms) => ms < 2250).length / upper.length;
  };
  const oneDraw = lowerHalf((seed) => {
    const uniform = new RetryPolicy({ backoff: 'fixed', baseMs: 1, seed }).delays();
    return new RetryPolicy({ ...curve, random: () => uniform.next().value });
  });
  const twoDraws = lowerHalf((seed) => new RetryPolicy({ ...curve, seed }));
  assert.ok(Math.abs(oneDraw - twoDraws) < 0.05, `${oneDraw} and ${twoDraws}`);
});

test('the first attempt is called in the stack of the caller, without a receiver, with the attempt alone', async () => {
  let called = false;
  function caller() {
    return retry(function (...args) {
      called = true;
      assert.deepEqual([this, args.length], [undefined, 1]);
      return new Error('here').stack;
    });
  }
  const promise = caller();
  assert.ok(called);
  assert.match(await promise, /at caller /);
});

test('retryIf is called once for each failure, with the error and the attempt that fn got', async () => {
  const given = [];
  const received = [];
  const fn = (attempt) => {
    given.push([`e${attempt.attempt}`, attempt]);
    throw `e${attempt.attempt}`;
  };
  const { error } = await operate(fn, { maxAttempts: 3, retryIf: (...args) => received.push(args) > 0 });
  assert.equal(error, 'e3');
  // Also after the last failure: the predicate comes before the number of attempts.
  assert.equal(received.length, 3);
  for (const [i, args] of received.entries()) {
    assert.deepEqual([args.length, args[0]], [2, given[i][0]]);
    assert.equal(args[1], given[i][1]);
  }
});

test('retryIf answers with a boolean, a promise or a thenable of one; what it throws is the rejection', async () => {
  const stop = new Error('stop here');
  for (const answer of [(yes) => yes, async (yes) => yes, (yes) => ({ then: (ok) => ok(yes) })]) {
    const fn = ({ attempt }) => fails(attempt === 3 ? stop : E)();
    const { error, calls, delays } = await operate(fn, { maxAttempts: 10, retryIf: (e) => answer(e !== stop) });
    assert.equal(error, stop);
    assert.deepEqual([calls, delays.length], [3, 2]);
  }
  for (const retryIf of [
    fails('own'),
    () => Promise.reject('own'),
    () => ({ then: (_, no) => no('own') }),
    () => Object.defineProperty({}, 'then', { get: fails('own') }),
  ]) {
    const { error, rejected, calls, delays } = await operate(failing, { retryIf });
    assert.deepEqual([rejected, error, calls, delays], [true, 'own', 1, []]);
  }
  for (const answer of [undefined, null, 1, 'yes', {}, Promise.resolve(undefined), Promise.resolve('no')]) {
    const { error, calls } = await operate(failing, { retryIf: () => answer });
    assert.ok(error instanceof TypeError, String(error));
    assert.match(error.message, /retryIf.*true.*false/);
    assert.equal(calls, 1);
  }
});

test('each attempt has an unaborted signal of its own, the same each time it is read', async () => {
  const signals = new Set();
  await operate((attempt) => {
    assert.ok(attempt.signal instanceof AbortSignal && !attempt.signal.aborted);
    assert.equal(attempt.signal, attempt.signal);
    signals.add(attempt.signal);
    if (attempt.attempt < 4) throw 0;
  });
  assert.equal(signals.size, 4);
});

test('an attempt shows the error before it, the time, and the wait as computed', async () => {
  const seen = [];
  const fn = (attempt, clock) => {
    const { previousError, previousDelayMs, remainingMs, elapsedMs } = attempt;
    clock.now += 7;
    seen.push([previousError, previousDelayMs, remainingMs, elapsedMs, attempt.elapsedMs]);
    if (attempt.attempt < 4) throw `error ${attempt.attempt}`;
  };
  await operate(fn, { random: () => 0.123 });
  assert.deepEqual(seen, [
    [undefined, undefined, Infinity, 0, 7],
    ['error 1', 0.123 * 100, Infinity, 20, 27],
    ['error 2', 0.123 * 200, Infinity, 52, 59],
    ['error 3', 0.123 * 400, Infinity, 109, 116],
  ]);
});

test('an attempt cannot be changed, so that callbacks do not mislead each other', async () => {
  const numbers = [];
  await operate((attempt) => {
    for (const name of ['attempt', 'signal', 'previousError', 'elapsedMs'])
      assert.throws(() => Object.assign(attempt, { [name]: 99 }), TypeError, name);
    numbers.push(attempt.attempt);
    if (attempt.attempt < 3) throw 0;
  });
  assert.deepEqual(numbers, [1, 2, 3]);
});

/** The starts of the attempts of an operation that fails to its end. */
async function startsOf(options, ofClock) {
  const starts = [];
  const fn = (_, clock) => {
    starts.push(clock.now);
    throw E;
  };
  const { clock } = await operate(fn, { backoff: 'fixed', jitter: 'none', capMs: Infinity, ...options }, ofClock);
  assert.equal(clock.pending.size, 0);
  return starts;
}

test('T13 timers that fire 3 ms late or 1 ms early neither add an attempt nor run two together', async () => {
  const starts = await startsOf({ baseMs: 20, maxAttempts: 50 }, { skew: (nth) => (nth % 2 ? 3 : -1) });
  assert.equal(starts.length, 50);
  for (const [i, start] of starts.slice(1).entries()) {
    const gap = start - starts[i];
    assert.ok(gap >= 20 && gap <= 24, `wait ${i + 1} lasted ${gap} of 20 ms`);
  }
});

test('each timer of a long wait fires early: the wait is not cut short by what they add up to', async () => {
  const [first, second] = await startsOf({ baseMs: 2 ** 34, maxAttempts: 2 }, { skew: () => -0.9 });
  const missing = 2 ** 34 - (second - first);
  assert.ok(missing < 1, `${missing} ms too early`);
});

test('a wait starts when random and backoff have returned, whatever they took', async () => {
  for (const slow of ['random', 'backoff']) {
    let end;
    const starts = [];
    await underClock((clock) => {
      const slowly = (value) => () => {
        clock.now += 500;
        end = clock.now;
        return value;
      };
      const options = { random: () => 0, backoff: () => 2 ** 32, maxAttempts: 2, capMs: Infinity };
      const jitter = { type: 'additive', maxMs: 1 };
      const fn = () => {
        starts.push(clock.now);
        throw E;
      };
      return retry(fn, { ...options, jitter, [slow]: slowly(options[slow]()) });
    });
    assert.equal(starts[1] - end, 2 ** 32, slow);
  }
});

test('an onAttempt hook that blocks past the deadline: no attempt starts', async () => {
  for (const blocked of [1, 2]) {
    let calls = 0;
    const { error, clock } = await underClock((clock) => {
      const onAttempt = ({ attempt }) => {
        if (attempt === blocked) clock.now += 200;
      };
      const fn = () => {
        calls += 1;
        throw E;
      };
      return retry(fn, { baseMs: 1, totalTimeoutMs: 100, onAttempt });
    });
    const { attempts, reason } = retryReport(error);
    assert.deepEqual([calls, attempts, clock.pending.size], [blocked - 1, blocked - 1, 0]);
    assert.equal(reason, blocked === 1 ? 'timeout' : 'deadline');
    if (blocked === 1) assert.match(`${error instanceof TimeoutError} ${error.message}`, /^true .*before the first/);
    else assert.equal(error, E);
  }
});

test('a clock that does not move is not waited for: a fake that only fires timers', async () => {
  for (const baseMs of [1, 2, 3, 50]) {
    const clock = new VirtualClock().install();
    try {
      Object.defineProperty(performance, 'now', { value: () => 12345, configurable: true, writable: true });
      const options = { backoff: 'fixed', jitter: 'none', baseMs };
      let value;
      retry(({ attempt }) => (attempt < 4 ? failing() : attempt), options).then((v) => {
        value = v;
      });
      // Three waits; a re-armed timer or two in each is fine, an endless series is not.
      for (let i = 0; i < 20 && value === undefined; i += 1) await clock.step();
      assert.equal(value, 4, `baseMs ${baseMs}: ${clock.armed.length} timers were armed without an end`);
    } finally {
      clock.uninstall();
    }
  }
});
