// Scenarios from bug reports (bug-reports.md has the ids): deadlines, timeouts of attempts, waits that others decide.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import FakeTimers from '@sinonjs/fake-timers';

import { VirtualClock, turn, underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { RetryPolicy, TimeoutError, retry, retryAfter, retryReport } = await importPackage();
const E = new Error('failing');
const fixed = (baseMs) => ({ backoff: 'fixed', jitter: 'none', baseMs });
/** A promise that fails after `ms` of the virtual clock. */
const failsAfter = (ms, error = E) =>
  new Promise((_, no) => {
    setTimeout(no, ms, error);
  });

test('C01 the wall clock steps back an hour, or on by ten years: the deadline does not move', async () => {
  for (const step of [-3_600_000, 3.2e11]) {
    const real = Date.now;
    let wall = real();
    Date.now = () => wall;
    try {
      const { clock, error } = await underClock((clock) => {
        const promise = retry(() => failsAfter(10), { ...fixed(10), maxAttempts: Infinity, totalTimeoutMs: 150 });
        setTimeout(() => {
          wall += step;
        }, 40);
        clock.began = clock.now;
        return promise;
      });
      assert.ok(['deadline', 'timeout'].includes(retryReport(error).reason), retryReport(error).reason);
      assert.ok(clock.now - clock.began >= 130, 'not before the next attempt would have been too late');
      assert.ok(clock.now - clock.began <= 151, `${clock.now - clock.began} ms`);
      assert.ok(retryReport(error).attempts > 3, 'it went on until the deadline');
    } finally {
      Date.now = real;
    }
  }
});

test('D01 attempts of 95 ms under a deadline of 100 ms: each is bounded, none starts with nothing left', async () => {
  for (const attemptTimeoutMs of [undefined, 50, 99, 500]) {
    const left = [];
    const { clock, error } = await underClock((clock) => {
      clock.began = clock.now;
      return retry(
        (attempt) => {
          left.push(attempt.remainingMs);
          return failsAfter(95);
        },
        { ...fixed(1), maxAttempts: Infinity, totalTimeoutMs: 100, attemptTimeoutMs },
      );
    });
    assert.ok(
      left.every((ms) => ms > 0),
      String(left),
    );
    assert.ok(clock.now - clock.began <= 101, `${clock.now - clock.began} ms`);
    const { reason } = retryReport(error);
    assert.ok(reason === 'timeout' || reason === 'deadline', reason);
    if (reason === 'timeout') {
      assert.ok(error instanceof TimeoutError);
      assert.equal(error.cause, retryReport(error).records.at(-2).error);
    }
  }
});

test('D03 a wait that would end at or after the deadline is not started: the last error, now', async () => {
  for (const [spent, baseMs, begun] of [
    [60, 500, false],
    [60, 40, false],
    [60, 39, true],
  ]) {
    let failedAt;
    const { clock, error } = await underClock((clock) =>
      retry(
        () =>
          failsAfter(spent).catch((reason) => {
            failedAt ??= clock.now;
            throw reason;
          }),
        { ...fixed(baseMs), maxAttempts: 2, totalTimeoutMs: 100 },
      ),
    );
    const waits = clock.armed.filter(({ ms, at }) => ms === baseMs && at === failedAt);
    assert.equal(waits.length, begun ? 1 : 0, `${baseMs} ms of 40`);
    if (!begun) {
      assert.equal(error, E);
      assert.equal(retryReport(error).reason, 'deadline');
      assert.equal(retryReport(error).attempts, 1);
      assert.equal(clock.now, failedAt, 'it ended in that moment');
      assert.equal(clock.armed.length, 2, 'the deadline and the attempt of the test, no wait');
    }
  }
});

test('D05 a callback that resolves after the deadline: it is not waited for, and no attempt follows', async () => {
  let calls = 0;
  const clock = new VirtualClock().install();
  try {
    const promise = retry(
      () => {
        calls += 1;
        return new Promise((yes) => {
          setTimeout(yes, 5000, 'late');
        });
      },
      { ...fixed(10), maxAttempts: Infinity, totalTimeoutMs: 100 },
    );
    let settled;
    promise.then(
      () => {
        settled = 'resolved';
      },
      (error) => {
        settled = error;
      },
    );
    await clock.advance(101);
    assert.ok(settled instanceof TimeoutError);
    assert.equal(retryReport(settled).reason, 'timeout');
    await clock.advance(600_000);
    assert.equal(calls, 1);
  } finally {
    clock.uninstall();
  }
});

test('A09 after a timeout the next attempt has a fresh signal, not the aborted one', async () => {
  const seen = [];
  const { value } = await underClock(() =>
    retry(
      ({ attempt, signal }) => {
        seen.push({ signal, abortedOnEntry: signal.aborted });
        return attempt < 4 ? new Promise(() => {}) : 'done';
      },
      { ...fixed(5), attemptTimeoutMs: 20 },
    ),
  );
  assert.equal(value, 'done');
  assert.deepEqual(
    seen.map(({ abortedOnEntry }) => abortedOnEntry),
    [false, false, false, false],
  );
  assert.equal(new Set(seen.map(({ signal }) => signal)).size, 4);
  assert.deepEqual(
    seen.map(({ signal }) => signal.aborted),
    [true, true, true, false],
  );
  assert.equal(new Set(seen.slice(0, 3).map(({ signal }) => signal.reason)).size, 3);
  for (const { signal } of seen.slice(0, 3)) assert.ok(signal.reason instanceof TimeoutError);
});

for (const ms of [2 ** 31, 2 ** 32 - 1, 2 ** 40]) {
  test(`L01 attemptTimeoutMs and totalTimeoutMs of ${ms} ms wait where AbortSignal.timeout fires at once`, async () => {
    for (const option of ['attemptTimeoutMs', 'totalTimeoutMs']) {
      const clock = new VirtualClock().install();
      try {
        let outcome = 'pending';
        retry(() => new Promise(() => {}), { [option]: ms, maxAttempts: 1 }).catch((error) => {
          outcome = error;
        });
        await clock.advance(ms - 2);
        assert.equal(outcome, 'pending', option);
        await clock.advance(4);
        assert.ok(outcome instanceof TimeoutError, option);
        for (const delay of clock.delays)
          assert.ok(Number.isInteger(delay) && delay >= 0 && delay <= 2 ** 31 - 1, `setTimeout(${delay})`);
      } finally {
        clock.uninstall();
      }
    }
  });
}

for (const [name, fakes] of Object.entries({
  sinon: () => {
    const clock = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    return { tick: (ms) => clock.tickAsync(ms), end: () => clock.uninstall(), left: () => clock.countTimers() };
  },
  'sinon, without performance.now': () => {
    const clock = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout'] });
    return { tick: (ms) => clock.tickAsync(ms), end: () => clock.uninstall(), left: () => clock.countTimers() };
  },
  'node:test': () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    return {
      tick: async (ms) => {
        mock.timers.tick(ms);
        await turn();
      },
      end: () => mock.timers.reset(),
      left: () => 0,
    };
  },
})) {
  test(`F03 attempt timeout and deadline fire in the time of ${name}`, async () => {
    const fake = fakes();
    try {
      const signals = [];
      let outcome;
      retry(
        ({ signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
        { ...fixed(10), attemptTimeoutMs: 5000, maxAttempts: 3 },
      ).catch((error) => {
        outcome = error;
      });
      await fake.tick(4999);
      assert.deepEqual([signals.length, signals[0].aborted], [1, false]);
      await fake.tick(1);
      assert.equal(signals[0].aborted, true);
      assert.ok(signals[0].reason instanceof TimeoutError);
      for (const ms of [10, 5000, 10, 5000]) await fake.tick(ms);
      assert.equal(signals.length, 3);
      assert.ok(outcome instanceof TimeoutError);
      assert.equal(retryReport(outcome).reason, 'exhausted');

      let ended;
      retry(() => new Promise(() => {}), { totalTimeoutMs: 60_000 }).catch((error) => {
        ended = error;
      });
      await fake.tick(59_999);
      assert.equal(ended, undefined);
      await fake.tick(1);
      assert.equal(retryReport(ended).reason, 'timeout');
      assert.equal(fake.left(), 0);
    } finally {
      fake.end();
    }
  });
}

test("R07 a backoff of the caller's own changes neither the limit of attempts nor the deadline", async () => {
  const run = (backoff, options) =>
    underClock(() =>
      retry(
        () => {
          throw E;
        },
        { backoff, jitter: 'none', maxAttempts: 5, ...options },
      ),
    );
  const one = await run(() => 1);
  assert.equal(one.error, E);
  assert.deepEqual([retryReport(one.error).reason, retryReport(one.error).attempts], ['exhausted', 5]);
  const timed = await run(() => 1, { maxAttempts: Infinity, totalTimeoutMs: 50 });
  assert.equal(retryReport(timed.error).reason, 'deadline');
  assert.ok(retryReport(timed.error).attempts <= 51);
  for (const bad of [NaN, -1, '5', null, undefined, Promise.resolve(1), {}]) {
    const { error, clock } = await run(() => bad);
    assert.ok(error instanceof RangeError, String(bad));
    assert.match(error.message, /backoff\(1\)/);
    assert.equal(retryReport(error).reason, 'callback');
    assert.equal(clock.armed.length, 0);
  }
  const thrown = new Error('from the backoff');
  assert.equal(
    (
      await run(() => {
        throw thrown;
      })
    ).error,
    thrown,
  );
});

test('R07 retryIf with { afterMs } changes neither the limit of attempts nor the deadline', async () => {
  const { error } = await underClock(() =>
    retry(
      () => {
        throw E;
      },
      { maxAttempts: 4, retryIf: () => ({ afterMs: 0 }) },
    ),
  );
  assert.deepEqual([retryReport(error).reason, retryReport(error).attempts], ['exhausted', 4]);
  const timed = await underClock(() =>
    retry(
      () => {
        throw E;
      },
      { maxAttempts: Infinity, totalTimeoutMs: 60, retryIf: () => ({ afterMs: 7 }) },
    ),
  );
  assert.equal(retryReport(timed.error).reason, 'deadline');
});

test('R05 a hint that no client should follow: rejected with its value, or followed up to the limit', async () => {
  for (const requested of [99_999_999_000, 2_147_484_000, 1e33, Infinity]) {
    const far = new Error('far');
    const refused = await underClock(() =>
      retry(() => {
        throw retryAfter(requested, far);
      }),
    );
    assert.equal(refused.error, far);
    assert.deepEqual(
      [retryReport(far).reason, retryReport(far).hintMs, refused.clock.armed.length],
      ['hint', requested, 0],
    );
    const capped = await underClock(() =>
      retry(
        () => {
          throw retryAfter(requested, far);
        },
        { longRetryAfter: 'cap', maxAttempts: 2, random: () => 0 },
      ),
    );
    assert.deepEqual(capped.clock.delays, [60_000]);
  }
});

test('A15 the package has no queue: 100 aborted operations leave nothing for the next to wait for', async () => {
  const policy = new RetryPolicy({ ...fixed(1000), metrics: true });
  const controller = new AbortController();
  const { value } = await underClock(async () => {
    const waiting = Array.from({ length: 100 }, () =>
      policy
        .run(
          () => {
            throw E;
          },
          { signal: controller.signal },
        )
        .catch((reason) => reason),
    );
    await turn();
    controller.abort('enough');
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['enough']));
    assert.equal(policy.metrics().inFlight, 0);
    return policy.run(() => 'served');
  });
  assert.equal(value, 'served');
});
