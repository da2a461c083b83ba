// How attempts follow each other: their number, their numbers, the predicate between them, the waits.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { VirtualClock, underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { RetryPolicy, retry, retryAfter } = await importPackage();
const fail = (error) => () => {
  throw error;
};

test('one draw per wait that has one, none for the attempts', async () => {
  for (const jitter of [
    'none',
    'full',
    'equal',
    'decorrelated',
    'decorrelatedBounded',
    'slotted',
    'pollyV2',
    { type: 'proportional', ratio: 0.5 },
    { type: 'additive', maxMs: 5 },
  ]) {
    let draws = 0;
    const random = () => {
      draws += 1;
      return 0.5;
    };
    const expected = jitter === 'none' ? 0 : 4;
    for (const [what, run] of Object.entries({
      retry: () => underClock(() => retry(fail(0), { jitter, maxAttempts: 5, random })),
      delays: () => [...new RetryPolicy({ jitter, maxAttempts: 5, random }).delays()],
      afterMs: () =>
        underClock(() => retry(fail(0), { jitter, maxAttempts: 5, random, retryIf: () => ({ afterMs: 5 }) })),
      hint: () =>
        underClock(() =>
          retry(
            () => {
              throw retryAfter(5);
            },
            { jitter, maxAttempts: 5, random },
          ),
        ),
    })) {
      draws = 0;
      await run();
      assert.equal(draws, { afterMs: 0, hint: 4 }[what] ?? expected, `${what}, ${JSON.stringify(jitter)}`);
    }
  }
});

test('pollyV2 with a custom random: the second draw of a wait comes from the lower digits of the first', async () => {
  const draws = [0.9, 0.8, 0.7, 0.6];
  // Above the cap the value is cap/2 + r′·cap/2.
  const options = { jitter: 'pollyV2', baseMs: 1000, capMs: 1000, maxAttempts: 5 };
  let i = 0;
  const { clock } = await underClock(() => retry(fail(0), { ...options, random: () => draws[i++] }));
  assert.equal(i, 4);
  const waits = clock.armed.map(({ ms }) => ms);
  assert.ok(
    draws.some((r, k) => waits[k] === Math.ceil(500 + ((r * 2 ** 26) % 1) * 500)),
    waits.join(),
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

test('the first attempt is called synchronously, in the stack of the caller', () => {
  let called = false;
  function caller() {
    return retry(() => {
      called = true;
      return new Error('here').stack;
    });
  }
  const promise = caller();
  assert.ok(called);
  return promise.then((stack) => assert.match(stack, /at caller /));
});

test('retryIf is called once for each failure, with the error and the attempt that fn got', async () => {
  const given = [];
  const received = [];
  const { error } = await underClock(() =>
    retry(
      (attempt) => {
        given.push(attempt);
        throw `e${attempt.attempt}`;
      },
      {
        maxAttempts: 3,
        retryIf(...args) {
          received.push(args);
          return true;
        },
      },
    ),
  );
  assert.equal(error, 'e3');
  // Also after the last failure: the predicate comes before the number of attempts.
  assert.deepEqual(
    received.map(([e]) => e),
    ['e1', 'e2', 'e3'],
  );
  assert.deepEqual(
    received.map((args) => args.length),
    [2, 2, 2],
  );
  for (const [i, [, attempt]] of received.entries()) {
    assert.equal(attempt, given[i]);
    assert.equal(attempt.attempt, i + 1);
  }
});

for (const [kind, answer] of Object.entries({
  'a boolean': (yes) => yes,
  'a promise of one': async (yes) => yes,
  'a thenable of one': (yes) => ({ then: (ok) => ok(yes) }),
})) {
  test(`retryIf answers with ${kind}`, async () => {
    let calls = 0;
    const stop = new Error('stop here');
    const { clock, error } = await underClock(() =>
      retry(
        () => {
          calls += 1;
          throw calls === 3 ? stop : new Error('go on');
        },
        { maxAttempts: 10, retryIf: (e) => answer(e !== stop) },
      ),
    );
    assert.equal(error, stop);
    assert.equal(calls, 3);
    assert.equal(clock.armed.length, 2);
  });
}

test('a predicate that throws or rejects stops, and the promise rejects with its own error', async () => {
  for (const retryIf of [
    () => {
      throw 'from the predicate';
    },
    () => Promise.reject('from the predicate'),
    () => ({
      then(_, no) {
        no('from the predicate');
      },
    }),
    () => ({
      get then() {
        throw 'from the predicate';
      },
    }),
  ]) {
    let calls = 0;
    const { clock, error, rejected } = await underClock(() =>
      retry(
        () => {
          calls += 1;
          throw 'from fn';
        },
        { retryIf },
      ),
    );
    assert.ok(rejected);
    assert.equal(error, 'from the predicate');
    assert.equal(calls, 1);
    assert.equal(clock.armed.length, 0);
  }
});

test('each attempt has an unaborted signal of its own', async () => {
  const signals = [];
  await underClock(() =>
    retry(({ attempt, signal }) => {
      assert.ok(signal instanceof AbortSignal);
      assert.equal(signal.aborted, false);
      signals.push(signal);
      if (attempt < 4) throw 0;
    }),
  );
  assert.equal(new Set(signals).size, 4);
});

test('the same attempt gives the same signal each time it is read', async () => {
  await retry((attempt) => assert.equal(attempt.signal, attempt.signal));
});

test('an attempt shows the error before it, and the time', async () => {
  const seen = [];
  await underClock((clock) =>
    retry(
      (attempt) => {
        const { attempt: number, previousError, previousDelayMs, remainingMs } = attempt;
        const first = attempt.elapsedMs;
        clock.now += 7;
        seen.push({ number, previousError, previousDelayMs, remainingMs, first, later: attempt.elapsedMs });
        if (number < 4) throw `error ${number}`;
      },
      { jitter: 'none' },
    ),
  );
  assert.deepEqual(seen, [
    { number: 1, previousError: undefined, previousDelayMs: undefined, remainingMs: Infinity, first: 0, later: 7 },
    { number: 2, previousError: 'error 1', previousDelayMs: 100, remainingMs: Infinity, first: 107, later: 114 },
    { number: 3, previousError: 'error 2', previousDelayMs: 200, remainingMs: Infinity, first: 314, later: 321 },
    { number: 4, previousError: 'error 3', previousDelayMs: 400, remainingMs: Infinity, first: 721, later: 728 },
  ]);
});

test('previousDelayMs is the wait as computed, not as rounded for the timer', async () => {
  const seen = [];
  await underClock(() =>
    retry(
      ({ attempt, previousDelayMs }) => {
        seen.push(previousDelayMs);
        if (attempt < 3) throw 0;
      },
      { random: () => 0.123 },
    ),
  );
  assert.deepEqual(seen, [undefined, 0.123 * 100, 0.123 * 200]);
});

test('an attempt cannot be changed, so that callbacks do not mislead each other', async () => {
  const numbers = [];
  await underClock(() =>
    retry((attempt) => {
      for (const name of ['attempt', 'signal', 'previousError', 'elapsedMs']) {
        assert.throws(
          () => {
            attempt[name] = 99;
          },
          TypeError,
          name,
        );
      }
      numbers.push(attempt.attempt);
      if (attempt.attempt < 3) throw 0;
    }),
  );
  assert.deepEqual(numbers, [1, 2, 3]);
});

test('a predicate that answers with anything but a boolean is an error that says so', async () => {
  for (const answer of [undefined, null, 1, 'yes', {}, Promise.resolve(undefined), Promise.resolve('no')]) {
    let calls = 0;
    const { error } = await underClock(() =>
      retry(
        () => {
          calls += 1;
          throw 'from fn';
        },
        { retryIf: () => answer },
      ),
    );
    assert.ok(error instanceof TypeError, String(error));
    assert.match(error.message, /retryIf.*true.*false/);
    assert.equal(calls, 1);
  }
});

test('fn is called without a receiver and with the attempt alone', async () => {
  await retry(function (...args) {
    assert.equal(this, undefined);
    assert.equal(args.length, 1);
  });
});

test('T13 timers that fire 3 ms late or 1 ms early neither add an attempt nor run two together', async () => {
  const starts = [];
  const { clock } = await underClock(
    (clock) =>
      retry(
        () => {
          starts.push(clock.now);
          throw 0;
        },
        { backoff: 'fixed', jitter: 'none', baseMs: 20, maxAttempts: 50 },
      ),
    { skew: (nth) => (nth % 2 ? 3 : -1) },
  );
  assert.equal(starts.length, 50);
  for (let i = 1; i < starts.length; i += 1) {
    const gap = starts[i] - starts[i - 1];
    assert.ok(gap >= 20, `wait ${i} lasted ${gap} of 20 ms`);
    assert.ok(gap <= 24, `wait ${i} lasted ${gap} of 20 ms`);
  }
  assert.equal(clock.pending.size, 0);
});

test('a clock that does not move is not waited for: a fake that only fires timers', async () => {
  for (const baseMs of [1, 2, 3, 50]) {
    const clock = new VirtualClock().install();
    try {
      Object.defineProperty(performance, 'now', { value: () => 12345, configurable: true, writable: true });
      const promise = retry(
        ({ attempt }) => {
          if (attempt < 4) throw 0;
          return attempt;
        },
        { backoff: 'fixed', jitter: 'none', baseMs },
      );
      let value;
      promise.then((v) => {
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
