// Where protection acts in an operation: the order of its checks, what becomes of tokens, probes and holds however the
// operation ends, and with what it ends.

import assert from 'node:assert/strict';

import { microtasks } from '../lib/clock.mjs';
import { controlled, fails, importAll, timed, watched } from './entry.mjs';

const {
  RejectedError,
  RetryError,
  RetryPolicy,
  breaker,
  budget,
  cooldown,
  permanent,
  protect,
  retry,
  retryAfter,
  retryReport,
} = await importAll();

const plain = { backoff: 'fixed', baseMs: 100, jitter: 'none', random: () => 0 };
const error = new Error('down');
const down = fails(error);
const tokens = (api) => api.status().budget.tokens;
const state = (api) => api.status().breaker.state;

/** A protection whose circuit opens for 500 ms at the first failure, with draw 0. */
const fragile = (...parts) => protect(breaker({ consecutiveFailures: 1, openMs: 1000 }), ...parts);

/** A fragile protection that is half-open from the next attempt on. */
async function ready(clock, ...parts) {
  const api = fragile(...parts);
  await retry(down, { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  await clock.advance(500);
  return api;
}

timed('the first attempt runs in the stack of the caller, whatever watches it', async () => {
  for (const options of [{}, { onAttempt: () => {} }, { totalTimeoutMs: 1000 }, { retryOnResult: () => false }]) {
    let called = false;
    const api = protect(budget(), breaker(), cooldown());
    const result = retry(
      () => {
        called = true;
        return 7;
      },
      { protection: api, ...options },
    );
    assert.ok(called);
    assert.equal(await result, 7);
    assert.equal(api.status().breaker.calls, 1);
  }
});

timed('a success gives perSuccess, after a retry what the last retry took, and a failure nothing', async (clock) => {
  const api = protect(budget({ capacity: 10, perSuccess: 0.25, cost: 2 }));
  const outcomes =
    (...list) =>
    () => {
      if (list.shift() === 'ok') return 'ok';
      throw error;
    };
  const run = async (fn, options) => {
    const seen = watched(retry(fn, { ...plain, protection: api, maxAttempts: 4, ...options }));
    await clock.drain();
    return [seen.state, tokens(api)];
  };
  assert.deepEqual(await run(down), ['rejected', 4]);
  assert.deepEqual(await run(outcomes('ok')), ['fulfilled', 4.25]);
  assert.deepEqual(await run(outcomes('no', 'no', 'ok')), ['fulfilled', 2.25]);
  assert.deepEqual(await run(outcomes('no', 'ok')), ['fulfilled', 2.25]);
  // The next retry would need 2.
  assert.deepEqual(await run(outcomes('no', 'no', 'ok')), ['rejected', 0.25]);
  const status = api.status().budget;
  assert.deepEqual([status.granted, status.refused], [7, 1]);

  const kept = protect(budget({ capacity: 10, perSuccess: 0.25, refund: false }));
  watched(retry(outcomes('no', 'no', 'ok'), { ...plain, protection: kept }));
  await clock.drain();
  assert.equal(tokens(kept), 8.25);
});

timed('the AWS preset: 14 tokens for a retry, 5 after throttling, which success returns', async (clock) => {
  const api = protect(budget({ preset: 'awsSdk2026' }));
  const seen = [];
  const list = [error, retryAfter(10, error), 'ok'];
  const fn = () => {
    seen.push(tokens(api));
    const next = list.shift();
    if (next === 'ok') return next;
    throw next;
  };
  assert.equal(watched(retry(fn, { ...plain, protection: api })).state, 'pending');
  await clock.drain();
  assert.deepEqual([...seen, tokens(api)], [500, 486, 481, 486]);
});

timed('the budget comes last: nothing is taken for a retry that another check forbids', async (clock) => {
  const forbidden = [
    [{ maxAttempts: 1 }, 'exhausted'],
    [{ retryIf: () => false }, 'notRetryable'],
    [{ totalTimeoutMs: 100 }, 'deadline'],
    [{ maxRetryAfterMs: 5 }, 'hint', fails(retryAfter(10, error))],
    [{}, 'permanent', fails(permanent(error))],
    [{ backoff: () => -1 }, 'callback'],
    [{ protection: fragile(budget()) }, 'breaker'],
  ];
  for (const [options, reason, fn = down] of forbidden) {
    const api = options.protection ?? protect(budget());
    let report;
    const onGiveUp = (event) => {
      report = event.report;
    };
    const seen = watched(retry(fn, { ...plain, protection: api, ...options, onGiveUp }));
    await clock.drain();
    assert.deepEqual([seen.state, report.reason], ['rejected', reason]);
    assert.deepEqual(api.status().budget, { tokens: 50, capacity: 50, granted: 0, refused: 0 }, reason);
  }
});

timed('a rejected retry ends at once with the last outcome itself: no wait, no hook of a wait', async (clock) => {
  for (const [api, reason, retryAfterMs] of [
    [protect(budget({ capacity: 1 })), 'budget'],
    [fragile(), 'breaker', 500],
  ]) {
    if (reason === 'budget') {
      watched(retry(down, { ...plain, protection: api, maxAttempts: 2 }));
      await clock.drain();
    }
    const hooks = [];
    const hook = (name) => () => hooks.push(name);
    const names = ['onAttempt', 'onFailure', 'onRetry', 'beforeRetry', 'onGiveUp'];
    const options = Object.fromEntries(names.map((name) => [name, hook(name)]));
    const seen = watched(retry(down, { ...plain, protection: api, ...options }));
    await microtasks();
    assert.ok(Object.is(seen.error, error));
    assert.deepEqual(hooks, ['onAttempt', 'onFailure', 'onGiveUp']);
    const report = retryReport(error);
    assert.deepEqual([report.reason, report.attempts, report.retryAfterMs], [reason, 1, retryAfterMs]);
    assert.equal(clock.pending.size, 0);
  }
  const result = { no: true };
  const api = protect(budget({ capacity: 1, cost: 1 }));
  watched(retry(down, { ...plain, protection: api, maxAttempts: 2 }));
  await clock.drain();
  const seen = watched(retry(() => result, { ...plain, protection: api, retryOnResult: () => true }));
  await microtasks();
  assert.ok(Object.is(seen.value, result));
  assert.equal(retryReport(result).reason, 'budget');
});

timed('a token that was taken is put back at every end before the retry', async (clock) => {
  const abort = () => {
    const controller = new AbortController();
    return { controller, signal: controller.signal };
  };
  const inHook = (name) => {
    const { controller, signal } = abort();
    let calls = 0;
    const hook = () => {
      calls++;
      if (name !== 'onAttempt' || calls === 2) controller.abort(error);
    };
    return { signal, [name]: hook };
  };
  const later = (ms) => {
    const { controller, signal } = abort();
    setTimeout(() => controller.abort(error), ms);
    return { signal };
  };
  let attempts = 0;
  const ends = {
    'abort in the wait': () => later(50),
    'abort in onRetry': () => inHook('onRetry'),
    'abort in beforeRetry': () => inHook('beforeRetry'),
    'abort in onAttempt': () => inHook('onAttempt'),
    'beforeRetry throws': () => ({ beforeRetry: fails(new Error('before')) }),
    'beforeRetry rejects': () => ({ beforeRetry: async () => fails(new Error('before'))() }),
    'the deadline in beforeRetry': () => ({ beforeRetry: () => new Promise(() => {}), totalTimeoutMs: 150 }),
    'the deadline in onAttempt': () => {
      attempts = 0;
      return {
        totalTimeoutMs: 150,
        onAttempt: () => {
          if (++attempts === 2) clock.now += 60;
        },
      };
    },
    'a circuit that opened in the wait': (api) => {
      setTimeout(() => api.open(1000), 50);
      return {};
    },
    'a hold that the deadline forbids': (api) => {
      setTimeout(() => retry(fails(retryAfter(1000)), { maxAttempts: 1, protection: api }).catch(() => {}), 50);
      return { totalTimeoutMs: 1000 };
    },
    'a hold that is too long': (api) => {
      const limited = { maxAttempts: 1, protection: api };
      setTimeout(() => retry(fails(retryAfter(50_000)), limited).catch(() => {}), 50);
      return {};
    },
    'abort in a hold': (api) => {
      setTimeout(() => retry(fails(retryAfter(1000)), { maxAttempts: 1, protection: api }).catch(() => {}), 50);
      return later(500);
    },
  };
  for (const [name, options] of Object.entries(ends)) {
    const api = protect(budget({ capacity: 1, perSuccess: 0 }), cooldown(), breaker());
    let calls = 0;
    const fn = () => {
      calls++;
      throw error;
    };
    const seen = watched(retry(fn, { ...plain, protection: api, ...options(api) }));
    await clock.drain();
    assert.deepEqual([seen.state, calls], ['rejected', 1], name);
    assert.equal(tokens(api), 1, name);
    assert.equal(api.status().budget.granted, 1, name);
    assert.equal(api.status().cooldown.held, 0, name);
  }
});

timed('a probe that ends in any way frees its place at once', async (clock) => {
  const never = () => new Promise(() => {});
  const ends = {
    abort: () => {
      const controller = new AbortController();
      return [never, { signal: controller.signal }, () => controller.abort(error)];
    },
    'abort in onAttempt': () => {
      const controller = new AbortController();
      return [never, { signal: controller.signal, onAttempt: () => controller.abort(error) }];
    },
    'abort in a pending retryIf': () => {
      const controller = new AbortController();
      return [down, { signal: controller.signal, retryIf: never }, () => controller.abort(error)];
    },
    'deadline in a pending retryIf': () => [down, { totalTimeoutMs: 10, retryIf: never }, () => clock.advance(10)],
    'deadline in onAttempt': () => [
      never,
      {
        totalTimeoutMs: 10,
        onAttempt: () => {
          clock.now += 10;
        },
      },
    ],
    permanent: () => [fails(permanent(error)), {}],
    'permanent of a synchronous throw that nothing watches': () => [fails(permanent(error)), { maxAttempts: 1 }],
    retryAfter: () => [fails(retryAfter(10, error)), { maxAttempts: 1 }],
    'retryIf false': () => [down, { retryIf: () => false }],
    'retryIf throws': () => [down, { retryIf: fails(new Error('of retryIf')) }],
    'an invalid answer of retryIf': () => [down, { retryIf: () => 5 }],
    'a returned directive': () => [() => permanent(error), {}],
    'a rejection within': () => {
      const inner = protect(breaker());
      inner.open();
      return [() => retry(() => 1, { protection: inner }), {}];
    },
  };
  for (const [name, make] of Object.entries(ends)) {
    const api = await ready(clock);
    const [fn, options, act] = make();
    const seen = watched(retry(fn, { ...plain, protection: api, ...options }));
    await act?.();
    await microtasks();
    assert.equal(seen.state, 'rejected', name);
    assert.equal(state(api), 'half-open', name);
    // The place is free, and nothing was counted: the next probe closes the circuit.
    assert.equal(await retry(() => 'next', { protection: api }), 'next', name);
    assert.equal(state(api), 'closed', name);
    await clock.drain();
  }
});

timed(
  'what fails the probe: a failure that may be retried, its timeout, a rejected result, the deadline',
  async (clock) => {
    const never = () => new Promise(() => {});
    const ends = {
      'a failure': [down, { maxAttempts: 1 }],
      'the timeout of an attempt': [never, { attemptTimeoutMs: 5, maxAttempts: 1 }],
      'the deadline during the first attempt': [never, { totalTimeoutMs: 5 }],
      'a rejected result': [() => 'no', { retryOnResult: () => true, maxAttempts: 1 }],
      'a failure with { afterMs }': [down, { retryIf: () => ({ afterMs: 3 }) }],
    };
    for (const [name, [fn, options]] of Object.entries(ends)) {
      const api = await ready(clock);
      watched(retry(fn, { ...plain, protection: api, ...options }));
      await clock.advance(5);
      assert.equal(state(api), 'open', name);
      assert.equal(api.status().breaker.opens, 2, name);
      await clock.drain();
    }
  },
);

timed('a deadline fails an attempt only if the attempt had all of the time', async (clock) => {
  const never = () => new Promise(() => {});
  const options = { ...plain, totalTimeoutMs: 150 };
  const counted = protect(breaker());
  watched(retry(never, { ...options, protection: counted }));
  let calls = 0;
  const second = protect(breaker());
  const fn = () => {
    if (++calls === 1) throw error;
    return never();
  };
  watched(retry(fn, { ...options, protection: second }));
  const held = protect(breaker(), cooldown());
  await retry(fails(retryAfter(100)), { maxAttempts: 1, protection: held }).catch(() => {});
  watched(retry(never, { ...options, protection: held }));
  await clock.drain();
  const numbers = (api) => [api.status().breaker.failures, api.status().breaker.calls];
  assert.deepEqual(numbers(counted), [1, 1]);
  assert.deepEqual(numbers(second), [1, 2]);
  assert.deepEqual(numbers(held), [0, 2]);
});

timed(
  'a rejection before the first attempt rejects with a RejectedError; finalError does not wrap it',
  async (clock) => {
    const api = fragile();
    const cause = new Error('the first');
    await retry(fails(cause), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
    await clock.advance(100);
    const hooks = [];
    const onGiveUp = ({ attempt, error, reason, report }) => hooks.push([attempt, error, reason, report]);
    for (const options of [{}, { finalError: 'wrap' }, { totalTimeoutMs: 1000 }, { retryOnResult: () => true }]) {
      hooks.length = 0;
      let called = false;
      const fn = () => {
        called = true;
      };
      const seen = watched(retry(fn, { ...plain, protection: api, onGiveUp, ...options }));
      await microtasks();
      const { error: rejected } = seen;
      assert.ok(rejected instanceof RejectedError && rejected instanceof Error);
      assert.equal(called, false);
      assert.deepEqual([rejected.name, rejected.by, rejected.retryAfterMs], ['RejectedError', 'breaker', 400]);
      assert.equal(rejected.message, 'rejitter: rejected by breaker: the circuit is open');
      assert.equal(rejected.cause, cause);
      assert.ok(!Object.keys(rejected).includes('cause'));
      const report = retryReport(rejected);
      assert.deepEqual(
        { ...report, records: [...report.records] },
        { reason: 'breaker', attempts: 0, elapsedMs: 0, retryAfterMs: 400, dropped: 0, records: [] },
      );
      assert.deepEqual(hooks, [[0, rejected, 'breaker', report]]);
    }
    assert.equal(api.status().breaker.refused, 4);
  },
);

timed(
  'a rejection within: by identity, not retried, no question about it, says nothing to the outer one',
  async (clock) => {
    const inner = protect(breaker());
    inner.open(1000);
    const outer = protect(budget(), breaker({ consecutiveFailures: 1 }), cooldown());
    const asked = [];
    let calls = 0;
    for (const [protection, finalError] of [
      [outer, 'last'],
      [outer, 'wrap'],
      [undefined, 'last'],
    ]) {
      calls = 0;
      const fn = () => {
        calls++;
        return retry(() => 1, { protection: inner });
      };
      const seen = watched(retry(fn, { ...plain, protection, finalError, retryIf: (e) => asked.push(e) > 0 }));
      await microtasks();
      assert.ok(seen.error instanceof RejectedError);
      assert.equal(retryReport(seen.error).reason, 'notRetryable');
      assert.deepEqual([calls, asked], [1, []]);
    }
    assert.deepEqual(outer.status().budget, { tokens: 50, capacity: 50, granted: 0, refused: 0 });
    assert.deepEqual([state(outer), outer.status().breaker.failures], ['closed', 0]);
    assert.equal(clock.pending.size, 0);
    // Also one that the callback wrapped.
    const wrapped = () =>
      retry(() => 1, { protection: inner }).catch((cause) => {
        throw new Error('outside', { cause });
      });
    const seen = watched(retry(wrapped, { ...plain, protection: outer }));
    await microtasks();
    assert.deepEqual([seen.error.message, retryReport(seen.error).reason], ['outside', 'notRetryable']);
  },
);

timed('the failure behind a cooldown says nothing through the rejection', async () => {
  const inner = protect(cooldown({ maxHoldMs: 0 }));
  await retry(fails(retryAfter(1000, error)), { maxAttempts: 1, protection: inner }).catch(() => {});
  const outer = protect(cooldown());
  const seen = watched(retry(() => retry(() => 1, { protection: inner }), { ...plain, protection: outer }));
  await microtasks();
  assert.equal(seen.error.by, 'cooldown');
  assert.equal(seen.error.cause, error);
  assert.equal(outer.status().cooldown.remainingMs, 0);
  assert.equal(retryReport(seen.error).hintMs, undefined);
});

timed('two layers with one state: one warning per process', async (clock) => {
  const api = fragile();
  const { warn } = console;
  const warnings = [];
  console.warn = (text) => warnings.push(text);
  try {
    for (let i = 0; i < 3; i++) {
      const seen = watched(
        retry(
          () => {
            api.open();
            return retry(() => 1, { protection: api });
          },
          { ...plain, protection: api },
        ),
      );
      await microtasks();
      assert.ok(seen.error instanceof RejectedError);
      api.close();
    }
  } finally {
    console.warn = warn;
  }
  assert.deepEqual(warnings, [
    'rejitter: two layers share one Protection, so each attempt counts twice. ' +
      'Give it to the inner or to the outer one.',
  ]);
  assert.equal(clock.pending.size, 0);
});

timed('holds: first attempts and retries, the longer of wait and hold, with a draw of their own', async (clock) => {
  const api = protect(cooldown());
  const draws = [];
  const random = () => {
    draws.push(clock.now);
    return 0.5;
  };
  const options = { ...plain, protection: api, random };
  // Started before the hint: its own wait of 100 is shorter than the hold, that of 5,000 longer.
  const short = controlled();
  const long = controlled();
  const exact = controlled();
  const other = controlled();
  watched(retry(other.fn, { ...options, maxAttempts: 1 }));
  watched(retry(short.fn, options));
  watched(retry(long.fn, { ...options, baseMs: 5000 }));
  watched(retry(exact.fn, { ...options, retryIf: () => ({ afterMs: 0 }) }));
  await retry(fails(retryAfter(1000, error)), { ...options, maxAttempts: 1 }).catch(() => {});
  assert.deepEqual(api.status().cooldown, { remainingMs: 1000, held: 0, refused: 0 });
  // Asked by a shorter hint: nothing changes.
  other.calls[0].reject(retryAfter(500, error));
  await microtasks();
  assert.equal(api.status().cooldown.remainingMs, 1000);
  const held = controlled();
  watched(retry(held.fn, options));
  assert.equal(api.status().cooldown.held, 1);
  await clock.advance(200);
  for (const { calls } of [short, long, exact]) calls[0].reject(error);
  await microtasks();
  assert.deepEqual(draws, [0, 200, 200, 200]);
  // 1,000 + 0.5 · max(100, 1,000 / 2), and 800 + 0.5 · max(100, 500).
  await clock.advance(1049);
  assert.deepEqual([held.calls.length, short.calls.length, exact.calls.length, long.calls.length], [0, 1, 1, 1]);
  await clock.advance(1);
  assert.deepEqual([held.calls.length, short.calls.length, exact.calls.length, long.calls.length], [1, 2, 2, 1]);
  await clock.advance(3949);
  assert.equal(long.calls.length, 1);
  await clock.advance(1);
  assert.equal(long.calls.length, 2);
  assert.equal(api.status().cooldown.held, 0);
});

timed('who set the cooldown waits as its own hint says, bit for bit', async (clock) => {
  const api = protect(cooldown());
  const waits = [];
  const onRetry = ({ delayMs }) => waits.push(delayMs);
  const options = { maxAttempts: 2, seed: 7, baseMs: 3, onRetry };
  const fn = fails(retryAfter(1000, error));
  for (const protection of [false, api]) {
    watched(retry(fn, { ...options, protection }));
    await clock.drain();
  }
  assert.equal(waits.length, 2);
  assert.equal(waits[0], waits[1]);
});

timed('a hold that the deadline forbids is rejected at once', async (clock) => {
  const api = protect(cooldown());
  const running = controlled();
  const late = controlled();
  const seen = watched(retry(running.fn, { ...plain, protection: api, totalTimeoutMs: 500 }));
  const own = watched(retry(late.fn, { ...plain, protection: api, baseMs: 600, totalTimeoutMs: 500 }));
  await retry(fails(retryAfter(1000)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  const first = watched(retry(() => 1, { ...plain, protection: api, totalTimeoutMs: 1001 }));
  await microtasks();
  // A timer may fire a millisecond late: a hold of 1,000 needs more than 1,001.
  assert.equal(first.state, 'pending');
  const tight = watched(retry(() => 1, { ...plain, protection: api, totalTimeoutMs: 1000.5 }));
  await microtasks();
  assert.deepEqual([tight.error.by, tight.error.retryAfterMs], ['cooldown', 1000]);
  running.calls[0].reject(error);
  await microtasks();
  assert.ok(Object.is(seen.error, error));
  assert.deepEqual([retryReport(error).reason, retryReport(error).retryAfterMs], ['cooldown', 1000]);
  const other = new Error('late');
  late.calls[0].reject(other);
  await microtasks();
  assert.ok(Object.is(own.error, other));
  assert.deepEqual([retryReport(other).reason, retryReport(other).retryAfterMs], ['deadline', undefined]);
  await clock.drain();
  assert.equal(first.value, 1);
});

timed('a deadline that passes during a hold, because timers are late, rejects by cooldown', async (clock) => {
  const api = protect(cooldown());
  await retry(fails(retryAfter(400)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  const seen = watched(retry(() => 1, { ...plain, protection: api, totalTimeoutMs: 500 }));
  await microtasks();
  assert.equal(api.status().cooldown.held, 1);
  // The machine slept.
  clock.now += 600;
  await clock.drain();
  assert.ok(seen.error instanceof RejectedError);
  assert.equal(seen.error.by, 'cooldown');
  assert.equal(seen.error.retryAfterMs, 0, 'the cooldown has ended');
  const { reason, attempts, retryAfterMs, elapsedMs } = retryReport(seen.error);
  assert.deepEqual([reason, attempts, retryAfterMs, elapsedMs], ['cooldown', 0, 0, 600]);
  assert.deepEqual(api.status().cooldown, { remainingMs: 0, held: 0, refused: 1 });
});

timed('so does a deadline during the hold of a retry, with the own error, and the token goes back', async (clock) => {
  const api = protect(budget(), cooldown());
  const own = new Error('own');
  const seen = watched(retry(fails(own), { ...plain, maxAttempts: 2, protection: api, totalTimeoutMs: 500 }));
  await clock.advance(50);
  // Another's hint, during the wait of 100.
  await retry(fails(retryAfter(300)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  await clock.advance(50);
  assert.equal(api.status().cooldown.held, 1);
  clock.now += 600;
  await clock.drain();
  assert.equal(seen.error, own);
  const { reason, attempts, retryAfterMs } = retryReport(own);
  assert.deepEqual([reason, attempts, retryAfterMs], ['cooldown', 1, 0]);
  assert.deepEqual(api.status().cooldown, { remainingMs: 0, held: 0, refused: 1 });
  assert.deepEqual([api.status().budget.tokens, api.status().budget.granted], [50, 1]);
});

timed('abort ends a hold in the same macrotask, with its reason itself', async (clock) => {
  const api = protect(cooldown());
  await retry(fails(retryAfter(400)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  const controller = new AbortController();
  const seen = watched(new RetryPolicy({ ...plain, protection: api }).run(() => 1, { signal: controller.signal }));
  await microtasks();
  assert.equal(clock.pending.size, 1);
  const reason = { stop: true };
  controller.abort(reason);
  assert.equal(clock.pending.size, 0);
  await microtasks();
  assert.ok(Object.is(seen.error, reason));
  assert.equal(api.status().cooldown.held, 0);
});

timed('holds before one attempt add up to maxHoldMs', async (clock) => {
  const api = protect(cooldown({ maxHoldMs: 1000 }));
  // Started before the first hint, so that nothing holds them.
  const hints = [600, 450, 300].map((ms) => {
    const { fn, calls } = controlled();
    watched(retry(fn, { ...plain, maxAttempts: 1, protection: api }));
    return () => {
      calls[0].reject(retryAfter(ms));
      return microtasks();
    };
  });
  await hints[0]();
  const seen = watched(retry(() => 1, { ...plain, protection: api }));
  await clock.advance(500);
  await hints[1]();
  // Held until 600; from then on for 350 more, which makes 950.
  await clock.advance(300);
  await hints[2]();
  await clock.advance(149);
  assert.equal(seen.state, 'pending');
  await clock.advance(1);
  // At 950 for 150 more: that would be 1,100.
  assert.deepEqual([seen.error.by, seen.error.retryAfterMs], ['cooldown', 150]);
  assert.equal(retryReport(seen.error).elapsedMs, 950);
  assert.equal(api.status().cooldown.refused, 1);
});

timed('an attempt is rejected while 1,000 are held', async (clock) => {
  const api = protect(cooldown());
  await retry(fails(retryAfter(500)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  const all = Array.from({ length: 1001 }, () => watched(retry(() => 1, { ...plain, protection: api })));
  await microtasks();
  assert.deepEqual(api.status().cooldown, { remainingMs: 500, held: 1000, refused: 1 });
  assert.equal(all[1000].error.by, 'cooldown');
  await clock.drain();
  assert.ok(all.slice(0, 1000).every(({ value }) => value === 1));
  assert.equal(api.status().cooldown.held, 0);
});

timed('an open circuit rejects before a cooldown holds; a half-open one admits after the hold', async (clock) => {
  const api = await ready(clock, cooldown());
  await retry(fails(retryAfter(400)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  assert.equal(state(api), 'half-open');
  const held = controlled();
  watched(retry(held.fn, { ...plain, protection: api }));
  await microtasks();
  assert.equal(api.status().cooldown.held, 1);
  api.open(50);
  const refused = watched(retry(() => 1, { ...plain, protection: api }));
  await microtasks();
  assert.deepEqual([refused.error.by, refused.error.retryAfterMs], ['breaker', 50]);
  await clock.advance(400);
  // The one that was held is the probe.
  assert.equal(held.calls.length, 1);
  held.calls[0].resolve('ok');
  await microtasks();
  assert.equal(state(api), 'closed');
});

timed('a retry waits for a half-open circuit, and is rejected if another probe still runs', async (clock) => {
  const api = await ready(clock);
  const early = controlled();
  // Started before the circuit opened.
  const other = fragile();
  watched(retry(early.fn, { ...plain, protection: other }));
  await retry(down, { ...plain, maxAttempts: 1, protection: other }).catch(() => {});
  await clock.advance(450);
  const late = new Error('late');
  early.calls[0].reject(late);
  await microtasks();
  await clock.advance(50);
  const probe = controlled();
  watched(retry(probe.fn, { ...plain, protection: other }));
  await clock.advance(50);
  // Its wait of 100 ended at 1,050, in the lease of the probe.
  assert.equal(early.calls.length, 1);
  assert.equal(retryReport(late).reason, 'breaker');
  assert.equal(retryReport(late).retryAfterMs, 450);
  probe.calls[0].resolve(1);
  await microtasks();
  assert.equal(state(other), 'closed');
  assert.equal(state(api), 'open');
});

timed('isFailure decides: asked once for each end with an outcome, its errors are reported', async (clock) => {
  const ends = [];
  const answers = new Map();
  const isFailure = (end) => {
    ends.push(end);
    const answer = answers.get(end.error ?? end.result);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const reported = [];
  const { error: original } = console;
  console.error = (thrown) => reported.push(thrown);
  const count = (api) => [api.status().breaker.failures, api.status().breaker.calls];
  try {
    const run = async (fn, options = {}) => {
      const api = protect(breaker({ isFailure }));
      ends.length = 0;
      watched(retry(fn, { ...plain, maxAttempts: 1, protection: api, ...options }));
      await clock.drain();
      // Attempts are calls from their start on, while the breaker is young.
      return [...count(api), ends.length];
    };
    answers.set('bad', true).set(error, false);
    assert.deepEqual(await run(() => 'bad'), [1, 1, 1]);
    assert.deepEqual(ends, [{ result: 'bad' }]);
    assert.ok(Object.isFrozen(ends[0]));
    assert.deepEqual(await run(() => 'good'), [0, 1, 1]);
    assert.deepEqual(await run(down), [0, 1, 1]);
    assert.deepEqual(ends, [{ error }]);
    assert.deepEqual(await run(fails(permanent(error))), [0, 1, 1]);
    assert.deepEqual(ends, [{ error }]);
    answers.set(error, true);
    assert.deepEqual(await run(down, { retryIf: () => false }), [1, 1, 1]);
    assert.deepEqual(await run(fails(permanent(error))), [1, 1, 1]);
    answers.set(error, 'ignore');
    assert.deepEqual(await run(down, { maxAttempts: 3 }), [0, 3, 3]);
    answers.delete(error);
    assert.deepEqual(await run(down), [1, 1, 1]);
    assert.deepEqual(reported, []);
    const thrown = new Error('of isFailure');
    for (const [answer, text] of [
      [thrown, thrown.message],
      ['failure', 'rejitter: isFailure must return true, false, \'ignore\' or undefined, got "failure"'],
    ]) {
      answers.set(error, answer);
      // The same as without it.
      assert.deepEqual(await run(down), [1, 1, 1]);
      assert.equal(reported.pop().message, text);
    }
    // Without an outcome, nothing calls it.
    const controller = new AbortController();
    setTimeout(() => controller.abort(error), 5);
    assert.deepEqual(await run(() => new Promise(() => {}), { signal: controller.signal }), [0, 1, 0]);
  } finally {
    console.error = original;
  }
});

timed('protection: false in a call turns it off', async () => {
  const api = protect(breaker());
  const policy = new RetryPolicy({ protection: api });
  api.open();
  await assert.rejects(
    policy.run(() => 1),
    RejectedError,
  );
  assert.equal(await policy.run(() => 1, { protection: false }), 1);
  assert.equal(await policy.with({ protection: false }).run(() => 1), 1);
  assert.equal(
    await policy
      .wrap(() => 1)()
      .catch((e) => e.by),
    'breaker',
  );
});

timed('metrics count the new reasons; random() that throws in a hold ends the operation', async (clock) => {
  const api = protect(cooldown({ maxHoldMs: 1000 }));
  const policy = new RetryPolicy({ ...plain, protection: api, metrics: true, maxAttempts: 1 });
  await policy.run(fails(retryAfter(500))).catch(() => {});
  await policy
    .with({ totalTimeoutMs: 10 })
    .run(() => 1)
    .catch(() => {});
  const refused = watched(policy.run(() => 1, { totalTimeoutMs: 10 }));
  const thrown = new Error('no draw');
  const broken = watched(policy.run(() => 1, { random: fails(thrown) }));
  await microtasks();
  assert.equal(refused.error.by, 'cooldown');
  assert.ok(Object.is(broken.error, thrown));
  assert.deepEqual([retryReport(thrown).reason, retryReport(thrown).attempts], ['callback', 0]);
  const { operations, attempts, inFlight, failures } = policy.metrics();
  assert.deepEqual(
    { operations, attempts, inFlight, failures: { ...failures } },
    {
      operations: 3,
      attempts: 1,
      inFlight: 0,
      failures: { exhausted: 1, cooldown: 1, callback: 1 },
    },
  );
  assert.equal(clock.pending.size, 0);
});

timed('finalError wraps the own error of an operation that was rejected later', async () => {
  const seen = watched(retry(down, { ...plain, protection: fragile(), finalError: 'wrap' }));
  await microtasks();
  assert.ok(seen.error instanceof RetryError);
  assert.deepEqual([seen.error.reason, seen.error.cause], ['breaker', error]);
  assert.equal(seen.error.message, 'rejitter: gave up after 1 attempt (breaker): down');
});

timed('random() at an opening may call operations, and what it throws is reported', async (clock) => {
  const api = protect(breaker({ consecutiveFailures: 1, openMs: 1000 }));
  const inner = [];
  const random = () => {
    inner.push(watched(retry(() => 'inner', { protection: api })));
    return 0.5;
  };
  watched(retry(down, { ...plain, maxAttempts: 1, random, protection: api }));
  await microtasks();
  // Asked once, before the circuit opened: the call within was let pass, and its end says nothing any more.
  assert.deepEqual([inner.length, inner[0].value], [1, 'inner']);
  assert.deepEqual([state(api), api.status().breaker.retryAfterMs, api.status().breaker.failures], ['open', 750, 1]);
  const thrown = new Error('no draw');
  const reported = [];
  const { error: original } = console;
  console.error = (text) => reported.push(text);
  try {
    for (const fn of [down, () => new Promise(() => {})]) {
      api.close();
      watched(retry(fn, { ...plain, random: fails(thrown), totalTimeoutMs: 50, protection: api }));
      await clock.drain();
      assert.equal(state(api), 'open');
      assert.deepEqual(reported.splice(0), [thrown]);
    }
    // A wait needs a draw, too: then what random() throws ends the operation.
    api.close();
    const seen = watched(retry(down, { baseMs: 1, random: fails(thrown), protection: api }));
    await microtasks();
    assert.ok(Object.is(seen.error, thrown));
    assert.deepEqual([thrown.cause, retryReport(thrown).reason, state(api)], [error, 'callback', 'open']);
  } finally {
    console.error = original;
  }
});

timed(
  'after the clock was set back, a hint that is shorter than the hold is not the one that set it',
  async (clock) => {
    const api = protect(cooldown());
    clock.now = 1e6;
    const options = { ...plain, jitter: 'full', random: () => 0.5, protection: api };
    const { fn, calls } = controlled();
    const run = watched(retry(fn, options));
    await retry(fails(retryAfter(40)), { ...options, maxAttempts: 1 }).catch(() => {});
    clock.now -= 1000;
    calls[0].reject(retryAfter(5));
    await microtasks();
    // The hold is 40 ms and half of the base, which is longer than its own wait of 5 ms and half of the base.
    assert.deepEqual(
      clock.armed.map(({ ms }) => ms),
      [90],
    );
    await clock.advance(90);
    calls[1].resolve('done');
    await microtasks();
    assert.equal(run.value, 'done');
  },
);
