// Where protection acts in an operation: the order of its checks, and what becomes of tokens and probes however the
// operation ends.

import assert from 'node:assert/strict';

import { microtasks } from '../lib/clock.mjs';
import { down, error, fails, importAll, plain, timed, watched } from './entry.mjs';
import { fragile, ready, state } from './fragile.mjs';

const { RejectedError, RetryPolicy, breaker, budget, cooldown, permanent, protect, retry, retryAfter, retryReport } =
  await importAll();

const tokens = (api) => api.status().budget.tokens;

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
    assert.deepEqual(api.status().budget, { tokens: 50, capacity: 50, granted: 0, rejected: 0 }, reason);
  }
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
    const api = protect(budget({ capacity: 1, perSuccess: 0 }), cooldown({ maxHoldMs: 10_000 }), breaker());
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

timed('a signal that is a timeout fails the first attempt that it ends, once', async (clock) => {
  const never = () => new Promise(() => {});
  const numbers = (api) => [api.status().breaker.failures, api.status().breaker.calls];
  const aborter = () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('time is up', 'TimeoutError')), 50);
    return controller.signal;
  };
  const api = protect(breaker());
  const policy = new RetryPolicy({ ...plain, protection: api });
  watched(policy.run(never, { signal: aborter() }));
  const shared = aborter();
  for (let i = 0; i < 100; i += 1) watched(policy.run(never, { signal: AbortSignal.any([shared]) }));
  // In a retry, in a pending retryIf and after a hold it says nothing.
  const retried = protect(breaker());
  let calls = 0;
  watched(
    new RetryPolicy({ ...plain, baseMs: 10, protection: retried }).run(
      () => {
        if (++calls === 1) throw error;
        return never();
      },
      { signal: aborter() },
    ),
  );
  const asked = protect(breaker());
  watched(retry(down, { ...plain, retryIf: never, protection: asked, signal: aborter() }));
  const held = protect(breaker(), cooldown());
  await retry(fails(retryAfter(20)), { maxAttempts: 1, protection: held }).catch(() => {});
  watched(retry(never, { ...plain, protection: held, signal: aborter() }));
  await clock.drain();
  assert.deepEqual(numbers(api), [2, 2]);
  assert.deepEqual(numbers(retried), [1, 1]);
  assert.deepEqual(numbers(asked), [0, 0]);
  assert.deepEqual(numbers(held), [0, 0]);

  // It is the cause of what comes after.
  const nervous = protect(breaker({ consecutiveFailures: 1 }));
  const late = watched(retry(never, { ...plain, protection: nervous, signal: aborter() }));
  await clock.drain();
  const after = watched(retry(never, { ...plain, protection: nervous }));
  await microtasks();
  assert.equal(after.error.cause, late.error);
  assert.match(after.error.message, /: time is up$/);
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
      return [...count(api), ends.length];
    };
    answers.set('bad', true).set(error, false);
    assert.deepEqual(await run(() => 'bad'), [1, 1, 1]);
    assert.deepEqual(ends, [{ result: 'bad', attempt: 1, durationMs: 0 }]);
    assert.ok(Object.isFrozen(ends[0]));
    assert.deepEqual(await run(() => 'good'), [0, 1, 1]);
    assert.deepEqual(await run(down), [0, 1, 1]);
    assert.deepEqual(ends, [{ error, attempt: 1, durationMs: 0 }]);
    assert.deepEqual(await run(fails(permanent(error))), [0, 1, 1]);
    assert.deepEqual(ends, [{ error, attempt: 1, durationMs: 0 }]);
    answers.set(error, true);
    assert.deepEqual(await run(down, { retryIf: () => false }), [1, 1, 1]);
    assert.deepEqual(await run(fails(permanent(error))), [1, 1, 1]);
    answers.set(error, 'ignore');
    assert.deepEqual(await run(down, { maxAttempts: 3 }), [0, 0, 3]);
    assert.deepEqual(
      ends.map(({ attempt }) => attempt),
      [1, 2, 3],
    );
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
    assert.deepEqual(await run(() => new Promise(() => {}), { signal: controller.signal }), [0, 0, 0]);
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
