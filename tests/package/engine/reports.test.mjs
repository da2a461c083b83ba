// An operation is seen by its caller and by observers of the process: errors, reports and attempts, by their words;
// the frames of its caller; and the tracing channel `tracing:rejitter:operation:*`. processes.test.mjs has hosts
// without that. The random schedules (../schedules) compare its events with those of Node's tracePromise and traceSync,
// and watch whose context a callback runs in.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { AWAITED, fails } from '../lib/callbacks.mjs';
import { replace, underClock } from '../lib/clock.mjs';
import { operate } from '../lib/operate.mjs';
import { importEntry } from '../lib/consumer.mjs';
import { fragile, importAll } from '../protection/entry.mjs';

const { RetryError, RetryPolicy, budget, createFetch, hedge, protect, retry, retryReport, retrySync } =
  await importAll();
const E = new Error('failing');

test('the clock is read once for an attempt that succeeds; one that throws rejects the promise', async () => {
  let reads = 0;
  const boom = new Error('no clock');
  const read = replace(performance, 'now', () => ++reads);
  assert.equal(await retry(() => 'value').finally(read), 'value');
  assert.equal(reads, 1);
  const unreadable = replace(performance, 'now', fails(boom));
  const ends = [{}, { totalTimeoutMs: 5 }].map((options) => retry(fails(E), options));
  const settled = await Promise.allSettled(ends).finally(unreadable);
  for (const { reason } of settled) assert.equal(reason, boom);
});

const hang = () => new Promise(() => {});
const poll = { retryOnResult: () => true, finalResult: 'reject', totalTimeoutMs: 150, jitter: 'none' };
const late = (attempt) => `attempt ${attempt} timed out after 5 ms (attemptTimeoutMs)`;
const wrap = { maxAttempts: 1, finalError: 'wrap' };
const unreadable = Object.defineProperty(new Error(), 'message', { get: fails('read') });
const wordless = Object.assign(new Error(), { message: Symbol('no text') });
const long = 'a\n\x1b[31m\x9b' + 'b'.repeat(99);

test('messages of the engine start with "rejitter: ", once; those of a RetryError show an error, or a string', async () => {
  for (const [fn, options, message] of [
    [fails(new Error('failure 3')), wrap, 'gave up after 1 attempt (exhausted): failure 3'],
    [fails('busy'), wrap, 'gave up after 1 attempt (exhausted): "busy"'],
    // Short, and without control characters.
    [fails(long), wrap, `gave up after 1 attempt (exhausted): "a\\n\\u001b[31m?${'b'.repeat(32)}..."`],
    [fails(unreadable), wrap, 'gave up after 1 attempt (exhausted)'],
    [fails(wordless), wrap, 'gave up after 1 attempt (exhausted)'],
    [() => 'pending', poll, 'gave up after 2 attempts (deadline): the last result was not accepted'],
    [hang, { attemptTimeoutMs: 5, maxAttempts: 2 }, late(2)],
    [hang, { ...wrap, attemptTimeoutMs: 5 }, `gave up after 1 attempt (exhausted): ${late(1)}`],
    [hang, { totalTimeoutMs: 5 }, 'the operation timed out after 5 ms (totalTimeoutMs), during attempt 1'],
    [hang, { totalTimeoutMs: 5, name: 'load' }, 'load timed out after 5 ms (totalTimeoutMs), during attempt 1'],
  ]) {
    const { error } = await operate(fn, options);
    if (typeof message === 'string') assert.equal(error.message, `rejitter: ${message}`);
    else assert.match(error.message, message);
    if (!(error instanceof RetryError)) continue;
    assert.ok(error instanceof AggregateError);
    const cause = options === poll ? undefined : (error.errors[0] ?? assert.fail());
    assert.deepEqual([error.report, error.cause], [retryReport(error), cause]);
    assert.equal(error.reason, error.report.reason);
  }
  const { error: early } = await underClock((clock) =>
    retry(fails(E), { totalTimeoutMs: 100, onAttempt: () => void (clock.now += 200) }),
  );
  assert.match(early.message, /^rejitter: the operation timed out after 100 ms .*, before the first attempt$/);
});

test('console.log(attempt) in Node shows what its getters hold, and makes no signal; nothing can be set', async () => {
  const texts = [];
  let controllers = 0;
  const Counting = class extends AbortController {
    constructor() {
      super();
      controllers += 1;
    }
  };
  const putBack = replace(globalThis, 'AbortController', Counting);
  const fn = (attempt) => {
    texts.push(inspect(attempt));
    for (const name of ['attempt', 'signal', 'previousError', 'elapsedMs'])
      assert.throws(() => Object.assign(attempt, { [name]: 99 }), TypeError, name);
    throw E;
  };
  await operate(fn, { jitter: 'none', maxAttempts: 3, name: 'orders' }).finally(putBack);
  for (const text of [
    ...['attempt: 2', 'attemptsLeft: 1', "name: 'orders'", 'elapsedMs: 100', 'remainingMs: Infinity'],
    ...['previousError: Error: failing', 'previousDelayMs: 100'],
  ])
    assert.ok(texts[1].includes(text), texts[1]);
  assert.equal(controllers, 0);
});

const hedged = (delayMs) => ({ protection: protect(hedge({ delayMs, maxRatio: 1 })) });
const never = () => hedged(60_000);

/** Options that lead through different ways of the driver. */
const WAYS = {
  'no options but the waits': () => ({}),
  'limits, hooks and a predicate': () => ({
    ...{ signal: new AbortController().signal, attemptTimeoutMs: 60_000, totalTimeoutMs: 60_000 },
    ...{ onRetry() {}, onFailure() {}, onAttempt() {}, retryIf: async () => true },
  }),
  'a synchronous predicate': () => ({ retryIf: () => true }),
  'an attempt timeout': () => ({ attemptTimeoutMs: 60_000 }),
  [AWAITED]: () => ({ async [AWAITED]() {} }),
  'a list of waits': () => ({ backoff: [1, 2] }),
  random: () => ({ random: () => 0.5 }),
  'a poll': () => ({ retryOnResult: async () => true }),
  protection: () => ({ protection: protect(budget()) }),
  'a hedge that never starts': never,
  'hedges, and a signal': () => ({ ...hedged(5), signal: new AbortController().signal }),
};

/** How the callback fails. */
const THROWS = {
  synchronously: function work() {
    throw new Error('failed');
  },
  'at once': async function work() {
    throw new Error('failed');
  },
  'after 15 ms': async function work() {
    await new Promise((go) => setTimeout(go, 15));
    throw new Error('failed');
  },
};

/** The stack of the error with which a call ends that two functions await. */
async function stackOf(call, ...args) {
  async function theCaller() {
    return await call(...args);
  }
  async function itsCaller() {
    await theCaller();
  }
  return (await underClock(itsCaller)).error.stack;
}

for (const [name, options] of Object.entries(WAYS))
  test(`the caller's frames are in the stack of an error of attempts 1 and 3: ${name}`, async () => {
    for (const [how, work] of Object.entries(THROWS))
      for (const maxAttempts of [1, 3]) {
        const stack = await stackOf(retry, work, { baseMs: 1, ...options(), maxAttempts });
        for (const frame of name.includes('hedge') ? ['work', 'theCaller'] : ['work', 'theCaller', 'itsCaller'])
          assert.match(stack, new RegExp(`at (async )?${frame} `), `${how}, of ${maxAttempts}`);
      }
  });

const refuses = async () => {
  await null;
  throw new TypeError('fetch failed');
};
const policy = new RetryPolicy({ baseMs: 1, maxAttempts: 3 });
const open = fragile();
open.open();
/** Other calls, by the error with which they end. */
const CALLS = {
  'TypeError: fetch failed': [
    ...[() => policy.run(refuses), () => policy.wrap(refuses)()],
    () => createFetch({ baseMs: 1, ...never() }, refuses)('http://localhost/'),
  ],
  'RejectedError: rejitter: ': [
    () => createFetch({ protection: open, protectionKey: () => null })('http://localhost/'),
    () => retry(refuses, { protection: open }),
    () => new RetryPolicy({ protection: open, totalTimeoutMs: 9 }).wrap(refuses)(),
  ],
  'TimeoutError: rejitter: ': [
    () => retry(hang, { attemptTimeoutMs: 2, maxAttempts: 2, baseMs: 0 }),
    () => retry(hang, { totalTimeoutMs: 2 }),
    () => retry(({ attempt }) => (attempt < 2 ? refuses() : hang()), { totalTimeoutMs: 30, baseMs: 0 }),
    () => retry(hang, { attemptTimeoutMs: 20, maxAttempts: 3, baseMs: 0, ...hedged(5) }),
  ],
};
for (const [start, calls] of Object.entries(CALLS))
  test(`the caller is in the stack of policies, fetches and protection: ${start}`, async () => {
    for (const call of calls) {
      const stack = await stackOf(call);
      assert.ok(stack.startsWith(start), stack);
      assert.match(stack, /at (async )?theCaller /, String(call));
    }
  });

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

/** Runs `body` with subscribers; returns the events that they received. */
async function watched(body) {
  const received = [];
  const note = (name) => (context) => received.push({ ...context, name, context, labels: { ...context } });
  const subscribers = Object.fromEntries(EVENTS.map((name) => [name, note(name)]));
  const traced = tracingChannel('rejitter:operation');
  traced.subscribe(subscribers);
  try {
    await body();
  } finally {
    traced.unsubscribe(subscribers);
  }
  return received;
}

const later = (attempts) => (attempt) => (attempt.attempt < attempts ? fails(E)() : 'value');
const quick = { baseMs: 0.1, maxAttempts: 3 };
/** Calls, and their attempts. */
const TRACED = [
  [() => retry(later(3), quick), 3],
  [() => retry(later(4), quick), 3],
  [() => retrySync(later(4), quick), 3],
  [() => retry(later(1), { signal: AbortSignal.abort('enough') }), undefined],
];
test('all events have one context object, with the attempts and the report; bad options have no event', async () => {
  for (const [call, attempts] of TRACED) {
    const received = await watched(() => (async () => call())().catch(() => {}));
    const [{ context }] = received;
    assert.ok(received.every((event) => event.context === context));
    assert.deepEqual([context.attempts, context.report], [attempts, retryReport(context.error)]);
  }
  assert.deepEqual(await watched(() => retry(later(1), { baseMs: -1 }).catch(() => {})), []);
});

test('labels, from the start: the name, and of a fetch its method and origin', async () => {
  const fetchWith = (options) => createFetch(options, async () => new Response('', { status: 503 }));
  const named = { maxAttempts: 1, name: 'load' };
  const received = await watched(async () => {
    await retry(() => 1, named);
    await new RetryPolicy(named).run(() => 1);
    retrySync(() => 1, named);
    await fetchWith(named)('https://me:secret@a.test:8443/path?query#hash', { method: 'put' });
    for (const input of [new Request('https://a.test/path'), 'data:,x']) await fetchWith({ maxAttempts: 1 })(input);
    await retry(() => 1);
  });
  // Not one event more after it has left.
  await retry(() => 1);
  // One object per operation: what it had when it started is read then.
  assert.deepEqual(
    received.filter(({ name }) => name === 'start').map(({ labels }) => labels),
    [
      ...[{ name: 'load' }, { name: 'load' }, { name: 'load' }],
      { name: 'load', method: 'PUT', origin: 'https://a.test:8443' },
      { name: undefined, method: 'GET', origin: 'https://a.test' },
      { name: undefined, method: 'GET', origin: undefined },
      { name: undefined },
    ],
  );
  const { context } = received.findLast(({ context }) => context.origin === 'https://a.test:8443');
  assert.deepEqual([context.attempts, context.report.reason, context.result.status], [1, 'exhausted', 503]);
});

test('a store that is bound to the channel is the context of every attempt', async () => {
  const storage = new AsyncLocalStorage();
  const start = channel('tracing:rejitter:operation:start');
  start.bindStore(storage, () => 'span');
  const seen = [];
  await retry((attempt) => seen.push(storage.getStore()) && later(3)(attempt), quick).finally(() =>
    start.unbindStore(storage),
  );
  assert.deepEqual([...seen, storage.getStore()], ['span', 'span', 'span', undefined]);
});

/** Every number in what callbacks receive and callers read, by its path. */
function numbersIn(value, path = '', seen = new Set()) {
  if (typeof value === 'number') return [[path, value]];
  if (value === null || typeof value !== 'object' || seen.has(value)) return [];
  seen.add(value);
  return Reflect.ownKeys(value).flatMap((key) => numbersIn(value[key], `${path}.${String(key)}`, seen));
}

test('a clock that steps back, as a fake one may, gives no negative time to anyone', async () => {
  const { keepConnected } = await importEntry('reconnect');
  const told = [];
  const note = (name) => (event) => void told.push([name, event]);
  const hooks = Object.fromEntries(
    ['onAttempt', 'onFailure', 'onRetry', 'onGiveUp', 'onSuccess', 'beforeRetry'].map((name) => [name, note(name)]),
  );
  let time = 1e6;
  const putBack = replace(performance, 'now', () => (time -= 40));
  const failing = (attempt) => {
    told.push(['an attempt', { elapsedMs: attempt.elapsedMs, remainingMs: attempt.remainingMs }]);
    throw new Error('down');
  };
  const quick = { baseMs: 1, maxAttempts: 3 };
  const own = {
    ...quick,
    ...hooks,
    totalTimeoutMs: 60_000,
    protection: protect(budget(), { isFailure: note('isFailure') }),
  };
  try {
    const fetch = createFetch(own, async () => new Response(null, { status: 503 }));
    told.push(['fetch', retryReport(await fetch('http://x/'))]);
    for (const run of [retry, (...args) => retrySync(...args)]) {
      const options = run === retry ? own : { ...quick, onRetry: hooks.onRetry, onGiveUp: hooks.onGiveUp };
      const error = await Promise.resolve()
        .then(() => run(failing, options))
        .catch((thrown) => thrown);
      told.push(['the report', retryReport(error)]);
    }
    const { beforeRetry, onSuccess, ...kept } = hooks;
    const session = ({ attempt, opened, finish }) => {
      opened();
      if (attempt === 3) return finish();
      throw new Error('closed');
    };
    told.push(['connections', await keepConnected(session, { ...kept, baseMs: 1, stableMs: 1e9 })]);
  } finally {
    putBack();
  }
  const times = told.flatMap(([name, value]) => numbersIn(value, name)).filter(([path]) => path.endsWith('Ms'));
  assert.ok(times.length > 40, `${times.length} times`);
  assert.deepEqual(
    times.filter(([, ms]) => !(ms >= 0)),
    [],
  );
});
