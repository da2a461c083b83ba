// retrySync: the same operation as retry, but blocking.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underBlockingClock } from '../lib/blocking.mjs';
import { underClock } from '../lib/clock.mjs';
import { importPackage, runNode } from '../lib/consumer.mjs';

const { permanent, retry, retryAfter, retryReport, retrySync } = await importPackage();

const HOOKS = ['onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp'];
const failing =
  (error = new Error('always')) =>
  () => {
    throw error;
  };
const thrownBy = (body) => {
  try {
    body();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

/** A small generator of its own: the scripts below are the same on each run. */
function randomly(seed) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, pick: (list) => list[Math.floor(next() * list.length)], chance: (p) => next() < p };
}

/** Options and what happens in each attempt, at random. */
function script(seed) {
  const { pick, chance } = randomly(seed);
  const options = {
    // No wait of zero: it takes a turn of the event loop there, and nothing here.
    baseMs: pick([0.5, 10, 100]),
    maxAttempts: pick([1, 2, 5, 14]),
    jitter: pick(['none', 'full', 'equal', 'decorrelated', 'pollyV2', { type: 'proportional', ratio: 0.4 }]),
    ...(chance(0.3) && { totalTimeoutMs: pick([1, 60, 900]) }),
    ...(chance(0.5) ? { seed } : { random: () => 0.375 }),
    ...(chance(0.2) && { finalError: 'wrap' }),
    ...(chance(0.2) && { backoff: pick([[5, 50], (k) => (k > 4 ? NaN : 7 * k), 'fibonacci']) }),
    ...(chance(0.2) && { maxRetryAfterMs: 30, longRetryAfter: pick(['stop', 'cap']) }),
    ...(chance(0.15) && { minMs: 3.25 }),
  };
  const steps = Array.from({ length: 20 }, (_, i) => ({
    takes: pick([0, 0, 3, 40.5]),
    what: pick([
      'throw',
      'throw',
      'throw',
      'throw',
      'string',
      'undefined',
      'retryAfter',
      'bare',
      'result',
      ...(i > 2 ? ['permanent'] : []),
    ]),
    verdict: pick([
      true,
      true,
      true,
      true,
      true,
      { afterMs: 12.5 },
      { afterMs: 2 },
      ...(i > 2 ? [false, 5, 'throws'] : []),
    ]),
    abort: chance(0.02) ? pick(['fn', 'retryIf', 'onRetry', 'onFailure', 'onAttempt']) : '',
  }));
  return { options, steps, asks: chance(0.7), checksResults: chance(0.3), signal: chance(0.5) };
}

/** The operation of a script, ready for either function, and the list of all that was seen. */
function play({ options, steps, asks, checksResults, signal }, clock) {
  const seen = [];
  const errors = [];
  const controller = new AbortController();
  const reason = { why: 'enough' };
  let step = steps[0];
  const here = (place) => {
    if (step.abort === place) controller.abort(reason);
  };
  const fn = (attempt) => {
    step = steps[attempt.attempt - 1];
    seen.push([
      'fn',
      attempt.attempt,
      attempt.elapsedMs,
      attempt.remainingMs,
      attempt.previousDelayMs,
      attempt.signal.aborted,
      attempt.previousError,
    ]);
    clock.now += step.takes;
    here('fn');
    if (step.what === 'result') return 'good';
    const error =
      { string: 'text', undefined: undefined, bare: new Error('bare') }[step.what] ??
      new Error(`failure ${attempt.attempt}`);
    errors.push(error);
    if (step.what === 'permanent') throw permanent(error);
    if (step.what === 'retryAfter') throw retryAfter(35, error);
    throw error;
  };
  const answer = (value, attempt) => {
    seen.push(['predicate', value, attempt.attempt]);
    here('retryIf');
    if (step.verdict === 'throws') throw 'the predicate';
    return step.verdict;
  };
  const hooks = Object.fromEntries(
    HOOKS.map((name) => [
      name,
      (event) => {
        seen.push([name, { ...event }]);
        here(name);
      },
    ]),
  );
  return {
    seen,
    fn,
    options: {
      ...options,
      ...hooks,
      ...(asks && { retryIf: answer }),
      ...(checksResults && { retryOnResult: answer }),
      ...(signal && { signal: controller.signal }),
    },
  };
}

// The one sentence that differs: only retry takes promises.
const normal = (value) =>
  value instanceof Error
    ? { name: value.name, message: value.message.replace(', or a promise of these', ''), cause: normal(value.cause) }
    : value;
const comparable = (seen) =>
  JSON.parse(
    JSON.stringify(seen, (_, value) =>
      typeof value === 'number' && !Number.isFinite(value)
        ? String(value)
        : value instanceof Error
          ? normal(value)
          : value,
    ),
  );

test('3000 random operations: the same attempts, waits, verdicts, hooks, times, report and end as retry', async () => {
  const reasons = new Set();
  let waits = 0;
  for (let seed = 1; seed <= 3000; seed += 1) {
    const plan = script(seed);
    let async;
    const waited = await underClock((clock) => {
      async = play(plan, clock);
      return retry(async.fn, async.options);
    });
    let sync;
    const blocked = underBlockingClock((clock) => {
      sync = play(plan, clock);
      return retrySync(sync.fn, sync.options);
    });
    const label = `script ${seed}: ${JSON.stringify(plan.options)}`;
    assert.deepEqual(comparable(sync.seen), comparable(async.seen), label);
    assert.equal(blocked.threw ?? false, waited.rejected, label);
    assert.deepEqual(comparable([blocked.error, blocked.value]), comparable([waited.error, waited.value]), label);
    const own = [blocked, waited].map(({ error }) => comparable([retryReport(error)]));
    assert.deepEqual(own[0], own[1], label);
    const delays = sync.seen.filter(([name]) => name === 'onRetry').map(([, { delayMs }]) => delayMs);
    // A wait that its own hook aborts is announced and not started.
    assert.ok(blocked.clock.waits.length >= delays.length - 1, label);
    for (const [i, ms] of blocked.clock.waits.entries()) {
      const cut = i === delays.length - 1 && retryReport(blocked.error)?.reason === 'deadline';
      assert.ok(ms === Math.ceil(delays[i]) || (cut && ms < Math.ceil(delays[i])), `${label}: wait ${i + 1}: ${ms}`);
    }
    waits += delays.length;
    reasons.add(async.seen.findLast(([name]) => name === 'onGiveUp')?.[1].reason ?? 'success');
  }
  // A comparison of operations that all end alike would show little.
  for (const reason of ['exhausted', 'permanent', 'notRetryable', 'deadline', 'hint', 'callback', 'aborted', 'success'])
    assert.ok(reasons.has(reason), reason);
  assert.ok(waits > 3000, String(waits));
});

test('returns what the callback returned, whatever it is', () => {
  for (const value of [undefined, null, 0, 'x', NaN, { then: 5 }, () => {}])
    assert.ok(
      Object.is(
        retrySync(() => value),
        value,
      ),
    );
});

test('really blocks for the waits, in Node and in a worker of it', async () => {
  const source = `
    import { retrySync } from 'rejitter';
    import { isMainThread, parentPort, Worker } from 'node:worker_threads';
    const go = () => {
      let fired = false;
      setTimeout(() => { fired = true; }, 0);
      const began = performance.now();
      const value = retrySync(({ attempt }) => { if (attempt < 3) throw attempt; return attempt; },
        { baseMs: 30, backoff: 'fixed', jitter: 'none' });
      return [value, performance.now() - began, fired];
    };
    if (isMainThread) {
      console.log(JSON.stringify(go()));
      new Worker(new URL(import.meta.url)).on('message', (message) => console.log(message));
    } else parentPort.postMessage(JSON.stringify(go()));
  `;
  const { code, stdout, stderr } = await runNode(source, { flags: ['--unhandled-rejections=strict'] });
  assert.equal(stderr, '');
  assert.equal(code, 0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, 2);
  for (const [value, ms, fired] of lines) {
    assert.equal(value, 3);
    // Two waits of 30 ms, each at most a rounding of the clock too short.
    assert.ok(ms >= 59 && ms < 5000, `${ms} ms`);
    assert.equal(fired, false, 'a timer ran during the wait');
  }
});

test('a wait that ends up to a millisecond early is made up for; a clock that stands still does not hang', () => {
  const early = underBlockingClock(() => retrySync(failing(), { maxAttempts: 2, baseMs: 40, jitter: 'none' }), {
    wake: (ms) => (ms > 1 ? ms - 0.75 : ms),
  });
  assert.deepEqual(early.clock.waits, [40, 0.75]);
  const once = underBlockingClock(() => retrySync(failing(), { maxAttempts: 2, baseMs: 0.4, jitter: 'none' }), {
    wake: () => 0,
  });
  assert.deepEqual(once.clock.waits, [1]);
  const still = underBlockingClock(() => retrySync(failing(), { maxAttempts: 3, jitter: 'none' }), { wake: () => 0 });
  assert.deepEqual(still.clock.waits, [100, 200]);
});

test('a promise as the result: a TypeError that names retry, and its rejection is not unhandled', async () => {
  let calls = 0;
  for (const fn of [
    async () => {
      calls += 1;
      throw new Error('lost');
    },
    () => {
      calls += 1;
      return { then() {} };
    },
  ]) {
    calls = 0;
    const error = thrownBy(() => retrySync(fn));
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /^rejitter: the callback must not return a promise.*Use retry instead$/);
    assert.deepEqual(
      [retryReport(error).reason, retryReport(error).attempts, retryReport(error).records.length],
      ['callback', 1, 1],
    );
    assert.equal(calls, 1);
  }
  const { code, stderr } = await runNode(
    `
    import { retrySync } from 'rejitter';
    try { retrySync(async () => { throw new Error('lost'); }); } catch {}
    try { retrySync(() => { throw 1; }, { retryIf: async () => { throw new Error('lost'); } }); } catch {}
  `,
    { flags: ['--unhandled-rejections=strict'] },
  );
  assert.equal(stderr, '');
  assert.equal(code, 0);
});

test('a predicate that returns a promise or an invalid value ends the operation', () => {
  for (const [options, fn, kind, text] of [
    [
      { retryIf: async () => true },
      failing(),
      TypeError,
      /^rejitter: retryIf must not return a promise.*Use retry instead$/,
    ],
    [
      { retryOnResult: async () => true },
      () => 1,
      TypeError,
      /^rejitter: retryOnResult must not return a promise.*Use retry instead$/,
    ],
    [
      { retryIf: () => 'yes' },
      failing(),
      TypeError,
      /^rejitter: retryIf must return true, false, \{ afterMs \} between 0 and 2\^53 - 1, got "yes"$/,
    ],
    [{ retryIf: () => ({ afterMs: -1 }) }, failing(), RangeError, /afterMs: -1/],
  ]) {
    const { error, clock } = underBlockingClock(() => retrySync(fn, options));
    assert.ok(error instanceof kind, String(error));
    assert.match(error.message, text);
    assert.equal(retryReport(error).reason, 'callback');
    assert.deepEqual(clock.waits, []);
  }
});

test('options that need a timer are rejected, with everything else that is wrong', () => {
  let calls = 0;
  const fn = () => {
    calls += 1;
  };
  const error = thrownBy(() => retrySync(fn, { attemptTimeoutMs: 5, unref: true, baseMs: -1 }));
  assert.ok(error instanceof TypeError);
  for (const text of [
    /attemptTimeoutMs must be omitted \(got 5\): retrySync blocks/,
    /unref must be omitted \(got true\): retrySync blocks/,
    /baseMs must be .*, got -1/,
  ])
    assert.match(error.message, text);
  assert.match(thrownBy(() => retrySync(fn, { metrics: true })).message, /metrics/);
  assert.match(thrownBy(() => retrySync(fn, { maxAtempts: 3 })).message, /maxAttempts/);
  assert.match(thrownBy(() => retrySync(5)).message, /callback must be .*, got 5/);
  assert.equal(calls, 0);
  assert.equal(
    retrySync(() => 'fine', { attemptTimeoutMs: undefined, unref: undefined }),
    'fine',
  );
});

test('an aborted signal is seen before the first attempt, and after whatever may have aborted it', () => {
  const reason = { why: 'enough' };
  let calls = 0;
  assert.equal(
    thrownBy(() =>
      retrySync(
        () => {
          calls += 1;
        },
        { signal: AbortSignal.abort(reason) },
      ),
    ),
    reason,
  );
  assert.equal(calls, 0);
  assert.equal(retryReport(reason), undefined);
  // From outside only shared memory can reach a blocked thread: a signal whose `aborted` looks there.
  const flag = { aborted: false, addEventListener() {}, removeEventListener() {}, reason };
  const { error, clock } = underBlockingClock(
    () => retrySync(failing(), { signal: flag, jitter: 'none', maxAttempts: Infinity }),
    {
      wake: (ms) => {
        flag.aborted = ms >= 800;
        return ms;
      },
    },
  );
  assert.equal(error, reason);
  assert.deepEqual(clock.waits, [100, 200, 400, 800]);
  // The operation's abort reaches the signal that an attempt passed on.
  const controller = new AbortController();
  let given;
  assert.equal(
    thrownBy(() =>
      retrySync(
        ({ signal }) => {
          given = signal;
          controller.abort(reason);
          return 1;
        },
        { signal: controller.signal },
      ),
    ),
    reason,
  );
  assert.ok(given.aborted && given.reason === reason);
});

test('where blocking is impossible, the error says so before the first attempt', async () => {
  const { code, stdout, stderr } = await runNode(`
    import { retrySync } from 'rejitter';
    let calls = 0;
    const tell = () => {
      try { retrySync(() => { calls += 1; }); return 'ran'; } catch (error) { return [error.name, error.message,
        error.cause?.message]; }
    };
    const { SharedArrayBuffer } = globalThis;
    const { wait } = Atomics;
    delete globalThis.SharedArrayBuffer;
    const without = tell();
    globalThis.SharedArrayBuffer = SharedArrayBuffer;
    Atomics.wait = () => { throw new TypeError('cannot be called in this context'); };
    const forbidden = tell();
    Atomics.wait = wait;
    console.log(JSON.stringify({ without, forbidden, calls, after: tell() }));
  `);
  assert.equal(stderr, '');
  assert.equal(code, 0);
  const { without, forbidden, calls, after } = JSON.parse(stdout);
  assert.match(without[1], /^rejitter: .*SharedArrayBuffer.*cross-origin isolated.*Use retry instead$/);
  assert.match(forbidden[1], /^rejitter: .*cannot block this thread.*Use retry instead, or a worker$/);
  assert.equal(forbidden[2], 'cannot be called in this context');
  assert.equal(calls, 0);
  assert.equal(after, 'ran', 'an earlier rejection is not kept');
});

test('the tracing channel sees blocking operations', async () => {
  const { stdout, stderr } = await runNode(`
    import { tracingChannel } from 'node:diagnostics_channel';
    import { retrySync } from 'rejitter';
    const seen = [];
    tracingChannel('rejitter:operation').subscribe({ start: () => seen.push('start'), end: ({ attempts }) =>
      seen.push('end ' + attempts), error: ({ report }) => seen.push('error ' + report.reason),
      asyncStart() { seen.push('async'); }, asyncEnd() {} });
    retrySync(({ attempt }) => { if (attempt < 2) throw 1; }, { baseMs: 1 });
    try { retrySync(() => { throw 1; }, { maxAttempts: 1 }); } catch {}
    console.log(seen.join());
  `);
  assert.equal(stderr, '');
  assert.equal(stdout.trim(), 'start,end 2,start,error exhausted,end 1');
});

test('re-entrant: an operation inside an operation', () => {
  const { value, clock } = underBlockingClock(() =>
    retrySync(
      ({ attempt }) =>
        retrySync(
          (inner) => {
            if (attempt < 2 || inner.attempt < 2) throw new Error('not yet');
            return `${attempt}.${inner.attempt}`;
          },
          { maxAttempts: 2, baseMs: 5, jitter: 'none' },
        ),
      { jitter: 'none', baseMs: 50 },
    ),
  );
  assert.equal(value, '2.2');
  assert.deepEqual(clock.waits, [5, 50, 5]);
});
