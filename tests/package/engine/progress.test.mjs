// What attempts tell of themselves, beside the scripted operations (tests/vectors/operations.json, protection.json).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { untilAborted } from '../lib/callbacks.mjs';
import { onClock, replace, sleep, underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, printed } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryPolicy, TimeoutError, retry, retryReport, retrySync } = await importPackage();
const { fromData } = await importEntry('data');
const { nextDelay } = await importEntry('engines');
const { createFetch } = await importEntry('fetch');
const { hedge, protect } = await importEntry('protection');

const STEADY = { backoff: 'fixed', baseMs: 100, jitter: 'none', maxAttempts: 3 };
const VERBS = ['alive', 'progress', 'commit'];
const down = new Error('down');

/** Lives for so long, and fails. */
const living = (ms, tell) => async (attempt) => {
  tell?.(attempt);
  await sleep(ms);
  throw down;
};
const progresses = ({ progress }) => progress();
const commits = ({ commit }) => commit();
/** Tells, and runs until its signal is aborted. */
const hanging = (tell) => (attempt) => {
  tell?.(attempt);
  return untilAborted(attempt);
};

test('they are functions of their own, the same at each use, and return nothing', async () => {
  const seen = [];
  await retry((attempt) => {
    for (const verb of VERBS) {
      const { [verb]: tell } = attempt;
      assert.equal(attempt[verb], tell);
      assert.throws(() => void new attempt[verb](), TypeError);
      seen.push(tell());
    }
    assert.equal(typeof attempt.watch, 'function');
  });
  assert.deepEqual(seen, [undefined, undefined, undefined]);
});

for (const verb of ['progress', 'commit'])
  test(`once an attempt has ended, its ${verb}() does nothing`, async () => {
    const attempts = [];
    const late = () => {
      for (const attempt of attempts) attempt[verb]();
      return true;
    };
    const fn = (attempt) => {
      late();
      attempts.push(attempt);
      throw down;
    };
    const callbacks = { retryIf: late, beforeRetry: late, onFailure: late, onRetry: late, onGiveUp: late };
    const { error, delays } = await operate(fn, { ...STEADY, ...callbacks });
    assert.equal(error, down);
    assert.deepEqual(delays, [100, 100]);
    const { reason, records } = retryReport(down);
    assert.equal(reason, 'exhausted');
    for (const record of records) assert.ok(!('progressed' in record || 'committed' in record));
  });

test('nor does it once its signal is aborted, before its callback has settled', async () => {
  const tellings = [];
  const fn = ({ commit, progress, signal }) => {
    signal.addEventListener('abort', () => tellings.push(commit(), progress()));
    return new Promise(() => {});
  };
  const { error } = await operate(fn, { ...STEADY, maxAttempts: 2, attemptTimeoutMs: 20 });
  assert.equal(tellings.length, 4);
  const { reason, records } = retryReport(error);
  assert.equal(reason, 'exhausted');
  assert.ok(!records.some((record) => 'progressed' in record || 'committed' in record));
});

test('attemptsLeft is of the row, from the failure on, for hooks and predicates, and the next attempt', async () => {
  const seen = [];
  const see = (name) => (event) => seen.push(`${name} ${event.attempt}: ${event.attemptsLeft}`);
  const fn = (attempt) => {
    if (attempt.attempt === 2) attempt.progress();
    see('fn')(attempt);
    throw down;
  };
  const retryIf = (_, attempt) => see('retryIf')(attempt) > 0;
  await operate(fn, { ...STEADY, retryIf, onFailure: see('onFailure'), onRetry: see('onRetry') });
  assert.deepEqual(seen, [
    ...['fn 1: 2', 'onFailure 1: 2', 'retryIf 1: 2', 'onRetry 1: 2'],
    ...['fn 2: 1', 'onFailure 2: 2', 'retryIf 2: 2', 'onRetry 2: 2'],
    ...['fn 3: 1', 'onFailure 3: 1', 'retryIf 3: 1', 'onRetry 3: 1'],
    ...['fn 4: 0', 'onFailure 4: 0', 'retryIf 4: 0'],
  ]);
});

test('in a round, attemptsLeft of both is that of the first of the row', async () => {
  const left = [];
  const policy = new RetryPolicy({
    ...STEADY,
    protection: protect(hedge({ delayMs: 30 })),
    onFailure: ({ attempt, attemptsLeft }) => left.push([attempt, attemptsLeft]),
  });
  await underClock(() => policy.run(living(50, ({ attempt, progress }) => attempt === 1 && progress())));
  assert.deepEqual(left.slice(0, 2), [
    [1, 2],
    [2, 2],
  ]);
});

test('hooks see what an attempt has told, and the next attempt begins without it', async () => {
  const seen = [];
  const see = (name) => (event) => void seen.push([name, event.progressed, event.committed]);
  const hooks = ['onAttempt', 'onFailure', 'onRetry', 'beforeRetry', 'onGiveUp'].map((name) => [name, see(name)]);
  const fn = living(5, ({ attempt, progress, commit }) => (attempt === 1 ? progress() : commit()));
  await operate(fn, { ...STEADY, ...Object.fromEntries(hooks) });
  assert.deepEqual(seen, [
    ['onAttempt', undefined, undefined],
    ...['onFailure', 'onRetry', 'beforeRetry'].map((name) => [name, true, undefined]),
    ['onAttempt', undefined, undefined],
    ...['onFailure', 'onGiveUp'].map((name) => [name, undefined, true]),
  ]);
});

test('no draw is used twice: with a seed, rows wait as one row of as many attempts', async () => {
  const waits = async (options, tell) => {
    const delays = [];
    const onRetry = ({ attempt, delayMs }) => {
      delays.push(delayMs);
      if (attempt === 12) stop.abort();
    };
    const stop = new AbortController();
    const all = { ...STEADY, jitter: 'full', seed: 7, onRetry, signal: stop.signal, ...options };
    await operate(living(20, tell), all);
    return delays;
  };
  const row = await waits({ maxAttempts: Infinity });
  assert.equal(new Set(row).size, 12);
  assert.deepEqual(await waits({}, progresses), row);
});

for (const [jitter, waits] of Object.entries({
  // With draws of a half; the ceiling of a jitter with a curve of its own is its wait with the highest draw.
  decorrelated: { 599: [200, 350, 575], 600: [200, 200, 200] },
  decorrelatedBounded: { 599: [200, 350, 575], 600: [200, 200, 200] },
  slotted: { 199: [100, 200, 400], 200: [100, 100, 100] },
}))
  test(`${jitter} begins again after attempts that live as long as the highest draw`, async () => {
    for (const [ms, expected] of Object.entries(waits)) {
      const delays = [];
      const onRetry = ({ delayMs }) => delays.push(delayMs);
      const options = { baseMs: 100, jitter, random: () => 0.5, maxAttempts: 3, totalTimeoutMs: 4 * ms + 1600 };
      await operate(living(Number(ms), progresses), { ...options, onRetry });
      assert.deepEqual(delays.slice(0, 3), expected, `${ms} ms`);
    }
  });

test('the ceiling of a function is its last value, cut by the cap, and it is not asked for it again', async () => {
  const asked = [];
  const delays = [];
  const backoff = (k) => {
    asked.push(k);
    return 1000;
  };
  const onRetry = ({ delayMs }) => delays.push(delayMs);
  const fn = living(60, ({ attempt, progress }) => attempt < 4 && progress());
  await operate(fn, { backoff, capMs: 50, jitter: 'none', maxAttempts: 2, onRetry });
  assert.deepEqual(asked, [1, 1, 1]);
  assert.deepEqual(delays, [50, 50, 50]);
});

test('idleTimeoutMs is named by its error; where attemptTimeoutMs ends at the same time, that is', async () => {
  const messageOf = async (options, tell) => {
    const { error } = await operate(hanging(tell), { ...options, maxAttempts: 1 });
    assert.ok(error instanceof TimeoutError);
    return error.message;
  };
  const silent = 'rejitter: attempt 1 timed out after 50 ms of silence (idleTimeoutMs)';
  assert.equal(await messageOf({ idleTimeoutMs: 50 }), silent);
  assert.equal(await messageOf({ idleTimeoutMs: { firstMs: 9, thenMs: 50 } }, ({ alive }) => alive()), silent);
  assert.equal(await messageOf({ idleTimeoutMs: 50, totalTimeoutMs: 60 }), silent);
  const whole = 'rejitter: attempt 1 timed out after 50 ms (attemptTimeoutMs)';
  assert.equal(await messageOf({ idleTimeoutMs: 50, attemptTimeoutMs: 50 }), whole);
});

test('a sign of life arms no timer, and none is left at the end', async () => {
  const fn = async ({ alive }) => {
    for (let i = 0; i < 50; i++) {
      await sleep(10);
      alive();
      alive();
    }
    return 'v';
  };
  const limits = { idleTimeoutMs: 100, attemptTimeoutMs: 10_000, totalTimeoutMs: 20_000 };
  const { clock, value, delays } = await operate(fn, limits);
  assert.equal(value, 'v');
  assert.equal(clock.now - 1000, 500);
  // The deadline's, then one that is armed again for the rest: it fires before the sign of life of that moment.
  const limiting = delays.filter((ms) => ms !== 10);
  assert.deepEqual(limiting, [20_000, 100, 90, 90, 90, 90, 90]);
  assert.equal(clock.pending.size, 0);
});

test('a clock that stands still while timers fire ends silence all the same', async () => {
  await onClock(async (clock) => {
    const putBack = replace(globalThis.performance, 'now', () => 5);
    try {
      const ended = [];
      const run = (tell) =>
        retry(hanging(tell), { idleTimeoutMs: 50, maxAttempts: 1 }).catch(() => ended.push(clock.now - 1000));
      run();
      run(({ alive }) => setTimeout(alive, 40));
      await clock.advance(50);
      assert.deepEqual(ended, [50]);
      await clock.advance(50);
      assert.deepEqual(ended, [50, 100]);
    } finally {
      putBack();
    }
  });
});

test('a run may lift the limit of its policy, and data keep it', async () => {
  const policy = new RetryPolicy({ idleTimeoutMs: { firstMs: Infinity, thenMs: 20 }, maxAttempts: 1 });
  const data = JSON.parse(JSON.stringify(policy));
  assert.deepEqual(data.idleTimeoutMs, { firstMs: 'Infinity', thenMs: 20 });
  assert.equal(JSON.parse(JSON.stringify(new RetryPolicy({ idleTimeoutMs: 7 }))).idleTimeoutMs, 7);
  assert.ok(!('idleTimeoutMs' in new RetryPolicy({ idleTimeoutMs: Infinity }).toJSON()));
  const fn = async ({ alive }) => {
    alive();
    await sleep(30);
    return 'v';
  };
  for (const each of [policy, fromData(data), policy.with({ maxAttempts: 2 })])
    assert.ok((await underClock(() => each.with({ maxAttempts: 1 }).run(fn))).error instanceof TimeoutError);
  const { value } = await underClock(() => policy.run(fn, { idleTimeoutMs: Infinity }));
  assert.equal(value, 'v');
});

test('createFetch refuses the limit, with the remedy, wherever it is set', async () => {
  const message = /idleTimeoutMs must be omitted .*wrap request and reading in retry\(\)/;
  const refused = { name: 'TypeError', message };
  assert.throws(() => createFetch({ idleTimeoutMs: 5 }), refused);
  assert.throws(() => createFetch(new RetryPolicy({ idleTimeoutMs: 5 })), refused);
  await assert.rejects(createFetch()('http://a.example', { retry: { idleTimeoutMs: 5 } }), refused);
  assert.equal(typeof createFetch(new RetryPolicy({ idleTimeoutMs: Infinity })), 'function');
});

test('hint is not asked about a committed attempt', async () => {
  let asked = 0;
  const { error } = await operate(living(5, commits), { ...STEADY, hint: () => void (asked += 1) });
  assert.deepEqual([error, asked], [down, 0]);
});

test('finalError wraps the error of a committed attempt as any other', async () => {
  const { error } = await operate(living(5, commits), { ...STEADY, finalError: 'wrap' });
  assert.deepEqual([error.reason, error.cause], ['committed', down]);
});

test('metrics count operations that ended after a commitment', async () => {
  const policy = new RetryPolicy({ ...STEADY, metrics: true });
  await underClock(() => policy.run(living(5, commits)));
  assert.deepEqual({ ...policy.metrics().failures }, { committed: 1 });
});

test('a commitment aborts the other attempt of its round at once, with the reason of one that lost', async () => {
  await onClock(async (clock) => {
    const aborted = [];
    const policy = new RetryPolicy({ ...STEADY, protection: protect(hedge({ delayMs: 30 })) });
    const result = policy.run(({ attempt, commit, signal }) => {
      signal.addEventListener('abort', () => aborted.push(attempt, signal.reason.name));
      if (attempt === 2) setTimeout(commit, 30);
      return sleep(200).then(() => attempt);
    });
    await clock.advance(59);
    assert.deepEqual(aborted, []);
    await clock.advance(1);
    assert.deepEqual(aborted, [1, 'SupersededError']);
    await clock.drain();
    assert.equal(await result, 2);
    assert.deepEqual(aborted.length, 2);
  });
});

test('the callbacks of engines get functions that do nothing, since the attempt is over', () => {
  const stream = {};
  const policy = new RetryPolicy({
    ...STEADY,
    retryIf: (_, attempt) => {
      for (const verb of VERBS) assert.equal(attempt[verb](), undefined);
      return attempt.watch(stream) === stream;
    },
  });
  assert.equal(nextDelay(policy, { attempt: 1, error: down }), 100);
});

test('retrySync has progress() and commit()', () => {
  const fast = { ...STEADY, baseMs: 0 };
  const failing = (tell) => (attempt) => {
    if (attempt.attempt === 7) return 'v';
    tell(attempt);
    throw down;
  };
  assert.equal(retrySync(failing(progresses), fast), 'v');
  assert.throws(() => retrySync(failing(commits), fast), down);
  assert.equal(retryReport(down).reason, 'committed');
});

test('said once: an attempt that never gave a sign of life; ten rows without a deadline', async () => {
  const program = `
    import { retry } from 'rejitter';
    const fast = { baseMs: 0, maxAttempts: 2 };
    const rows = (count, options) => retry(({ attempt, progress }) => {
      if (attempt <= count) { progress(); throw new Error(); }
    }, { ...fast, ...options });
    const silent = (tell) => retry((attempt) => { tell?.(attempt); return new Promise(() => {}); },
      { ...fast, idleTimeoutMs: 1 }).catch(() => {});
    const warned = [];
    console.warn = (text) => warned.push(text);
    await rows(8);
    await rows(20, { totalTimeoutMs: 600_000 });
    await silent(({ alive }) => alive());
    const before = warned.length;
    await rows(9);
    await rows(9);
    await silent();
    console.log(JSON.stringify([before, warned]));`;
  assert.deepEqual(JSON.parse(await printed(program)), [
    0,
    [
      'rejitter: 10 rows of attempts by progress(): without totalTimeoutMs, they may never end',
      'rejitter: idleTimeoutMs has ended an attempt without alive(), progress() or items of watch()',
    ],
  ]);
});
