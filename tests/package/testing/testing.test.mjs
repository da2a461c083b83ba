// rejitter/testing, the tools for users' own tests; tests/clients/testing has fake timers and the documented examples.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { promisify } from 'node:util';

import { fails } from '../lib/callbacks.mjs';
import { VirtualClock } from '../lib/clock.mjs';
import { importPackage, printed } from '../lib/consumer.mjs';
import { importTesting, listen } from '../lib/fetching.mjs';
import { generator } from '../schedules/random.mjs';

const { retry, retryReport, retrySync } = await importPackage();
const { scriptedRandom, virtualClock } = await importTesting();

const flaky = ({ attempt }) => (attempt < 3 ? fails(new Error('flaky'))() : attempt);
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
  const fn = (attempt) => starts.push(clock.now) && flaky(attempt);
  const result = retry(fn, { random: () => 0.5, totalTimeoutMs: 60_000 });
  const seen = [];
  for (const ms of [0, 49, 1, 10_000, 86_400_000]) {
    await clock.advance(ms);
    seen.push(`${starts} ${clock.pending}`);
  }
  // Pending are the deadline and the wait.
  assert.deepEqual(seen, ['0 2', '0 2', '0,50 2', '0,50,150 0', '0,50,150 0']);
  assert.equal(await result, 3);
  assert.deepEqual([clock.now, performance.now() - monotonic, monotonic >= before], [86_410_050, 86_410_050, true]);
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
  const message = /^Error: rejitter: 50 timers have fired and more are armed\. Is a retry endless/;
  await assert.rejects(clock.runAll(50), message);
  stop.abort('enough');
  await assert.rejects(endless, (reason) => reason === 'enough');
  assert.equal(clock.pending, 0);
});

test('reports a missing await, and a callback that throws', async () => {
  clock = virtualClock();
  const first = clock.advance(5);
  for (const move of [() => clock.advance(5), () => clock.runAll(), () => clock.runUntil(Promise.resolve())])
    await assert.rejects(move, /^Error: rejitter: the clock is being moved already\. Await each/);
  await first;
  for (const move of [() => clock.advance(1), () => clock.runAll(), () => clock.runUntil(new Promise(() => {}))]) {
    setTimeout(fails(new Error('in a timer')), 1);
    await assert.rejects(move, /in a timer/);
  }
  await clock.advance(1);
});

test("clears a timer that was armed before the installation, and none of the clock's instead", async () => {
  const late = () => assert.fail('it was cleared');
  const [before, number] = [setTimeout(late, 0), setTimeout(late, 0)];
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

test('blocking: retrySync waits on the clock, and nothing fires during the wait', async () => {
  clock = virtualClock({ blocking: true });
  let fired = 0;
  setTimeout(() => (fired += 1), 1);
  assert.equal(retrySync(flaky, { jitter: 'none' }), 3);
  assert.deepEqual([clock.now, fired], [300, 0]);
  await clock.advance(0);
  assert.equal(fired, 1, 'late, as after any blocking');
});

test('uninstall puts everything back, once, and leaves the replacements of others', () => {
  const of = (holder, ...names) => names.map((name) => [holder, name]);
  const properties = [
    ...of(globalThis, 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'),
    ...[...of(Date, 'now'), ...of(Date.prototype, 'constructor')],
    ...[...of(AbortSignal, 'timeout'), ...of(performance, 'now'), ...of(Atomics, 'wait')],
  ];
  const originals = () => properties.map((property) => Object.getOwnPropertyDescriptor(...property));
  const values = () => [...properties.map(([holder, name]) => holder[name]), Date.now, new Date().constructor];
  const [before, found] = [values(), originals()];
  clock = virtualClock({ date: true, blocking: true });
  assert.ok(values().every((value, i) => value !== before[i]));
  assert.throws(() => virtualClock(), /installed already/);
  setTimeout(() => assert.fail('a timer of an uninstalled clock'), 1);
  clock.uninstall();
  clock[Symbol.dispose]();
  assert.deepEqual([values(), originals(), clock.pending], [before, found, 0]);

  const real = globalThis.setTimeout;
  clock = virtualClock();
  const theirs = () => 7;
  globalThis.setTimeout = theirs;
  clock.uninstall();
  assert.equal(globalThis.setTimeout, theirs);
  globalThis.setTimeout = real;
});

const host = { setTimeout };
const DISPOSE = Symbol.dispose ?? Symbol.for('Symbol.dispose');
const handleOfHost = setTimeout(() => {}, 0);
const METHODS = [
  ...Object.getOwnPropertyNames(Object.getPrototypeOf(handleOfHost)).filter((name) => !name.startsWith('_')),
  ...[DISPOSE, Symbol.toPrimitive].filter((symbol) => symbol in handleOfHost),
];
/** Programs that see on the clock what they see on the host; `pass` waits for that time. */
const PROGRAMS = {
  async 'the methods of a handle'(pass) {
    const timer = setTimeout(() => {}, 2);
    const seen = METHODS.map((name) => typeof timer[name]);
    seen.push(timer.hasRef(), timer.unref() === timer, timer.hasRef(), timer.ref() === timer, timer.hasRef());
    seen.push(typeof +timer, timer.refresh() === timer);
    await pass(9);
    seen.push(timer.refresh().close() === timer);
    setTimeout(() => seen.push('disposed'), 1)[DISPOSE]();
    await pass(9);
    return seen;
  },
  async 'AbortSignal.timeout'(pass) {
    const signal = AbortSignal.timeout(5);
    const seen = [signal instanceof AbortSignal, signal.aborted];
    await pass(9);
    const { name, message, constructor } = signal.reason;
    return [...seen, signal.aborted, name, message, constructor === DOMException];
  },
  async 'util.promisify(setTimeout) with a signal'(pass) {
    const [late, after] = [new AbortController(), new AbortController()];
    const sleeps = [AbortSignal.abort('early'), late.signal, after.signal].map((signal) =>
      promisify(setTimeout)(5, 'value', { signal }).catch((error) => error),
    );
    late.abort('late');
    await pass(9);
    after.abort();
    const ends = await Promise.all(sleeps);
    return ends.map((end) => (end === 'value' ? end : [end.name, end.code, end.message, end.cause]));
  },
  'dates that stay'() {
    class Appointment extends Date {
      in = 'Rome';
    }
    const [date, own] = [new Date(2020, 1, 29), new Appointment(7)];
    return [
      ...[date.getMonth(), date.constructor === Date, date instanceof Date, new Date() instanceof Date],
      ...[own.in, own.getTime(), own instanceof Appointment, own instanceof Date, Object.keys(Date.prototype)],
      // undefined is an argument.
      ...[new Date(undefined).getTime(), Date.UTC(2020, 0), Date.parse('1970-01-01T00:00:00Z'), Date.name, Date.length],
    ];
  },
};
for (const [name, program] of Object.entries(PROGRAMS))
  test(`the same as on the host: ${name}`, async () => {
    const expected = await program((ms) => new Promise((done) => host.setTimeout(done, ms)));
    clock = virtualClock({ date: true });
    assert.deepEqual(await program((ms) => clock.advance(ms)), expected);
    assert.equal(clock.pending, 0);
  });

test('date: new Date() and Date() move along, and are dates of both classes', async () => {
  const [RealDate, before] = [Date, new Date()];
  clock = virtualClock({ date: true });
  const from = Date.now();
  await clock.advance(3_600_000.5);
  const now = from + 3_600_000;
  assert.deepEqual([new Date().getTime(), Date.now(), Date()], [now, now, new RealDate(now).toString()]);
  assert.ok(before instanceof Date && new Date() instanceof RealDate && before.constructor === Date);
  clock.uninstall();
  assert.deepEqual([Date, new Date().constructor], [RealDate, RealDate]);
  assert.ok(Math.abs(new Date() - before) < 3_600_000);
});

test('runUntil waits for real I/O, and longer than the timeouts that are armed during it', async () => {
  const server = await listen(async (_, response, n) => {
    await turns();
    response.writeHead(n < 4 ? 503 : 200).end('ok');
  });
  clock = virtualClock();
  const ask = async ({ signal }) => {
    const response = await fetch(server.origin, { signal });
    await response.text();
    return response.ok ? response.status : Promise.reject(response.status);
  };
  const failures = [];
  const limits = { attemptTimeoutMs: 100, totalTimeoutMs: 3_600_000 };
  const result = retry(ask, { jitter: 'none', ...limits, onFailure: ({ error }) => failures.push(error) });
  const status = await clock.runUntil(result).finally(() => server.close());
  assert.deepEqual([status, failures, clock.now], [200, [503, 503, 503], 700]);
});

/** A promise, and what resolves it. */
function deferred() {
  let give;
  const promise = new Promise((done) => (give = done));
  return [promise, give];
}

test('runUntil passes the outcome on, and waits without a timer for what comes from outside', async () => {
  clock = virtualClock();
  const error = new Error('mine');
  const failing = clock.runUntil(retry(fails(error), { baseMs: 60_000, capMs: 60_000 }));
  await assert.rejects(failing, (thrown) => thrown === error);
  // Some thenables start their work at each call of then.
  let calls = 0;
  const then = (done) => done(++calls);
  assert.equal(await clock.runUntil({ then }), 1);
  const [outside, give] = deferred();
  const waiting = clock.runUntil(outside.then(() => retry(flaky, { jitter: 'none' })));
  await turns();
  give();
  assert.equal(await waiting, 3);
});

test('runUntil leaves later timers armed, also intervals; a limit and the end of the clock end it', async () => {
  clock = virtualClock();
  const ticks = [];
  const interval = setInterval(() => ticks.push(clock.now), 40);
  assert.equal(await clock.runUntil(retry(flaky, { baseMs: 50, jitter: 'none', backoff: 'fixed' }), { graceMs: 0 }), 3);
  assert.deepEqual([clock.now, ticks, clock.pending], [100, [40, 80], 1]);
  const endless = clock.runUntil(new Promise(() => {}), { limit: 5, graceMs: 0 });
  await assert.rejects(endless, /^Error: rejitter: 5 timers have fired and more are armed/);
  assert.equal(ticks.length, 7);
  clearInterval(interval);
  // A test that has ended uninstalls the clock: the call must not keep moving it.
  setInterval(() => assert.fail('moved after the end'), 1_000_000);
  const [promise, settle] = deferred();
  const late = clock.runUntil(promise, { graceMs: 1_000_000 });
  clock.uninstall();
  settle('late');
  assert.equal(await late, 'late');
});

test('a callback of two nested setImmediates: runAll and advance let it finish, deadline or not', async () => {
  clock = virtualClock();
  const twice = () => immediate().then(immediate);
  const fn = (attempt) => twice().then(() => flaky(attempt));
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
  kept.refresh().refresh();
  assert.equal(clock.pending, 1);
  await clock.advance(10);
  assert.deepEqual(seen, [10]);
  kept.refresh().close();
  assert.equal(clock.pending, 0);
});

test("uninstall drops armed timers, and hands those that are unref'ed to the real ones", async () => {
  clock = virtualClock();
  const seen = [];
  const dropped = setTimeout(() => seen.push('dropped'), 1);
  setTimeout(() => seen.push('unref'), 1).unref();
  const closed = setInterval(() => seen.push('closed'), 1);
  closed.unref().close();
  const signal = AbortSignal.timeout(1);
  clock.uninstall();
  // Armed later than those, for longer.
  await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual([dropped.hasRef(), seen, signal.aborted], [false, ['unref'], false]);
});

const fixed = (writable, names) => `
  for (const [holder, name] of [${names}])
    Object.defineProperty(holder, name, { value: holder[name], writable: ${writable}, configurable: false });`;
/** Hosts, as changes of the globals of Node. */
const HOSTS = {
  'whose setImmediate throws, as in edge routes of Next.js':
    "globalThis.setImmediate = () => { throw new Error('not supported'); };",
  'without setImmediate, Atomics and AbortSignal.timeout':
    'delete globalThis.setImmediate; delete globalThis.Atomics; delete AbortSignal.timeout;',
  'whose globals can only be assigned to': fixed(
    ...[true, "[globalThis, 'setTimeout'], [globalThis, 'clearTimeout'], [AbortSignal, 'timeout'], [Date, 'now']"],
  ),
  'whose Date.now cannot be replaced: its error comes out': fixed(false, "[Date, 'now']"),
};
for (const [name, change] of Object.entries(HOSTS))
  test(`on a host ${name}; puts everything back`, async () => {
    const stdout = await printed(`
      ${change}
      const real = () => [setTimeout, clearTimeout, AbortSignal.timeout, Date.now, performance.now];
      const before = real();
      const { virtualClock } = await import('rejitter/testing');
      const { retry } = await import('rejitter');
      const flaky = async ({ attempt }) => { if (attempt < 3) throw 0; return attempt; };
      const options = { baseMs: 60_000, capMs: 60_000, jitter: 'none' };
      try {
        const clock = virtualClock({ date: true });
        console.log(await clock.runUntil(retry(flaky, options)), clock.now);
        const result = retry(flaky, options);
        await clock.runAll();
        console.log(await result, clock.now);
        clock.uninstall();
      } catch (error) {
        console.log(error.name);
      }
      console.log(real().every((f, i) => f === before[i]));
      virtualClock().uninstall();
    `);
    assert.equal(stdout, /error comes out/.test(name) ? 'TypeError\ntrue\n' : '3 120000\n3 240000\ntrue\n');
  });

// Random programs, and a model of a host's timers: those are armed, cleared and refreshed, also in callbacks, which
// throw now and then. Few different delays: many timers fall due at once.

const DELAYS = [0, 1, 2, 3, 4, 5, 1.9, NaN, 2 ** 31];
const KINDS = 'timeout timeout timeout interval interval clear number refresh refresh close'.split(' ');
const THROWN = new Error('thrown');

/** Returns which timers fire when, with the arguments of their callbacks. What was equal so far draws the same. */
async function traceOf(seed, timers) {
  const { chance, pick, whole } = generator(seed, 0);
  const [trace, handles] = [[], []];
  const perform = (most) => {
    for (let left = whole(0, most); left > 0; left -= 1) {
      const [kind, handle, label] = [pick(KINDS), pick(handles), handles.length];
      const callback = (...args) => {
        trace.push([...args, timers.now()]);
        if (label < 40) perform(most - 1);
        if (chance(0.03)) throw THROWN;
      };
      if (timers[kind]) handles.push(timers[kind](callback, pick(DELAYS), label, -label));
      else if (kind === 'clear') timers.clear(handle);
      else if (kind === 'number') timers.clear(handle && Number(handle));
      else handle?.[kind]();
    }
  };
  for (let moves = 0; moves < 12; moves += 1) {
    perform(4);
    const end = await timers.move(whole(0, 7)).catch((error) => error);
    if (end !== undefined) trace.push([end, timers.now()]);
  }
  return trace;
}

/** The clock of the other tests, which shares nothing with the package's. */
function modelOf(model) {
  return {
    timeout: (callback, ms, ...args) => model.arm(callback, ms, args),
    interval: (callback, ms, ...args) => model.arm(callback, ms, args, true),
    clear: (handle) => model.clear(handle),
    now: () => model.now,
    move: (ms) => model.advance(ms),
  };
}

test('random programs of timers proceed as in a model', async () => {
  let fired = 0;
  for (let seed = 1; seed <= 150; seed += 1) {
    clock = virtualClock();
    const move = (ms) => clock.advance(ms);
    const own = { timeout: setTimeout, interval: setInterval, clear: clearTimeout, now: () => clock.now, move };
    const found = await traceOf(seed, own);
    clock.uninstall();
    assert.deepEqual(found, await traceOf(seed, modelOf(new VirtualClock({ start: 0 }))), `seed ${seed}`);
    assert.ok(found.every(([label]) => typeof label === 'number' || label === THROWN));
    fired += found.length;
  }
  assert.ok(fired > 10_000, `${fired} timers`);
});

test('a script gives its draws, which it copies; the operation that draws more often ends with an error', async () => {
  clock = virtualClock();
  const draws = [0, 0.5, 1 - 2 ** -53];
  const random = scriptedRandom(draws);
  draws[0] = 7;
  assert.equal(random.left, 3);
  const waits = [];
  const onRetry = ({ delayMs }) => waits.push(delayMs);
  const ended = retry(fails(new Error('down')), { maxAttempts: 9, random, onRetry }).catch((error) => error);
  await clock.runAll();
  const error = await ended;
  const cause = 'the operation drew more often than the test expected. Add draws, or limit the attempts';
  const message = `rejitter: the script of 3 draws is exhausted: ${cause}`;
  assert.deepEqual([error.name, error.message, random.left], ['RangeError', message, 0]);
  assert.deepEqual([retryReport(error).reason, retryReport(error).attempts], ['callback', 4]);
  assert.deepEqual(waits, [0, 100, 400 * (1 - 2 ** -53)]);
});
