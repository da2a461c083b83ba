// Events of hooks, the fields of attempts, and beforeRetry, which is awaited.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underBlockingClock } from '../lib/blocking.mjs';
import { VirtualClock, turn, underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { TimeoutError, retry, retryReport, retrySync } = await importPackage();
const HOOKS = ['onAttempt', 'onFailure', 'onRetry', 'beforeRetry', 'onSuccess', 'onGiveUp'];
const E = new Error('failing');

/** Options whose hooks record their events. */
const telling = (seen, options) => ({
  ...Object.fromEntries(
    HOOKS.map((name) => [
      name,
      (event) => {
        seen.push([name, event]);
      },
    ]),
  ),
  ...options,
});

/** One operation by retry, and the same by retrySync. */
async function both(fn, options) {
  const runs = [];
  for (const run of [
    (seen) => underClock((clock) => retry((attempt) => fn(attempt, clock), telling(seen, options))),
    (seen) => underBlockingClock((clock) => retrySync((attempt) => fn(attempt, clock), telling(seen, options))),
  ]) {
    const seen = [];
    runs.push({ ...(await run(seen)), seen });
  }
  return runs;
}

test('every event and every attempt: attemptsLeft, the name if there is one, and the order of the hooks', async () => {
  for (const name of [undefined, 'orders']) {
    const named = name === undefined ? {} : { name };
    const attempts = [];
    const [run, sync] = await both(
      (attempt) => {
        attempts.push([attempt.attempt, attempt.attemptsLeft, attempt.name]);
        throw E;
      },
      { ...named, jitter: 'none', maxAttempts: 3 },
    );
    const of = (attempt, elapsedMs, rest) => ({ attempt, attemptsLeft: 3 - attempt, ...named, ...rest, elapsedMs });
    const { report } = run.seen.at(-1)[1];
    assert.deepEqual(
      run.seen.map(([hook, event]) => [hook, { ...event }]),
      [
        ['onAttempt', of(1, 0)],
        ['onFailure', of(1, 0, { error: E })],
        ['onRetry', of(1, 0, { error: E, delayMs: 100 })],
        ['beforeRetry', of(1, 100, { error: E, delayMs: 100 })],
        ['onAttempt', of(2, 100)],
        ['onFailure', of(2, 100, { error: E })],
        ['onRetry', of(2, 100, { error: E, delayMs: 200 })],
        ['beforeRetry', of(2, 300, { error: E, delayMs: 200 })],
        ['onAttempt', of(3, 300)],
        ['onFailure', of(3, 300, { error: E })],
        ['onGiveUp', of(3, 300, { error: E, reason: 'exhausted', report })],
      ],
    );
    assert.deepEqual(
      sync.seen.map(([hook]) => hook),
      run.seen.map(([hook]) => hook),
    );
    assert.deepEqual(
      sync.seen.slice(0, -1).map(([, event]) => event),
      run.seen.slice(0, -1).map(([, event]) => event),
    );
    for (const [, event] of run.seen) assert.ok(Object.isFrozen(event));
    assert.deepEqual(attempts, [
      [1, 2, name],
      [2, 1, name],
      [3, 0, name],
      [1, 2, name],
      [2, 1, name],
      [3, 0, name],
    ]);
  }
  const endless = [];
  await retry(({ attemptsLeft }) => endless.push(attemptsLeft), {
    maxAttempts: Infinity,
    onSuccess: (event) => endless.push(event.attemptsLeft),
  });
  assert.deepEqual(endless, [Infinity, Infinity]);
});

test('events of results have the result', async () => {
  const [run, sync] = await both(({ attempt }) => attempt, { retryOnResult: (n) => n < 3, jitter: 'none' });
  for (const { seen, value } of [run, sync]) {
    assert.equal(value, 3);
    assert.deepEqual(
      seen.filter(([hook]) => hook === 'beforeRetry').map(([, { attempt, result }]) => [attempt, result]),
      [
        [1, 1],
        [2, 2],
      ],
    );
  }
});

test('beforeRetry is awaited: the next attempt starts when it has settled, and its time counts', async () => {
  const trace = [];
  const { clock } = await underClock((clock) =>
    retry(
      ({ attempt, elapsedMs }) => {
        trace.push([`attempt ${attempt}`, elapsedMs]);
        if (attempt < 3) throw E;
      },
      {
        jitter: 'none',
        beforeRetry: async ({ attempt }) => {
          trace.push([`before ${attempt}`, clock.now - 1000]);
          await new Promise((go) => {
            setTimeout(go, 30);
          });
          trace.push([`after ${attempt}`, clock.now - 1000]);
        },
      },
    ),
  );
  assert.deepEqual(trace, [
    ['attempt 1', 0],
    ['before 1', 100],
    ['after 1', 130],
    ['attempt 2', 130],
    ['before 2', 330],
    ['after 2', 360],
    ['attempt 3', 360],
  ]);
  assert.equal(clock.pending.size, 0);
});

test('beforeRetry is not called before the first attempt, nor when the operation stops', async () => {
  let calls = 0;
  const beforeRetry = () => {
    calls += 1;
  };
  await retry(() => 1, { beforeRetry });
  await underClock(() =>
    retry(
      () => {
        throw E;
      },
      { beforeRetry, maxAttempts: 1 },
    ),
  );
  await underClock(() =>
    retry(
      () => {
        throw E;
      },
      { beforeRetry, retryIf: () => false },
    ),
  );
  await underClock(() =>
    retry(
      () => {
        throw E;
      },
      { beforeRetry, jitter: 'none', totalTimeoutMs: 50 },
    ),
  );
  assert.equal(calls, 0);
});

test('rejects with what beforeRetry throws; its cause is the failure unless it has one or is frozen', async () => {
  const had = new Error('had one', { cause: 'another' });
  const frozen = Object.freeze(new Error('frozen'));
  for (const [thrown, cause] of [
    [new Error('own'), E],
    [had, 'another'],
    [frozen, undefined],
    ['a string', undefined],
    [undefined, undefined],
    [E, undefined],
  ]) {
    const [run, sync] = await both(
      () => {
        throw E;
      },
      {
        beforeRetry: () => {
          throw thrown;
        },
        jitter: 'none',
      },
    );
    for (const { error, seen, ...end } of [run, sync]) {
      assert.ok(end.rejected || end.threw);
      assert.ok(Object.is(error, thrown));
      assert.equal(error?.cause, cause);
      const { attempt, reason, report } = seen.at(-1)[1];
      assert.deepEqual(
        [seen.at(-1)[0], attempt, reason, report.attempts, report.records.length],
        ['onGiveUp', 1, 'callback', 1, 1],
      );
    }
  }
  const later = new Error('later');
  const { error } = await underClock(() =>
    retry(
      () => {
        throw E;
      },
      {
        beforeRetry: async () => {
          throw later;
        },
      },
    ),
  );
  assert.equal(error, later);
  assert.equal(later.cause, E);
  assert.deepEqual(Object.keys(later), [], 'as errors have their cause');
});

test('beforeRetry that returns a promise is a TypeError in retrySync, and its rejection is handled', () => {
  const { error } = underBlockingClock(() =>
    retrySync(
      () => {
        throw E;
      },
      {
        beforeRetry: async () => {
          throw new Error('lost');
        },
      },
    ),
  );
  assert.ok(error instanceof TypeError);
  assert.equal(
    error.message,
    'rejitter: beforeRetry must not return a promise, because retrySync cannot await it. Use retry instead',
  );
  assert.equal(error.cause, E);
});

test('the deadline ends a beforeRetry that never settles: the operation rejects with the last error', async () => {
  const seen = [];
  const { error, clock } = await underClock(() =>
    retry(
      () => {
        throw E;
      },
      telling(seen, { beforeRetry: () => new Promise(() => {}), jitter: 'none', totalTimeoutMs: 500 }),
    ),
  );
  assert.equal(error, E);
  assert.deepEqual(
    [retryReport(E).reason, retryReport(E).attempts, clock.now, clock.pending.size],
    ['deadline', 1, 1500, 0],
  );
  assert.equal(seen.filter(([name]) => name === 'onAttempt').length, 1);
  // Its time may run out without a timer's help, too.
  const slow = (fake) => ({
    jitter: 'none',
    totalTimeoutMs: 500,
    beforeRetry: () => {
      fake.now += 600;
    },
  });
  for (const { error: late } of [
    await underClock((fake) =>
      retry(() => {
        throw E;
      }, slow(fake)),
    ),
    underBlockingClock((fake) =>
      retrySync(() => {
        throw E;
      }, slow(fake)),
    ),
  ]) {
    assert.equal(late, E);
    assert.deepEqual([retryReport(E).reason, retryReport(E).attempts], ['deadline', 1]);
  }
});

test('an abort ends beforeRetry, whatever it answers or throws', async () => {
  const reason = new Error('enough');
  for (const answer of [
    () => new Promise(() => {}),
    () => undefined,
    () => {
      throw E;
    },
  ]) {
    const controller = new AbortController();
    let calls = 0;
    const { error, clock } = await underClock(() =>
      retry(
        () => {
          calls += 1;
          throw 0;
        },
        {
          signal: controller.signal,
          jitter: 'none',
          beforeRetry: () => {
            controller.abort(reason);
            return answer();
          },
        },
      ),
    );
    assert.equal(error, reason);
    assert.deepEqual([calls, clock.pending.size], [1, 0]);
  }
  const clock = new VirtualClock().install();
  try {
    const controller = new AbortController();
    const promise = retry(
      () => {
        throw 0;
      },
      { signal: controller.signal, jitter: 'none', beforeRetry: () => new Promise(() => {}) },
    );
    promise.catch(() => {});
    await clock.advance(200);
    controller.abort(reason);
    await turn();
    assert.equal(await promise.catch((error) => error), reason);
  } finally {
    clock.uninstall();
  }
});

const SPOILERS = {
  'retryIf throws': (error) => ({
    retryIf: () => {
      throw error;
    },
  }),
  'retryIf rejects': (error) => ({
    retryIf: async () => {
      throw error;
    },
  }),
  'random throws': (error) => ({
    random: () => {
      throw error;
    },
  }),
  'backoff throws': (error) => ({
    backoff: () => {
      throw error;
    },
  }),
  'beforeRetry rejects': (error) => ({
    beforeRetry: async () => {
      throw error;
    },
  }),
};
for (const [name, options] of Object.entries(SPOILERS)) {
  test(`when ${name}, the callback's own failure is the cause of the rejection`, async () => {
    const own = new Error('own');
    const { error } = await underClock(() =>
      retry(() => {
        throw E;
      }, options(own)),
    );
    assert.equal(error, own);
    assert.equal(own.cause, E);
    assert.equal(retryReport(own).reason, 'callback');
    // An error that is the failure, or one of its causes, would be its own cause.
    const deep = new Error('deep');
    const failure = new Error('failure', { cause: new Error('between', { cause: deep }) });
    for (const thrown of [failure, deep]) {
      assert.equal(
        (
          await underClock(() =>
            retry(() => {
              throw failure;
            }, options(thrown)),
          )
        ).error,
        thrown,
      );
    }
    assert.equal(deep.cause, undefined);
    assert.equal(failure.cause.message, 'between');
    // A failure that cannot be read is a cause like others; an error that cannot be read is thrown as it is.
    const unreadable = new Proxy(new Error('hidden'), {
      get() {
        throw new Error('read');
      },
      getPrototypeOf() {
        throw new Error('read');
      },
    });
    const next = new Error('next');
    assert.equal(
      (
        await underClock(() =>
          retry(() => {
            throw unreadable;
          }, options(next)),
        )
      ).error,
      next,
    );
    assert.ok(Object.is(next.cause, unreadable));
    assert.ok(
      Object.is(
        (
          await underClock(() =>
            retry(() => {
              throw E;
            }, options(unreadable)),
          )
        ).error,
        unreadable,
      ),
    );
  });
}

test('errors about the values of retryIf, random and backoff have the failure as their cause', async () => {
  const invalid = { retryIf: () => undefined, random: () => 7, backoff: () => 'soon' };
  for (const [name, callback] of Object.entries(invalid)) {
    const [run, sync] = await both(
      () => {
        throw E;
      },
      { [name]: callback },
    );
    for (const { error } of [run, sync]) {
      assert.match(error.message, new RegExp(`^rejitter: ${name}.* must return .*, got `));
      assert.equal(error.cause, E);
    }
  }
  const [run, sync] = await both(() => 'result', { retryOnResult: () => undefined });
  for (const { error } of [run, sync]) assert.ok(error instanceof TypeError && !('cause' in error));
});

test("makes one TimeoutError for an attempt's signal and for the rejection; the deadline's has a cause", async () => {
  for (const options of [{ attemptTimeoutMs: 50, maxAttempts: 2 }, { totalTimeoutMs: 150 }]) {
    const signals = [];
    const { error } = await underClock(() =>
      retry(
        ({ attempt, signal }) => {
          signals.push(signal);
          if (attempt < 2) throw E;
          return new Promise(() => {});
        },
        { jitter: 'none', ...options },
      ),
    );
    assert.ok(error instanceof TimeoutError);
    assert.equal(signals[1].reason, error);
    assert.deepEqual([error.cause, 'cause' in error], options.totalTimeoutMs ? [E, true] : [undefined, false]);
  }
});
