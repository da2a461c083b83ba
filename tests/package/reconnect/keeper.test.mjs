// Connections beside their scenes: callbacks, seeds, signals, what a page tells, and a protection that many share.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { onClock, sleep, withGlobals } from '../lib/clock.mjs';
import { importEntry } from '../lib/consumer.mjs';
import { importAll } from '../protection/entry.mjs';

const { closeError, keepConnected } = await importEntry('reconnect');
const all = await importAll();
const { RetryPolicy, breaker, budget, cooldown, hedge, isPermanent, permanent, protect, retryAfter } = all;

const hang = () => new Promise(() => {});
const refused = () => Promise.reject(new Error('refused'));

/**
 * Runs `body(clock, start)`; `start(session, options, n)` starts `n` connections that end after it. Returns what a
 * function that it returns says then, by the same clock.
 */
const keeping = (body) =>
  onClock(async (clock) => {
    const controller = new AbortController();
    const kept = [];
    const start = (session, options, n = 1) => {
      for (let seed = 0; seed < n; seed++)
        kept.push(keepConnected(session, { signal: controller.signal, seed, ...options }));
    };
    const read = await body(clock, start);
    controller.abort();
    await Promise.all(kept);
    return read?.();
  });

const [document, window] = [new EventTarget(), new EventTarget()];
for (const [wakes, target, type, visibilityState, persisted] of [
  [false, document, 'visibilitychange', 'hidden'],
  [true, document, 'visibilitychange', 'visible'],
  [true, document, 'resume'],
  [true, window, 'online'],
  [false, window, 'pageshow', 'visible', false],
  [true, window, 'pageshow', 'visible', true],
])
  test(`a page's ${type}, ${visibilityState}, ${persisted ? 'from the cache ' : ''}wakes ${wakes ? 'a wait' : 'nothing'}`, () => {
    const own = (name) => ({ [name]: window[name].bind(window) });
    const globals = { document, ...own('addEventListener'), ...own('removeEventListener') };
    const listeners = () => getEventListeners(target, type).length;
    const body = async (clock, start) => {
      const seen = [];
      const hour = { baseMs: 3_600_000, capMs: 3_600_000, seed: undefined, random: () => 0.5 };
      start(() => seen.push(clock.now - 1000) && refused(), hour);
      await clock.advance(10_000);
      document.visibilityState = visibilityState;
      target.dispatchEvent(Object.assign(new Event(type), { persisted }));
      await clock.advance(10_000);
      assert.deepEqual([seen, listeners()], [wakes ? [0, 10_500] : [0], 1]);
    };
    return withGlobals(globals, () => keeping(body)).then(() => assert.equal(listeners(), 0));
  });

test('the first session is called at once, and an aborted signal calls none', async () => {
  let calls = 0;
  const controller = new AbortController();
  const kept = keepConnected(() => hang(++calls), { signal: controller.signal });
  assert.equal(calls, 1);
  controller.abort();
  assert.equal((await kept).reason, 'aborted');
  const { attempts, reason } = await keepConnected(() => calls++, { signal: controller.signal });
  assert.deepEqual([calls, attempts, reason], [1, 0, 'aborted']);
});

const bug = new Error('bug');
for (const [name, session, options, expected, reason = 'callback'] of [
  ['retryIf throws', refused, { retryIf: fails(bug) }, bug],
  ['retryIf rejects', refused, { retryIf: async () => fails(bug)() }, bug],
  ['wakeOn throws', refused, { wakeOn: fails(bug) }, bug],
  ['retryIf returns', refused, { retryIf: () => 'yes' }, /^rejitter: retryIf must return true, false, \{ afterMs \}/],
  ['random() returns 1', refused, { random: () => 1 }, /^rejitter: random\(\) must return a number in \[0, 1\), got 1/],
  ['backoff() returns -1', refused, { backoff: () => -1 }, /^rejitter: backoff\(1\) must return/],
  ['a session returns an error that belongs into a throw', async () => permanent(bug), {}, bug, 'permanent'],
  ['silenceMs is 0', (it) => it.opened({ silenceMs: 0 }), { maxAttempts: 1 }, /silenceMs must be a pos/, 'exhausted'],
])
  test(`a mistake ends it: ${name}`, () =>
    onClock(async () => {
      const reasons = [];
      const onGiveUp = (event) => reasons.push(event.reason);
      const error = await keepConnected(session, { ...options, onGiveUp }).catch((thrown) => thrown);
      if (expected === bug) assert.equal(error, bug);
      else assert.match(error.message, expected);
      assert.deepEqual(reasons, [reason]);
    }));

test('seeds make waits the same, and each outage draws anew', () =>
  onClock(async (clock) => {
    const delaysOf = async () => {
      const delays = [];
      const session = ({ opened }) => opened() ?? new Promise((_, no) => setTimeout(no, 20_000));
      const onRetry = ({ delayMs }) => delays.push(delayMs);
      const kept = keepConnected(session, { seed: 'x', onRetry, retryIf: () => delays.length < 4 }).catch(() => {});
      await clock.drain();
      await kept;
      return delays;
    };
    const delays = await delaysOf();
    assert.deepEqual(await delaysOf(), delays);
    assert.equal(new Set(delays).size, 4);
    assert.ok(delays.every((ms) => ms < 5000));
  }));

test('a thousand connections share one listener of a signal', async () => {
  const source = new AbortController();
  const kept = Array.from({ length: 1000 }, () => keepConnected(hang, { signal: source.signal }));
  assert.equal(getEventListeners(source.signal, 'abort').length, 1);
  source.abort();
  assert.ok((await Promise.all(kept)).every(({ reason }) => reason === 'aborted'));
});

test('closing codes: permanent, or worth another try', () => {
  const PERMANENT = [1002, 1003, 1007, 1008, 1009, 1010, 3000, 3003, 4400, 4401, 4403, 4404, 4410, 4499];
  const LATER = [1000, 1001, 1005, 1006, 1011, 1012, 1013, 1014, 1015, 3001, 4000, 4408, 4409, 4425, 4429, 4500];
  for (const code of [...PERMANENT, ...LATER]) {
    const error = closeError({ code, reason: 'why' });
    assert.equal(isPermanent(error), PERMANENT.includes(code), `${code}`);
    const own = isPermanent(error) ? error.cause : error;
    assert.deepEqual([own.code, own.reason, own.message], [code, 'why', `closed with ${code}: why`]);
  }
});

test("an expired token: retryIf is not called for closeError's 4401, and for an error of one's own with this code", () =>
  onClock(async (clock) => {
    for (const [expired, attempts] of [
      [closeError({ code: 4401 }), 1],
      [Object.assign(new Error('expired'), { code: 4401 }), 2],
    ]) {
      let [calls, refreshes] = [0, 0];
      const session = ({ finish }) => (++calls > 1 ? finish() : Promise.reject(expired));
      const kept = keepConnected(session, { retryIf: async () => ++refreshes > 0 }).catch(() => {});
      await clock.advance(10_000);
      await kept;
      assert.deepEqual([calls, refreshes], [attempts, attempts - 1]);
    }
  }));

test('connections that share a breaker spare a server that is down, and are back within the cap', async () => {
  /**
   * 40 connections, whose server is down for a minute: the starts meanwhile, and how many are open 15 and 30 s later.
   */
  async function outage(protection) {
    let [up, starts, open] = [false, 0, 0];
    const found = [];
    await keeping(async (clock, start) => {
      const session = async ({ opened }) => {
        starts++;
        await sleep(5);
        if (!up) throw new Error('down');
        opened();
        open++;
        await hang();
      };
      start(session, { protection }, 40);
      await clock.advance(60_000);
      up = true;
      found.push(starts);
      for (let i = 0; i < 2; i++) {
        await clock.advance(15_000);
        found.push(open);
      }
    });
    return found;
  }
  const [without] = await outage();
  assert.ok(without >= 220, `${without} starts`);
  // A budget has nothing to refuse, and no second connection is made.
  for (const more of [[cooldown()], [budget({ capacity: 1 }), hedge({ delayMs: 10 })]]) {
    const [starts, most, all] = await outage(protect(breaker(), ...more));
    assert.ok(starts <= 70 && most >= 36 && all === 40, `${starts} starts, ${most} and ${all} open`);
  }
});

test('a connection is a success of its breaker when it opens, not when it ends', async () => {
  const protection = protect(breaker(), cooldown());
  let open = 0;
  const state = await keeping(async (clock, start) => {
    const policy = new RetryPolicy({ maxAttempts: 1, protection });
    for (let i = 0; i < 20; i++) await policy.run(refused).catch(() => {});
    await clock.advance(5100);
    start(({ opened }) => ++open && (opened() ?? hang()), { protection }, 40);
    await clock.advance(5000);
    return () => protection.status().breaker.state;
  });
  assert.ok(open >= 30, `${open} open`);
  assert.equal(state, 'closed');
});

test('what an attempt means to a breaker: a timeout is a failure, a 401 an answer, an abort nothing', async () => {
  for (const [session, ms, failures] of [
    [hang, 10_001, 1],
    [() => Promise.reject(Object.assign(new Error('no'), { status: 401 })), 1, 0],
    [hang, 10, 0],
    [({ opened }) => opened(), 1, 0],
    [({ finish }) => finish(), 1, 0],
  ]) {
    const protection = protect(breaker());
    const heard = await keeping(async (clock, start) => {
      start(session, { protection });
      await clock.advance(ms);
      return () => protection.status().breaker.failures;
    });
    assert.equal(heard, failures);
  }
});

test("an abort gives a breaker's probe back: in onAttempt, and while it connects", () =>
  onClock(async (clock) => {
    for (const early of [true, false]) {
      const protection = protect(breaker({ consecutiveFailures: 1 }));
      const policy = new RetryPolicy({ maxAttempts: 1, protection });
      await policy.run(refused).catch(() => {});
      await clock.advance(5000);
      const controller = new AbortController();
      const onAttempt = () => early && controller.abort();
      const kept = keepConnected(hang, { protection, signal: controller.signal, onAttempt });
      controller.abort();
      await kept;
      assert.equal(await policy.run(() => 1), 1);
    }
  }));

test('a hint holds all who share a cooldown, until it is over; an abort during a hold leaves nothing', async () => {
  const protection = protect(cooldown());
  const starts = [];
  let attempts = 0;
  const held = await keeping(async (clock, start) => {
    const session = ({ opened }) => {
      starts.push(clock.now - 1000);
      if (starts.length === 3) return opened() ?? hang();
      throw retryAfter(20_000, new Error('busy'));
    };
    const options = { protection, seed: undefined, random: () => 0.5, onAttempt: () => attempts++ };
    start(session, options);
    await clock.advance(1);
    start(session, options, 5);
    await clock.advance(19_000);
    assert.equal(protection.status().cooldown.held, 4);
    // The first one, and the probe of the hold.
    assert.deepEqual([starts, attempts], [[0, 1], 2]);
    await clock.advance(20_000);
    assert.ok(starts.length > 6, `${starts}`);
    return () => protection.status().cooldown.held;
  });
  assert.equal(held, 0);
});

/**
 * 1,000 connections are dropped in one turn, and the server is down for `downMs`; it falls over again if more than
 * `limit` start within a second. Returns the most starts in 100 ms, and when the last one was open after that.
 */
async function herd({ downMs, limit }) {
  const starts = [];
  const sockets = new Set();
  let [up, least, openAt, from] = [true, Infinity, 0, 0];
  const fallOver = (ms) => {
    up = ms === 0;
    for (const drop of sockets) drop(new Error('dropped'));
    if (!up) setTimeout(() => (up = true), ms);
  };
  await keeping(async (clock, start) => {
    const session = async ({ opened, signal }) => {
      starts.push(clock.now);
      await sleep(5 + (starts.length % 20));
      if (starts.filter((at) => at > clock.now - 1000).length > least) fallOver(2700);
      if (!up) await refused();
      opened();
      openAt = clock.now;
      await new Promise((_, drop) => {
        sockets.add(drop);
        signal.addEventListener('abort', () => sockets.delete(drop));
      });
    };
    start(session, {}, 1000);
    await clock.advance(60_000);
    [least, from] = [limit, clock.now + downMs];
    starts.length = 0;
    fallOver(downMs);
    await clock.advance(downMs + 60_000);
    assert.equal(sockets.size, 1000, 'all are back');
  });
  const perTenth = new Map();
  for (const at of starts) perTenth.set(Math.floor(at / 100), (perTenth.get(Math.floor(at / 100)) ?? 0) + 1);
  return [Math.max(...perTenth.values()), openAt - from];
}

for (const [downMs, limit, most, lastMs] of [
  [0, Infinity, 45, 5050],
  [3000, Infinity, 55, 30_050],
  [2700, 100, Infinity, 60_000],
])
  test(`1,000 connections, dropped for ${downMs} ms, come back spread out and within the cap`, async () => {
    const [starts, ms] = await herd({ downMs, limit });
    assert.ok(starts <= most && ms <= lastMs, `${starts} starts in 100 ms, the last open after ${ms} ms`);
  });
