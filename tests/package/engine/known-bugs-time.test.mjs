// Scenarios from bug reports (bug-reports.md has the ids): deadlines, timeouts of attempts, waits that others decide.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import FakeTimers from '@sinonjs/fake-timers';

import { VirtualClock, turn, underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { RetryPolicy, TimeoutError, retry, retryReport } = await importPackage();
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
