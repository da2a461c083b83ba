// rejitter/testing, the tools for users' own tests, and the examples for each framework.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, test } from 'node:test';
import { promisify } from 'node:util';

import FakeTimers from '@sinonjs/fake-timers';

import { fails } from '../lib/callbacks.mjs';
import { VirtualClock } from '../lib/clock.mjs';
import { importPackage, printed } from '../lib/consumer.mjs';
import { importTesting, listen } from '../lib/fetching.mjs';
import { inFramework } from '../lib/frameworks.mjs';
import { marked } from '../lib/readers.mjs';
import { generator } from '../schedules/random.mjs';

const { RetryPolicy, retry, retryReport, retrySync } = await importPackage();
const { constantRandom, scriptedRandom, virtualClock } = await importTesting();

const flaky = ({ attempt }) => {
  if (attempt < 3) throw new Error('flaky');
  return attempt;
};

const immediate = () => new Promise((done) => setImmediate(done));
/** More turns of the event loop than the clock takes of its own accord. */
async function turns() {
  for (let i = 0; i < 50; i += 1) await immediate();
}

let clock;
afterEach(() => clock?.uninstall());

test('drives an operation imported earlier: nothing happens before the clock moves, then all in order', async () => {
  const before = performance.now();
  clock = virtualClock();
  const [monotonic, wall] = [performance.now(), Date.now()];
  const starts = [];
  const fn = (attempt) => {
    starts.push(clock.now);
    return flaky(attempt);
  };
  const result = retry(fn, { random: constantRandom(0.5), totalTimeoutMs: 60_000 });
  await clock.advance(0);
  assert.deepEqual([clock.pending, clock.now], [2, 0], 'the deadline and the wait');
  await clock.advance(49);
  assert.deepEqual(starts, [0]);
  await clock.advance(1);
  assert.deepEqual(starts, [0, 50]);
  await clock.advance(10_000);
  assert.equal(await result, 3);
  assert.deepEqual(starts, [0, 50, 150]);
  assert.deepEqual([clock.now, clock.pending], [10_050, 0]);
  await clock.advance(86_400_000);
  assert.deepEqual([monotonic >= before, performance.now() - monotonic], [true, 86_410_050]);
  assert.ok(Date.now() - wall < 3_600_000, 'the date is real');
});

test('runAll ends an operation of hours at once, and fails when it has no end', async () => {
  clock = virtualClock();
  const result = retry(fails(new Error('down')), { baseMs: 3_600_000, maxAttempts: 5, jitter: 'none' });
  const refused = assert.rejects(result, /down/);
  await clock.runAll();
  await refused;
  assert.equal(clock.now, 4 * 3_600_000);
  const stop = new AbortController();
  const endless = retry(fails(0), { maxAttempts: Infinity, signal: stop.signal });
  await assert.rejects(
    clock.runAll(50),
    /^Error: rejitter: 50 timers have fired and more are armed\. Is a retry endless/,
  );
  stop.abort('enough');
  await assert.rejects(endless, (reason) => reason === 'enough');
  assert.equal(clock.pending, 0);
});

test('a timer needs a function', () => {
  clock = virtualClock();
  const text = /^TypeError: rejitter: the callback of setTimeout\(\) must be a function, got "code"$/;
  assert.throws(() => setTimeout('code', 1), text);
});

test("clears a timer that was armed before the installation, and none of the clock's instead", async () => {
  const late = () => assert.fail('it was cleared');
  const before = setTimeout(late, 0);
  const number = setTimeout(late, 0);
  clock = virtualClock();
  // Enough for the numbers of the two to meet, if they were counted from 1.
  for (let id = 0; id <= Number(number); id++) setTimeout(() => {}, 10);
  const armed = clock.pending;
  clearTimeout(before);
  clearTimeout(Number(number));
  assert.equal(clock.pending, armed);
  clock.uninstall();
  await new Promise((done) => setTimeout(done, 5));
});

test('rejects an installation next to fake timers of a test framework, and works after them', async () => {
  for (const options of [undefined, { toFake: ['setTimeout', 'clearTimeout', 'performance'] }]) {
    const fake = FakeTimers.install(options);
    try {
      assert.throws(() => virtualClock(), /^Error: rejitter: fake timers are installed already\. Remove them first/);
      assert.equal(performance.now(), 0, 'nothing was replaced');
    } finally {
      fake.uninstall();
    }
  }
  clock = virtualClock();
  await clock.advance(5);
  assert.equal(clock.now, 5);
});

test('blocking: retrySync waits on the clock, and nothing fires during the wait', async () => {
  clock = virtualClock({ blocking: true });
  let fired = 0;
  setTimeout(() => {
    fired += 1;
  }, 1);
  assert.equal(retrySync(flaky, { jitter: 'none' }), 3);
  assert.deepEqual([clock.now, fired], [300, 0]);
  await clock.advance(0);
  assert.equal(fired, 1, 'late, as after any blocking');
});

test('uninstall puts everything back, once, and leaves the replacements of others', async () => {
  const properties = [
    ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'].map((name) => [globalThis, name]),
    ...[
      [AbortSignal, 'timeout'],
      [performance, 'now'],
      [Date, 'now'],
      [Date.prototype, 'constructor'],
    ],
    [Atomics, 'wait'],
  ];
  const originals = () => properties.map((property) => Object.getOwnPropertyDescriptor(...property));
  const values = () => [...properties.map(([holder, name]) => holder[name]), Date.now, new Date().constructor];
  const [before, found] = [values(), originals()];
  clock = virtualClock({ date: true, blocking: true });
  assert.ok(values().every((value, i) => value !== before[i]));
  assert.throws(() => virtualClock(), /installed already/);
  setTimeout(() => assert.fail('a timer of an uninstalled clock'), 1);
  clock.uninstall();
  clock.uninstall();
  assert.deepEqual(values(), before);
  assert.deepEqual(originals(), found);
  assert.equal(clock.pending, 0);

  const real = globalThis.setTimeout;
  clock = virtualClock();
  const theirs = () => 7;
  globalThis.setTimeout = theirs;
  clock.uninstall();
  assert.equal(globalThis.setTimeout, theirs);
  globalThis.setTimeout = real;
  const disposable = virtualClock();
  disposable[Symbol.dispose]();
  assert.equal(globalThis.setTimeout, real);
});

test('reports misuse: a missing await, an invalid argument, a callback that throws', async () => {
  clock = virtualClock();
  const first = clock.advance(5);
  for (const move of [() => clock.advance(5), () => clock.runAll(), () => clock.runUntil(Promise.resolve())])
    await assert.rejects(move, /^Error: rejitter: the clock is being moved already\. Await each/);
  await first;
  const until = (options) => clock.runUntil(Promise.resolve(), options);
  const argument = (method, rule) => `the argument of ${method}() must be ${rule}, got `;
  const finite = argument('advance', 'a finite, non-negative number of milliseconds');
  for (const [call, values, text, kind = /^(Range|Type)Error/] of [
    [(ms) => clock.advance(ms), [-1, NaN, Infinity], finite, /^RangeError/],
    [(ms) => clock.advance(ms), ['5', undefined], finite, /^TypeError/],
    [(n) => clock.runAll(n), [-1, NaN, 1.5, Infinity, '5', null], argument('runAll', 'a non-negative integer')],
    [(limit) => until({ limit }), [-1, NaN, 1.5, Infinity, '5', null], 'limit must be a non-negative integer, got '],
    [(graceMs) => until({ graceMs }), [-1, 1.5, '5', null], 'graceMs must be a non-negative integer, got '],
    [(it) => clock.runUntil(it), [undefined, null, 5, () => {}], argument('runUntil', 'a promise'), /^TypeError/],
    [(limits) => until({ limits }), [5], 'unknown option "limits". Did you mean limit? Known options: limit, graceMs'],
  ])
    for (const value of values)
      await assert.rejects(call(value), (error) => {
        assert.match(error.name, kind);
        assert.ok(error.message.startsWith(`rejitter: ${text}`), error.message);
        return true;
      });
  setTimeout(fails(new Error('in a timer')), 1);
  await assert.rejects(clock.advance(1), /in a timer/);
  await clock.advance(1);
  clock.uninstall();
  for (const [options, text] of [
    [null, 'options must be an object, got null'],
    [5, 'options must be an object, got 5'],
    [[], 'options must be an object, got an array'],
    [{ dates: true }, 'unknown option "dates". Did you mean date? Known options: date, blocking'],
    [{ date: 1, blocking: 'yes' }, 'date must be true or false, got 1; blocking must be true or false, got "yes"'],
  ])
    assert.throws(() => virtualClock(options), { name: 'TypeError', message: `rejitter: ${text}` });
  assert.throws(() => virtualClock(new Map()), TypeError, 'an object that holds no options');
  clock = virtualClock({ date: undefined });
});

test("handles have the methods of Node's Timeout", async () => {
  const methods = (handle) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(handle))
      .filter((name) => name !== 'constructor' && !name.startsWith('_'))
      .sort();
  const real = setTimeout(() => {}, 1);
  clearTimeout(real);
  const own = Object.getOwnPropertySymbols(Object.getPrototypeOf(real)).filter(
    (symbol) => symbol === Symbol.toPrimitive || symbol === Symbol.dispose,
  );
  clock = virtualClock();
  const timer = setTimeout(() => {}, 10);
  for (const name of methods(real)) assert.equal(typeof timer[name], 'function', name);
  for (const symbol of own) assert.equal(typeof timer[symbol], 'function', String(symbol));
  assert.ok(own.length >= 1);
  assert.equal(typeof +timer, 'number');
  assert.deepEqual(
    [timer.hasRef(), timer.unref() === timer, timer.hasRef(), timer.ref() === timer, timer.hasRef()],
    [true, true, false, true, true],
  );
  assert.equal(timer.refresh(), timer);
  await clock.advance(10);
  assert.equal(timer.hasRef(), false, 'it has fired');
  assert.equal(timer.refresh().close(), timer);
  assert.equal(timer.hasRef(), false);
  const disposed = setTimeout(() => assert.fail('disposed'), 1);
  disposed[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  assert.equal(clock.pending, 0);
});

test("AbortSignal.timeout aborts on the clock, with the host's reason, and ends an operation", async () => {
  const real = AbortSignal.timeout(0);
  // Its timer does not keep the process alive.
  const alive = setInterval(() => {}, 1000);
  await once(real, 'abort');
  clearInterval(alive);
  clock = virtualClock();
  const signal = AbortSignal.timeout(1000);
  assert.ok(signal instanceof AbortSignal);
  const outcome = retry(fails(new Error('down')), { signal, maxAttempts: Infinity, jitter: 'none' });
  const refused = assert.rejects(outcome, (reason) => reason === signal.reason);
  await clock.advance(999);
  assert.equal(signal.aborted, false);
  await clock.advance(1);
  await refused;
  assert.deepEqual(
    [signal.reason.name, signal.reason.message, signal.reason.constructor],
    [real.reason.name, real.reason.message, DOMException],
  );
  assert.equal(clock.pending, 0);
  assert.throws(
    () => AbortSignal.timeout(-1),
    /^RangeError: rejitter: the argument of AbortSignal\.timeout\(\) must be/,
  );
});

test('util.promisify(setTimeout) takes a signal, as that of Node', async () => {
  const sleep = (signal) => promisify(setTimeout)(1000, 'value', { signal });
  const failed = (promise) => promise.catch((error) => error);
  const real = await failed(sleep(AbortSignal.abort('early')));
  clock = virtualClock();
  const early = await failed(sleep(AbortSignal.abort('early')));
  const stop = new AbortController();
  const late = failed(sleep(stop.signal));
  await clock.advance(500);
  stop.abort('late');
  for (const [{ name, code, message, cause }, expected] of [
    [real, 'early'],
    [early, 'early'],
    [await late, 'late'],
  ])
    assert.deepEqual([name, code, message, cause], ['AbortError', 'ABORT_ERR', real.message, expected]);
  assert.equal(clock.pending, 0);
  const other = new AbortController();
  const done = sleep(other.signal);
  await clock.advance(1000);
  other.abort();
  assert.equal(await done, 'value');
});

test('date: new Date() and Date() move along, dates stay dates', async () => {
  const RealDate = Date;
  const before = new Date();
  clock = virtualClock({ date: true });
  const from = Date.now();
  await clock.advance(3_600_000.5);
  assert.equal(new Date().getTime(), from + 3_600_000);
  assert.equal(Date.now(), from + 3_600_000);
  assert.equal(Date(), new Date(from + 3_600_000).toString());
  assert.equal(new Date(5).getTime(), 5);
  assert.equal(new Date(2020, 1, 29).getMonth(), 1);
  assert.ok(Number.isNaN(new Date(undefined).getTime()), 'undefined is an argument');
  assert.deepEqual(
    [Date.UTC(2020, 0), Date.parse('1970-01-01T00:00:00Z'), Date.name, Date.length],
    [RealDate.UTC(2020, 0), 0, 'Date', 7],
  );
  assert.ok(before instanceof Date && new Date() instanceof RealDate && new Date() instanceof Date);
  assert.equal(new Date().constructor, Date);
  assert.equal(before.constructor, Date);
  assert.deepEqual(Object.keys(Date.prototype), []);
  class Appointment extends Date {
    in = 'Rome';
  }
  const appointment = new Appointment();
  assert.ok(appointment instanceof Appointment && appointment instanceof Date);
  assert.deepEqual([appointment.getTime(), appointment.in], [from + 3_600_000, 'Rome']);
  clock.uninstall();
  assert.equal(Date, RealDate);
  assert.equal(new Date().constructor, RealDate);
  assert.ok(Math.abs(new Date() - before) < 3_600_000);
});

test('runUntil waits for real I/O, and longer than the timeouts that are armed during it', async () => {
  const server = await listen(async (_, response, n) => {
    await turns();
    response.statusCode = n < 4 ? 503 : 200;
    response.end('ok');
  });
  try {
    clock = virtualClock();
    const ask = async ({ signal }) => {
      const response = await fetch(server.origin, { signal });
      await response.text();
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      return response.status;
    };
    const failures = [];
    const result = retry(ask, {
      jitter: 'none',
      attemptTimeoutMs: 100,
      totalTimeoutMs: 3_600_000,
      onFailure: ({ error }) => failures.push(error.message),
    });
    assert.equal(await clock.runUntil(result), 200);
    assert.deepEqual(failures, ['HTTP 503', 'HTTP 503', 'HTTP 503']);
    assert.equal(clock.now, 700, 'the waits');
  } finally {
    await server.close();
  }
});

test('runUntil passes the outcome on, and waits without a timer for what comes from outside', async () => {
  clock = virtualClock();
  const error = new Error('mine');
  assert.equal(await clock.runUntil(Promise.resolve(7)), 7);
  const failing = clock.runUntil(retry(fails(error), { baseMs: 60_000, capMs: 60_000 }));
  await assert.rejects(failing, (thrown) => thrown === error);
  let calls = 0;
  const then = (done) => {
    calls += 1;
    done('adopted');
  };
  assert.equal(await clock.runUntil({ then }), 'adopted');
  assert.equal(calls, 1, 'some thenables start their work at each call of then');
  let give;
  const outside = new Promise((done) => {
    give = done;
  });
  const waiting = clock.runUntil(outside.then(() => retry(flaky, { jitter: 'none' })));
  await turns();
  give();
  assert.equal(await waiting, 3);
});

test('runUntil leaves later timers armed, also intervals; a limit and a throwing callback end it', async () => {
  clock = virtualClock();
  const ticks = [];
  const interval = setInterval(() => ticks.push(clock.now), 40);
  const began = clock.now;
  assert.equal(await clock.runUntil(retry(flaky, { baseMs: 50, jitter: 'none', backoff: 'fixed' }), { graceMs: 0 }), 3);
  assert.deepEqual([clock.now - began, ticks, clock.pending], [100, [40, 80], 1]);
  await assert.rejects(
    clock.runUntil(new Promise(() => {}), { limit: 5, graceMs: 0 }),
    /^Error: rejitter: 5 timers have fired and more are armed/,
  );
  assert.equal(ticks.length, 7);
  clearInterval(interval);
  setTimeout(fails(new Error('in a timer')), 1);
  await assert.rejects(clock.runUntil(new Promise(() => {})), /in a timer/);
  // A test that has ended uninstalls the clock: the call must not keep moving it.
  setInterval(() => assert.fail('moved after the end'), 1_000_000);
  let settle;
  const late = clock.runUntil(
    new Promise((done) => {
      settle = done;
    }),
    { graceMs: 1_000_000 },
  );
  clock.uninstall();
  settle('late');
  assert.equal(await late, 'late');
});

test('a callback of two nested setImmediates: runAll and advance let it finish, deadline or not', async () => {
  clock = virtualClock();
  const fn = async (attempt) => {
    await immediate();
    await immediate();
    return flaky(attempt);
  };
  for (const move of [() => clock.runAll(), () => clock.advance(300)])
    for (const options of [{}, { attemptTimeoutMs: 5, totalTimeoutMs: 60_000 }]) {
      const result = retry(fn, { jitter: 'none', ...options });
      await move();
      assert.equal(await result, 3);
    }
});

test('a handle that outlives its clock is refreshed on the timers that are installed then', async () => {
  // undici keeps one timer for all its timeouts, and so does Node's fetch.
  clock = virtualClock();
  const seen = [];
  const kept = setTimeout(() => seen.push(clock.now), 10).unref();
  clock.uninstall();
  clock = virtualClock();
  kept.refresh();
  kept.refresh();
  assert.equal(clock.pending, 1);
  await clock.advance(10);
  assert.deepEqual(seen, [10]);
  kept.refresh();
  kept.close();
  assert.equal(clock.pending, 0);
});

test("uninstall drops armed timers, and hands those that are unref'ed to the real ones", async () => {
  clock = virtualClock();
  const seen = [];
  const dropped = setTimeout(() => seen.push('dropped'), 1);
  setTimeout(() => seen.push('unref'), 1).unref();
  setInterval(() => seen.push('closed'), 1)
    .unref()
    .close();
  const signal = AbortSignal.timeout(1);
  clock.uninstall();
  assert.equal(dropped.hasRef(), false);
  // Armed later than those, for longer.
  await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(seen, ['unref']);
  assert.equal(signal.aborted, false);
});

/** Hosts, as changes of the globals of Node. */
const HOSTS = {
  'whose setImmediate throws, as in edge routes of Next.js':
    "globalThis.setImmediate = () => { throw new Error('not supported'); };",
  'without setImmediate, Atomics and AbortSignal.timeout':
    'delete globalThis.setImmediate; delete globalThis.Atomics; delete AbortSignal.timeout;',
  'whose globals can only be assigned to': `
    for (const [holder, name] of [[globalThis, 'setTimeout'], [globalThis, 'clearTimeout'], [AbortSignal, 'timeout'],
      [Date, 'now']])
      Object.defineProperty(holder, name, { value: holder[name], writable: true, configurable: false });`,
};

for (const [host, change] of Object.entries(HOSTS))
  test(`works on a host ${host}, from its import on, and puts everything back`, async () => {
    const stdout = await printed(`
      ${change}
      const real = () => [setTimeout, clearTimeout, AbortSignal.timeout, Date.now];
      const before = real();
      const { virtualClock } = await import('rejitter/testing');
      const { retry } = await import('rejitter');
      const clock = virtualClock({ date: true });
      const flaky = async ({ attempt }) => { if (attempt < 3) throw 0; return attempt; };
      const options = { baseMs: 60_000, capMs: 60_000, jitter: 'none' };
      console.log(await clock.runUntil(retry(flaky, options)), clock.now);
      const result = retry(flaky, options);
      await clock.runAll();
      console.log(await result, clock.now);
      clock.uninstall();
      console.log(real().every((f, i) => f === before[i]));
    `);
    assert.equal(stdout, '3 120000\n3 240000\ntrue\n');
  });

test("what cannot be replaced at all ends with the host's error, and all else is as it was", async () => {
  const stdout = await printed(`
    import { virtualClock } from 'rejitter/testing';
    const { now } = performance;
    const real = setTimeout;
    Object.defineProperty(Date, 'now', { value: Date.now, writable: false, configurable: false });
    try { virtualClock({ date: true }); } catch (error) { console.log(error.name); }
    console.log(setTimeout === real, performance.now === now);
    virtualClock().uninstall();
  `);
  assert.equal(stdout, 'TypeError\ntrue true\n');
});

// Random scripts against a model of a host's timers: those are armed, cleared and refreshed, also in callbacks, which
// throw now and then. Few different delays: many timers fall due at once.

const DELAYS = [0, 1, 2, 3, 4, 5, 1.9, NaN, 2 ** 31];
const KINDS = 'timeout timeout timeout interval interval clear number refresh refresh close'.split(' ');
const THROWN = new Error('thrown');

function scriptOf(seed) {
  const { chance, list, pick, whole } = generator(seed, 0);
  let labels = 0;
  const steps = (count, depth) =>
    list(count, () => {
      const kind = pick(KINDS);
      const arms = kind === 'timeout' || kind === 'interval';
      return {
        kind,
        label: arms ? labels++ : whole(0, labels),
        ms: pick(DELAYS),
        inside: arms && depth < 2 ? steps(whole(0, 2), depth + 1) : [],
        throws: chance(0.03),
      };
    });
  return list(12, () => ({ steps: steps(whole(1, 4), 0), ms: whole(0, 7) }));
}

/** Returns which timers fire when, with the arguments of their callbacks. */
async function traceOf(script, host) {
  const trace = [];
  const handles = new Map();
  const perform = (steps) => {
    for (const { kind, label, ms, inside, throws } of steps) {
      const handle = handles.get(label);
      const callback = (...args) => {
        trace.push([...args, host.now()]);
        // An interval arms the timers inside it once: their labels are theirs alone.
        perform(inside.splice(0));
        if (throws) throw THROWN;
      };
      if (host[kind]) handles.set(label, host[kind](callback, ms, label, -label));
      else if (kind === 'clear') host.clear(handle);
      else if (kind === 'number') host.clear(handle && Number(handle));
      else handle?.[kind]();
    }
  };
  for (const { steps, ms } of structuredClone(script)) {
    perform(steps);
    try {
      await host.move(ms);
    } catch (error) {
      assert.equal(error, THROWN);
      trace.push(['thrown', host.now()]);
    }
  }
  return trace;
}

/** The clock of the other tests, which shares nothing with the package's. */
function modelHost() {
  const model = new VirtualClock({ start: 0 });
  return {
    timeout: (callback, ms, ...args) => model.arm(callback, ms, args),
    interval: (callback, ms, ...args) => model.arm(callback, ms, args, true),
    clear: (handle) => model.clear(handle),
    now: () => model.now,
    move: (ms) => model.advance(ms),
  };
}

function clockHost() {
  clock = virtualClock();
  const move = (ms) => clock.advance(ms);
  return { timeout: setTimeout, interval: setInterval, clear: clearTimeout, now: () => clock.now, move };
}

test('random scripts of timers fire as in a model', async () => {
  let fired = 0;
  for (let seed = 1; seed <= 150; seed += 1) {
    const script = scriptOf(seed);
    const expected = await traceOf(script, modelHost());
    const found = await traceOf(script, clockHost());
    clock.uninstall();
    assert.deepEqual(found, expected, `seed ${seed}`);
    fired += found.length;
  }
  assert.ok(fired > 10_000, `${fired} timers`);
});

test('a script gives its draws; the operation that draws more often ends with an error', async () => {
  clock = virtualClock();
  const random = scriptedRandom([0, 0.5, 1 - 2 ** -53]);
  assert.equal(random.left, 3);
  const waits = [];
  const onRetry = ({ delayMs }) => waits.push(delayMs);
  const ended = retry(fails(new Error('down')), { maxAttempts: 9, random, onRetry }).catch((error) => error);
  await clock.runAll();
  const error = await ended;
  assert.ok(error instanceof RangeError);
  const cause = 'the operation drew more often than the test expected. Add draws, or limit the attempts';
  assert.equal(error.message, `rejitter: the script of 3 draws is exhausted: ${cause}`);
  assert.deepEqual([retryReport(error).reason, retryReport(error).attempts], ['callback', 4]);
  assert.deepEqual(waits, [0, 100, 400 * (1 - 2 ** -53)]);
  assert.equal(random.left, 0);
});

test('rejects an invalid draw when the script is written', () => {
  const list = 'draws must be an array of numbers in [0, 1), got';
  const number = 'must be a number in [0, 1), got';
  for (const [draws, name, text] of [
    [[1], 'RangeError', `draws[0] ${number} 1`],
    [[NaN], 'RangeError', `draws[0] ${number} NaN`],
    [[0.5, -0.1], 'RangeError', `draws[1] ${number} -0.1`],
    [['0.5'], 'TypeError', `draws[0] ${number} "0.5"`],
    [[undefined], 'TypeError', `draws[0] ${number} undefined`],
    [0.5, 'TypeError', `${list} 0.5`],
    [undefined, 'TypeError', `${list} undefined`],
    [new Float64Array(2), 'TypeError', `${list} an object`],
  ])
    assert.throws(() => scriptedRandom(draws), { name, message: `rejitter: ${text}` });
  assert.throws(() => constantRandom(1), { name: 'RangeError', message: `rejitter: r ${number} 1` });
  assert.throws(() => constantRandom('0'), TypeError);
  const draws = [0.5];
  const random = scriptedRandom(draws);
  draws[0] = 7;
  assert.equal(random(), 0.5);
  assert.deepEqual([...new RetryPolicy({ random: constantRandom(0.25), maxAttempts: 4 }).delays()], [25, 50, 100]);
});

/** The examples for frameworks, marked by the name after the language. */
const EXAMPLES = Object.fromEntries(marked('vitest|jest|node:test'));

/** The frameworks by their marks, and an edit of the example that makes it fail. */
const FRAMEWORKS = {
  vitest: ['Vitest', "toBe('done')", "toBe('other')"],
  jest: ['Jest', "'broken')", "'fixed')"],
  'node:test': ['node:test', 'tick(5000)', 'tick(4999)'],
};

test('the documents have an example for each framework', () => {
  assert.deepEqual(Object.keys(EXAMPLES).sort(), Object.keys(FRAMEWORKS).sort());
});

for (const [name, [framework, ...edit]] of Object.entries(FRAMEWORKS)) {
  test(`the documented example for ${name} passes, and fails when the waits are others`, async () => {
    // The framework stands outside the folder; its globals are the same objects.
    const code = EXAMPLES[name].replace(/^import .* from 'vitest';\n/m, '');
    const { passes, output } = await inFramework(framework, code, 1);
    assert.ok(passes, output);
    assert.ok(code.includes(edit[0]));
    assert.equal((await inFramework(framework, code.replace(...edit), 1)).passes, false);
  });
}
