// The limiter beside its scenes (tests/vectors/protection.json): quotas, late timers, another limiter that is asked,
// keys, `fetch`, connections, and properties under random operations.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { microtasks, onClock, replace, sleep, underBlockingClock } from '../lib/clock.mjs';
import { importEntry } from '../lib/consumer.mjs';
import { wordsFrom } from '../lib/words.mjs';
import { down, error, importAll, plain, reports, timed, watched } from './entry.mjs';

const all = await importAll();
const { RejectedError, RetryPolicy, cooldown, createFetch, hedge, limiter, permanent, protect, rateLimitHint } = all;
const { retry, retryAfter, retryReport, retrySync } = all;
const { keepConnected } = await importEntry('reconnect');

const never = () => new Promise(() => {});
const FROM_0 = { start: 0 };
/** The status of a limiter in which nothing happens. */
const FREE = { running: 0, queued: 0, nextMs: 0, rejected: 0 };

/** Random lives of a limiter. */
const LIVES = process.env.REJITTER_QUICK ? 60 : 300;

/** Numbers in [0, 1), the same for each seed. */
const randomOf = (seed) => wordsFrom(seed).unit;

/** Starts operations that take no time. Returns when they started. */
function startAll(count, options, ended = () => {}) {
  const starts = [];
  for (let i = 0; i < count; i++)
    retry(() => starts.push(performance.now()), { ...plain, ...options }).then(ended, ended);
  return starts;
}

timed('a quota of 50 per second: of 1,000 jobs at once none gets a 429, and all are served in time', async (clock) => {
  const seen = [];
  const answers = { 200: 0, 429: 0 };
  // A window that slides.
  const inner = async () => {
    const inWindow = seen.filter((at) => at > clock.now - 1000).length;
    const status = inWindow < 50 ? 200 : 429;
    if (status === 200) seen.push(clock.now);
    answers[status]++;
    return new Response(null, { status });
  };
  const send = createFetch({ protection: protect(limiter({ limit: 50 })) }, inner);
  const jobs = Array.from({ length: 1000 }, () => send('http://192.0.2.1/'));
  await clock.drain();
  assert.ok((await Promise.all(jobs)).every(({ status }) => status === 200));
  assert.deepEqual(answers, { 200: 1000, 429: 0 });
  assert.ok(clock.now <= 1.05 * 20_000 && clock.now >= 0.95 * 20_000, `${clock.now}`);
});

for (const [limit, count] of [
  [10, 100],
  [100, 1000],
  [1000, 3000],
  [10_000, 12_000],
])
  timed(`${limit} per second: all start within 5% of the time, and no second has more`, async (clock) => {
    const starts = startAll(count, { protection: protect(limiter({ limit, maxQueue: Infinity })) });
    await clock.drain();
    assert.equal(starts.length, count);
    const due = (count - 1) / (limit / 1000);
    assert.ok(clock.now >= due && clock.now <= 1.05 * due, `${clock.now}, not ${due}`);
    // Timers have whole milliseconds: what is due within one starts at its end.
    const more = limit + Math.floor(limit / 1001);
    for (let i = more; i < count; i++) assert.ok(starts[i] - starts[i - more] >= 1000, `${i}`);
  });

test('timers that are late by up to 50 ms cost no throughput, and bring no more than they put off', async () => {
  for (const [seed, burst] of [
    [1, 1],
    [2, 5],
  ]) {
    const random = randomOf(seed);
    const late = async (clock) => {
      const starts = startAll(500, { protection: protect(limiter({ limit: 100, burst })) });
      await clock.drain();
      assert.ok(clock.now <= 1.05 * 5000, `${clock.now}`);
      // P17: 50 ms are 5 units.
      for (let i = 0; i + 100 + burst + 5 < starts.length; i++)
        assert.ok(starts[i + 100 + burst + 5] - starts[i] >= 1000, `${i}`);
    };
    await onClock(late, { start: 0, skew: () => Math.floor(random() * 51) });
  }
});

const STOPPED = { pause: { fromMs: 900, toMs: 5000 } };
const stopped = async (clock) => {
  const starts = startAll(12, { protection: protect(limiter({ limit: 2 })) });
  await clock.drain();
  assert.deepEqual(starts.slice(0, 2), [0, 500]);
  for (let i = 2; i + 1 < starts.length; i++) assert.ok(starts[i + 1] - starts[i] >= 500, `${starts}`);
};
timed('a process that was stopped makes up for nothing', stopped, STOPPED);

timed('timers that are faked without the clock let all start', async (clock) => {
  // The time stands still.
  const putBack = replace(performance, 'now', () => 5);
  const starts = startAll(10, { protection: protect(limiter({ limit: 2 })) });
  await clock.advance(4500).finally(putBack);
  assert.equal(starts.length, 10);
  assert.deepEqual([...new Set(clock.delays)], [500]);
});

timed('a free place: attempt 1 runs in the stack of the caller, and nothing is left', async (clock) => {
  const api = protect(limiter({ limit: 10, burst: 10, concurrency: 3 }));
  let calls = 0;
  for (const options of [{}, { onSuccess() {} }, { retryOnResult: () => false }, { weight: () => 2 }]) {
    const promise = retry(() => void calls++, { ...plain, ...options, protection: api });
    assert.equal(calls, 1);
    calls = 0;
    await promise;
  }
  const policy = new RetryPolicy({ protection: api });
  const running = [1, 2, 3].map(() => policy.run(() => sleep(1)));
  assert.equal(api.status().limiter.running, 3);
  assert.equal(clock.pending.size, 3);
  await clock.drain();
  await Promise.all(running);
  assert.deepEqual(api.status().limiter, FREE);
});

timed(
  'places are given back in the turn of the end: a throw, a mistake, an abort, a timeout, a drain',
  async (clock) => {
    const api = protect(limiter({ concurrency: 1 }));
    const once = { ...plain, maxAttempts: 1, protection: api };
    const signal = AbortSignal.abort();
    const controller = new AbortController();
    const ends = [
      () => retry(down, once),
      () => retry(() => Promise.reject(permanent(error)), once),
      () => retry(() => permanent(error), once),
      () => retry(() => 1, { ...once, retryOnResult: () => 'wrong' }),
      () => retry(down, { ...once, maxAttempts: 2, retryIf: () => assert.fail('a mistake') }),
      () => retry(() => 1, { ...once, onAttempt: () => controller.abort(), signal: controller.signal }),
      () => retry(() => 1, { ...once, weight: () => assert.fail('a mistake') }),
      () => retry(() => 1, { ...once, signal }),
      () => retry(never, { ...once, attemptTimeoutMs: 5 }),
      () => retry(never, { ...once, totalTimeoutMs: 5 }),
    ];
    for (const end of ends) {
      const ended = watched(end());
      await clock.advance(5);
      assert.ok(ended.state !== 'pending', String(end));
      assert.equal(api.status().limiter.running, 0, String(end));
      assert.equal(await retry(() => 'next', once), 'next');
    }
    const abort = new AbortController();
    const running = watched(retry(never, { ...once, signal: abort.signal }));
    const next = watched(retry(() => 'next', once));
    const left = new AbortController();
    const gone = watched(retry(() => 'gone', { ...once, signal: left.signal }));
    left.abort('left');
    await microtasks();
    assert.deepEqual([gone.error, api.status().limiter.queued], ['left', 1]);
    abort.abort('done');
    // No timer is needed for what follows.
    await microtasks();
    assert.deepEqual([running.error, next.value], ['done', 'next']);
  },
);

timed('an operation that hangs is asked once per attempt for its weight, by number', async (clock) => {
  const api = protect(limiter({ limit: 1000 }));
  const asked = [];
  const weight = (attempt) => {
    asked.push(attempt);
    return 100 * attempt;
  };
  const ended = watched(retry(down, { ...plain, maxAttempts: 3, weight, protection: api }));
  await clock.drain();
  assert.equal(ended.error, error);
  assert.deepEqual(asked, [1, 2, 3]);
  const { records, reason } = retryReport(error);
  assert.deepEqual([reason, records.map(({ startMs }) => startMs)], ['exhausted', [0, 100, 300]]);
});

timed('a weight that throws or is wrong ends the operation, with its failure as the cause', async (clock) => {
  const api = protect(limiter({ limit: 1 }), hedge({ delayMs: 10 }));
  const own = new Error('of the caller');
  const weights = [
    () => {
      throw own;
    },
    () => NaN,
    () => '5',
  ];
  for (const bad of weights) {
    const weight = (attempt) => (attempt === 1 ? 1e-9 : bad());
    const failed = watched(retry(down, { ...plain, maxAttempts: 2, weight, protection: api }));
    await clock.advance(1000);
    assert.equal(failed.error.cause, error, failed.error.message);
    assert.equal(retryReport(failed.error).reason, 'callback');
    // Of a hedge.
    const hedged = watched(retry(never, { ...plain, maxAttempts: 2, weight, protection: api }));
    await clock.advance(1000);
    assert.equal(retryReport(hedged.error).reason, 'callback');
    assert.equal(api.status().limiter.running, 0);
  }
});

timed('events and the status: queued once per attempt, with the wait if it is known', async (clock) => {
  const events = [];
  const api = protect(limiter({ limit: 2, concurrency: 1, maxQueue: 2 }), { onEvent: (event) => events.push(event) });
  const options = { ...plain, maxAttempts: 1, protection: api.for('k') };
  for (let i = 0; i < 4; i++) retry(() => sleep(700), options).catch(() => {});
  assert.deepEqual(events, [
    { type: 'queued', key: 'k', waitMs: 500 },
    { type: 'queued', key: 'k', waitMs: 1000 },
    { type: 'rejected', key: 'k', by: 'limiter', retryAfterMs: 500 },
  ]);
  const { limiter: numbers } = api.for('k').status();
  assert.deepEqual(numbers, { running: 1, queued: 2, nextMs: 500, rejected: 1 });
  assert.ok(Object.isFrozen(numbers));
  await clock.drain();
  assert.equal(events.length, 3);
  assert.equal(clock.now, 2100);
});

timed('a rejection by the limiter: its fields, its message, and no retry of an outer layer', async (clock) => {
  const api = protect(limiter({ limit: 2, maxQueue: 0 }), cooldown());
  const options = { ...plain, protection: api.for('k') };
  await retry(() => 1, options);
  const rejected = await retry(() => 2, options).catch((thrown) => thrown);
  assert.ok(rejected instanceof RejectedError);
  assert.equal(rejected.message, 'rejitter: the limiter (k) is full for another 0.5 s');
  const { by, key, retryAfterMs, cause } = rejected;
  assert.deepEqual([by, key, retryAfterMs, cause], ['limiter', 'k', 500, undefined]);
  const outer = await retry(() => Promise.reject(rejected), plain).catch((thrown) => thrown);
  assert.equal(outer, rejected);
  assert.equal(retryReport(outer).reason, 'notRetryable');
  await clock.advance(500);
  await retry(() => Promise.reject(retryAfter(9000, error)), { ...options, maxAttempts: 1 }).catch(() => {});
  const paused = await retry(() => 2, options).catch((thrown) => thrown);
  assert.match(paused.message, /^rejitter: the limiter \(k\) is full for another 9 s; last failure: down$/);
  assert.equal(paused.cause, error);
});

timed('a state with someone who waits or runs is not forgotten', async (clock) => {
  const api = protect(limiter({ concurrency: 1 }));
  const policy = new RetryPolicy({ protection: api });
  const running = policy.run(() => sleep(10), { key: 'busy' });
  for (let i = 0; i < 2000; i++) await policy.run(() => i, { key: `k${i}` });
  assert.equal(api.keys().length, 1000);
  assert.equal(api.for('busy').status().limiter.running, 1);
  await clock.drain();
  await running;
  for (let i = 0; i < 2000; i++) await policy.run(() => i, { key: `m${i}` });
  assert.ok(!api.keys().includes('busy'));
  // All are busy: none is forgotten.
  const many = Array.from({ length: 1100 }, (_, i) => policy.run(() => sleep(10), { key: `n${i}` }));
  assert.equal(api.keys().length, 1100);
  await clock.drain();
  await Promise.all(many);
});

timed('drain() without a key is one of all keys, whenever they come; of a key, it is of that alone', async (clock) => {
  const api = protect(limiter({ concurrency: 1 }));
  const run = (protection) => watched(retry(() => sleep(10), { ...plain, protection }));
  const [kept, other, unused] = [api.for('kept'), api.for('other'), api.for('unused')];
  const [first, second, third] = [run(kept), run(kept), run(other)];
  kept.drain();
  await microtasks();
  assert.deepEqual([first.state, second.error.by, third.state], ['pending', 'limiter', 'pending']);
  assert.equal(second.error.message, 'rejitter: the limiter (kept) is full');
  await clock.advance(10);
  assert.equal((await retry(down, { ...plain, protection: kept }).catch((thrown) => thrown)).retryAfterMs, Infinity);
  // Its key is kept, too: a new state would let them start.
  const policy = new RetryPolicy({ protection: api });
  for (let i = 0; i < 1500; i++) await policy.run(() => 1, { key: `${i}` });
  assert.ok(api.keys().includes('kept'));
  api.drain();
  for (const protection of [api, unused, other, api.for('new')])
    assert.equal((await retry(down, { ...plain, protection }).catch((thrown) => thrown)).by, 'limiter');
});

timed('a retry of a drained state ends with its own error, and waits for nothing', async (clock) => {
  const api = protect(limiter({ concurrency: 1 }));
  const fails = watched(retry(() => sleep(10).then(down), { ...plain, protection: api }));
  api.drain();
  await clock.advance(10);
  assert.equal(fails.error, error);
  assert.equal(retryReport(error).reason, 'limiter');
});

timed('acquire decides when the first one starts, and is asked for nobody else', async (clock) => {
  const asked = [];
  const answers = [undefined, 300, 0, Promise.resolve(700), Promise.resolve(undefined)];
  const acquire = (key, { signal, weight }) => {
    asked.push([clock.now, key, weight, signal.aborted]);
    return answers.shift();
  };
  const api = protect(limiter({ acquire, limit: 2 }));
  const starts = startAll(3, { protection: api.for('k'), weight: 2 });
  await clock.drain();
  // A weight of 2 takes a second of the own rate.
  assert.deepEqual(starts, [0, 1300, 3000]);
  assert.deepEqual(
    asked,
    [0, 1000, 1300, 2300, 3000].map((at) => [at, 'k', 2, false]),
  );
});

for (const [what, acquire, report] of [
  ['throws', down, /^down$/],
  ['rejects', () => Promise.reject(error), /^down$/],
  ['rejects with nothing', () => Promise.reject(), /^rejitter: acquire failed without an error$/],
  ['answers wrongly', () => -1, /acquire must return a non-negative number of milliseconds or undefined, got -1$/],
  ['answers with a text', async () => '5', /got "5"$/],
  ['answers with Infinity', async () => Infinity, /got Infinity$/],
  ['hangs', never, /^rejitter: acquire took longer than 1000 ms \(acquireTimeoutMs\)$/],
])
  timed(`acquire that ${what} is reported once a minute, and the own limit decides`, async (clock, t) => {
    const seen = reports(t);
    const asked = [];
    const options = { limit: 2, acquire: (...args) => void asked.push(clock.now) ?? acquire(...args) };
    const starts = startAll(150, { protection: protect(limiter(options)) });
    await clock.drain();
    const from = starts[0];
    assert.equal(from, what === 'hangs' ? 1000 : 0);
    assert.equal(starts.length, 150);
    // A hang costs its timeout, and a round of ten of these goes by the own limit.
    assert.ok(clock.now <= 1.1 * 74_500 + 1000, `${clock.now}`);
    assert.ok(asked.length <= 8, `${asked}`);
    for (const thrown of seen) assert.match(thrown.message, report);
    assert.equal(seen.length, 2);
  });

timed('without a queue, acquire is asked all the same', async (clock) => {
  const api = protect(limiter({ acquire: () => sleep(10).then(() => 0), maxQueue: 0 }));
  const [first, second] = [1, 2].map(() => watched(retry(() => clock.now, { ...plain, protection: api })));
  await clock.drain();
  assert.deepEqual([first.value, second.error.by], [10, 'limiter']);
});

timed('without a limit of its own, each start asks an acquire that fails', async (clock, t) => {
  const seen = reports(t);
  const starts = startAll(3, { protection: protect(limiter({ acquire: never, acquireTimeoutMs: 100 })) });
  await clock.drain();
  assert.deepEqual(starts, [100, 200, 300]);
  assert.equal(seen.length, 1);
});

timed(
  'the signal of acquire is aborted if the answer no longer matters, and a late answer changes nothing',
  async (clock) => {
    const asked = [];
    const acquire = (_, { signal }) =>
      new Promise((answer) => {
        asked.push({ signal, answer, at: clock.now });
      });
    const api = protect(limiter({ acquire }));
    const controller = new AbortController();
    const options = { ...plain, protection: api };
    const gone = watched(retry(() => 'gone', { ...options, signal: controller.signal }));
    const next = watched(retry(() => 'next', options));
    assert.equal(asked.length, 1);
    controller.abort('left');
    await microtasks();
    assert.deepEqual([gone.error, asked.length, asked[0].signal.aborted], ['left', 2, true]);
    asked[0].answer(0);
    await microtasks();
    assert.equal(next.state, 'pending');
    asked[1].answer(0);
    await microtasks();
    assert.deepEqual([next.value, asked[1].signal.aborted], ['next', false]);
    const drained = watched(retry(() => 1, options));
    api.drain();
    await microtasks();
    assert.deepEqual([drained.error.by, asked[2].signal.aborted], ['limiter', true]);
  },
);

timed('createFetch: one limiter per origin, a place until the headers, weights of a call', async (clock) => {
  const starts = [];
  const inner = (input) => {
    starts.push([new URL(input).host, clock.now]);
    return sleep(100).then(() => new Response('body'));
  };
  const api = protect(limiter({ limit: 10, concurrency: 1 }));
  const send = createFetch({ protection: api }, inner);
  const hosts = ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.1'];
  const sent = hosts.map((host, i) => send(`http://${host}/`, { retry: { weight: i === 2 ? 3 : 1 } }));
  await clock.drain();
  // Nobody reads the bodies.
  await Promise.all(sent);
  assert.deepEqual(starts, [
    ['192.0.2.1', 0],
    ['192.0.2.2', 0],
    ['192.0.2.1', 100],
    ['192.0.2.1', 400],
  ]);
  const rejecting = createFetch({ protection: protect(limiter({ limit: 1, maxQueue: 0 })) }, inner);
  const request = new Request('http://192.0.2.1/', { method: 'POST', body: 'text' });
  const [first, second] = [rejecting('http://192.0.2.1/'), rejecting(request)];
  const rejected = await second.catch((thrown) => thrown);
  assert.deepEqual([rejected.by, rejected.key, request.bodyUsed], ['limiter', 'http://192.0.2.1', false]);
  await clock.drain();
  await first;
});

for (const parts of [[], [cooldown()]])
  timed(
    `fetch: a 429, and a window that is used up, stop all${parts.length ? ', beside a cooldown' : ''}`,
    async (clock) => {
      const starts = [];
      const busy = () => new Response(null, { status: 429, headers: { 'retry-after': '3' } });
      const spent = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '30' };
      const answers = [busy, () => new Response(), () => new Response(null, { headers: spent })];
      const inner = async () => {
        starts.push(clock.now);
        return (answers.shift() ?? (() => new Response()))();
      };
      const protection = protect(limiter({ limit: 2 }), ...parts);
      const send = createFetch({ protection, hint: rateLimitHint, ...plain }, inner);
      const sent = Array.from({ length: 5 }, () => send('http://192.0.2.1/').then(({ status }) => status));
      await clock.drain();
      assert.deepEqual(await Promise.all(sent), [200, 200, 200, 200, 200]);
      assert.deepEqual(starts, [0, 3000, 3500, 33_500, 34_000, 34_500]);
    },
  );

timed('a connection has its place until it is open, and a rejected one waits', async (clock) => {
  const api = protect(limiter({ concurrency: 1 }));
  const controller = new AbortController();
  const opened = [];
  const session = async (connection) => {
    await sleep(100);
    connection.opened();
    opened.push(clock.now);
    return never();
  };
  const options = { protection: api, signal: controller.signal, random: () => 0 };
  const kept = Array.from({ length: 3 }, () => keepConnected(session, options));
  await clock.advance(50);
  assert.deepEqual(api.status().limiter, { running: 1, queued: 2, nextMs: 0, rejected: 0 });
  await clock.advance(1000);
  assert.deepEqual(opened, [100, 200, 300]);
  assert.equal(api.status().limiter.running, 0);
  const last = [keepConnected(session, options), keepConnected(session, options)];
  controller.abort();
  await Promise.all([...kept, ...last]);
  assert.deepEqual(api.status().limiter, FREE);
  // The session that was cut off.
  await clock.drain();
});

test('retrySync waits for the next free start, before the queue, and for a hint', () => {
  const api = protect(limiter({ limit: 2 }));
  const options = { ...plain, maxAttempts: 1, protection: api };
  const {
    clock,
    value,
    error: thrown,
  } = underBlockingClock(() => {
    const starts = [];
    const call = (more) => retrySync(() => starts.push(performance.now()), { ...options, ...more });
    call();
    // It waits in the queue, where it cannot start.
    void retry(() => 1, options);
    call();
    call({ weight: 2 });
    call();
    assert.throws(() => call({ totalTimeoutMs: 300 }), { by: 'limiter', retryAfterMs: 500 });
    assert.throws(() => retrySync(() => assert.fail(), { ...options, totalTimeoutMs: 400 }), RejectedError);
    performance.now();
    assert.throws(() => retrySync(() => Promise.reject(), options), TypeError);
    return starts;
  });
  assert.equal(thrown, undefined);
  assert.deepEqual(value, [1000, 1500, 2000, 3000]);
  assert.equal(clock.now, 3500);
  const standing = underBlockingClock(() => [1, 2, 3].map(() => retrySync(() => 1, options)), { wake: () => 0 });
  assert.deepEqual(standing.value, [1, 1, 1]);
});

timed('10,000 wait, a third of them leaves, and the others start in order', async (clock) => {
  const api = protect(limiter({ concurrency: 1, maxQueue: Infinity }));
  const numbers = Array.from({ length: 10_000 }, (_, i) => i);
  const leaves = (i) => i > 0 && i % 3 === 0;
  const controllers = new Map(numbers.filter(leaves).map((i) => [i, new AbortController()]));
  const order = [];
  const ended = numbers.map((i) => {
    const options = { ...plain, protection: api, signal: controllers.get(i)?.signal };
    return retry(() => void order.push(i), options).catch(() => {});
  });
  // The last one first.
  for (const controller of [...controllers.values()].reverse()) controller.abort();
  await clock.drain();
  await Promise.all(ended);
  const left = numbers.filter((i) => !leaves(i));
  assert.deepEqual(order, left);
  assert.deepEqual(api.status().limiter, FREE);
});

timed('a weight is asked for once per attempt, whether a hedge starts or not', async (clock) => {
  for (const concurrency of [1, 2]) {
    const asked = [];
    const weight = (attempt) => {
      asked.push(attempt);
      return 1;
    };
    const protection = protect(limiter({ concurrency }), hedge({ delayMs: 5 }));
    const ended = retry(() => sleep(20).then(down), { ...plain, maxAttempts: 3, weight, protection }).catch(() => {});
    await clock.drain();
    await ended;
    assert.deepEqual(asked, [1, 2, 3], `${concurrency}`);
  }
});

/** One random life of a limiter, and its properties. */
async function live(seed) {
  const random = randomOf(seed);
  const whole = (most) => Math.floor(random() * most);
  const chance = (share) => random() < share;
  const limit = chance(0.8) ? 1 + whole(20) : undefined;
  const concurrency = limit === undefined || chance(0.5) ? 1 + whole(3) : undefined;
  const burst = limit && 1 + whole(Math.min(limit, 4));
  const hedges = chance(0.3);
  const unsure = chance(0.2);
  const acquire = unsure ? () => (chance(0.3) ? sleep(whole(50)).then(() => whole(40)) : whole(3) * 20) : undefined;
  const parts = [limiter({ limit, burst, concurrency, acquire, maxQueue: 5 + whole(30) })];
  if (chance(0.3)) parts.push(cooldown());
  if (hedges) parts.push(hedge({ delayMs: 20 }));
  const api = protect(...parts);
  await onClock(async (clock) => {
    let running = 0;
    let [until, toldAt] = [0, -1];
    /** Seen inside of operations, which would repeat an attempt that throws. */
    const broken = [];
    const starts = [];
    const operations = [];
    for (let i = 0; i < 40; i++) {
      await clock.advance(whole(200));
      const controller = new AbortController();
      if (chance(0.2)) setTimeout(() => controller.abort('aborted'), whole(1500));
      const fn = async ({ signal }) => {
        starts.push(clock.now);
        // In the same turn, others may be quicker.
        if (clock.now < until && clock.now !== toldAt) broken.push(`P21, ${clock.now} before ${until}`);
        running += 1;
        if (running > (concurrency ?? Infinity)) broken.push(`P18, ${running} at once`);
        let left = false;
        const leave = () => {
          if (!left) running--;
          left = true;
        };
        signal.addEventListener('abort', leave);
        if (chance(0.1)) await never();
        if (chance(0.9)) await sleep(whole(100));
        // A superseded attempt no longer tells the server's word.
        if (signal.aborted) return 'late';
        leave();
        if (chance(0.3)) throw error;
        if (chance(0.05)) {
          const ms = whole(2000);
          [until, toldAt] = [Math.max(until, clock.now + ms), clock.now];
          throw retryAfter(ms, error);
        }
        return i;
      };
      const options = { ...plain, maxAttempts: 1 + whole(3), signal: controller.signal, protection: api };
      if (chance(0.4)) options.totalTimeoutMs = 1 + whole(3000);
      // A callback that hangs ends in any case.
      options.attemptTimeoutMs = 100 + whole(200);
      operations.push(retry(fn, options).catch(() => {}));
      if (chance(0.01)) api.drain();
    }
    await clock.drain();
    await Promise.all(operations);
    assert.deepEqual(broken, [], `seed ${seed}`);
    const { limiter: end } = api.status();
    assert.deepEqual([end.running, end.queued, clock.pending.size], [0, 0, 0], `seed ${seed}: P20`);
    // A timer of whole milliseconds is late by less than one.
    if (limit !== undefined)
      for (let i = 0; i + limit + burst - 1 < starts.length; i++)
        assert.ok(starts[i + limit + burst - 1] - starts[i] > 998.9, `seed ${seed}: P17`);
  }, FROM_0);
}

test('random operations: P17, P18, P20 and P21 hold', async () => {
  for (let seed = 0; seed < LIVES; seed++) await live(seed);
});

test('P19: starts are in the order in which their operations came, among those that are ready', async () => {
  for (let seed = 0; seed < LIVES / 3; seed++) {
    const random = randomOf(1000 + seed);
    await onClock(async (clock) => {
      const limit = 1 + Math.floor(random() * 10);
      const api = protect(limiter({ limit, ...(random() < 0.5 && { concurrency: 1 + Math.floor(random() * 3) }) }));
      /** Operations that are ready, and since when. */
      const ready = new Map();
      /** Seen inside of operations, which would repeat an attempt that throws. */
      const overtaken = [];
      const ended = [];
      for (let i = 0; i < 30; i++) {
        if (random() < 0.5) await clock.advance(Math.floor(random() * 300));
        ready.set(i, clock.now);
        const fn = async () => {
          for (const [other, since] of ready) if (other < i && since < clock.now) overtaken.push([other, i]);
          ready.delete(i);
          await sleep(Math.floor(random() * 200));
          if (random() < 0.4) throw error;
        };
        // From the end of the wait on, it is ready.
        const beforeRetry = () => void ready.set(i, clock.now);
        ended.push(retry(fn, { ...plain, maxAttempts: 3, beforeRetry, protection: api }).catch((thrown) => thrown));
      }
      await clock.drain();
      assert.deepEqual(overtaken, [], `seed ${seed}`);
      for (const thrown of await Promise.all(ended)) assert.ok(thrown === undefined || thrown === error, thrown);
    }, FROM_0);
  }
});
