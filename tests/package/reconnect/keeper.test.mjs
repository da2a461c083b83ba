// Hooks, options, signals and clocks of connections.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { onClock, turn } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { withGlobals } from '../lib/pasted.mjs';
import { caught } from '../lib/readers.mjs';

const { closeError, keepConnected } = await importEntry('reconnect');
const { TimeoutError, isPermanent, permanent, retryAfter } = await importPackage();

const hang = () => new Promise(() => {});
const draw = { random: () => 0.5 };

test('hooks are called in order, each with its event', () =>
  onClock(async (clock) => {
    const events = [];
    const note = (name) => [name, (event) => events.push([name, event])];
    const hooks = Object.fromEntries(['onAttempt', 'onOpen', 'onFailure', 'onRetry', 'onGiveUp'].map(note));
    const error = new Error('lost');
    const session = ({ attempt, opened }) => {
      if (attempt === 1) opened();
      throw error;
    };
    const kept = keepConnected(session, { ...draw, ...hooks, name: 'feed', maxAttempts: 2 }).catch((e) => e);
    await clock.advance(2500);
    assert.equal(await kept, error);
    const common = (attempt, elapsedMs) => ({ attempt, attemptsLeft: 2 - attempt, name: 'feed', elapsedMs });
    const report = { attempts: 2, connections: 1, openMs: 0, elapsedMs: 2500 };
    assert.deepEqual(events, [
      ['onAttempt', common(1, 0)],
      ['onOpen', { ...common(1, 0), connections: 1 }],
      ['onFailure', { ...common(1, 0), error }],
      ['onRetry', { ...common(1, 0), error, delayMs: 2500 }],
      ['onAttempt', common(2, 2500)],
      ['onFailure', { ...common(2, 2500), error }],
      ['onGiveUp', { ...common(2, 2500), error, reason: 'exhausted', report }],
    ]);
    assert.ok(events.every(([, event]) => Object.isFrozen(event)));
  }));

test('each hook may abort', () =>
  onClock(async (clock) => {
    for (const name of ['onAttempt', 'onOpen', 'onFailure', 'onRetry']) {
      const controller = new AbortController();
      let reason;
      const session = ({ opened, signal }) => {
        signal.addEventListener('abort', () => (reason = signal.reason));
        opened();
        throw new Error('lost');
      };
      const options = { signal: controller.signal, [name]: () => controller.abort('enough') };
      const report = await keepConnected(session, options);
      assert.equal(report.reason, 'aborted');
      assert.equal(clock.pending.size, 0, name);
      if (name === 'onOpen') assert.equal(reason, 'enough');
    }
    const controller = new AbortController();
    const log = [];
    const wakeOn = () => {
      controller.abort();
      return () => log.push('unsubscribed');
    };
    await keepConnected(() => log.push('session'), { signal: controller.signal, wakeOn });
    assert.deepEqual(log, ['unsubscribed']);
  }));

test('retryIf gets the number in a row, and how long the connection was open', () =>
  onClock(async (clock) => {
    const seen = [];
    const session = async ({ opened }) => {
      if (seen.length !== 1) opened();
      await new Promise((done) => setTimeout(done, seen.length === 2 ? 15_000 : 5));
    };
    const retryIf = (_, facts) => seen.push(facts) < 3;
    const kept = keepConnected(session, { ...draw, retryIf }).catch(() => {});
    await clock.drain();
    await kept;
    assert.deepEqual(seen, [
      { attempt: 1, openMs: 5 },
      { attempt: 2, openMs: 0 },
      { attempt: 1, openMs: 15_000 },
    ]);
  }));

test('a page wakes a wait when it becomes visible, and not when it becomes hidden', () =>
  onClock(async (clock) => {
    const [document, global] = [new EventTarget(), new EventTarget()];
    const own = { document, addEventListener: global.addEventListener.bind(global) };
    const seen = [];
    await withGlobals({ ...own, removeEventListener: global.removeEventListener.bind(global) }, async () => {
      const controller = new AbortController();
      const session = () => seen.push(clock.now - 1000) && Promise.reject(new Error('refused'));
      const kept = keepConnected(session, { ...draw, baseMs: 3_600_000, capMs: 3_600_000, signal: controller.signal });
      for (const state of ['hidden', 'visible']) {
        await clock.advance(10_000);
        document.visibilityState = state;
        document.dispatchEvent(new Event('visibilitychange'));
      }
      await clock.advance(10_000);
      controller.abort();
      await kept;
    });
    assert.deepEqual(seen, [0, 20_500]);
  }));

test('the session gets what came before, and its functions need no this', () =>
  onClock(async (clock) => {
    const seen = [];
    const kept = keepConnected(({ signal, opened, alive, finish, ...facts }) => {
      seen.push(facts);
      alive();
      opened();
      opened();
      if (seen.length === 2) finish('done');
      throw new Error(`${seen.length}`);
    }, draw);
    await clock.advance(10_000);
    const { value, connections } = await kept;
    assert.deepEqual([value, connections], ['done', 2]);
    assert.deepEqual(seen, [
      { attempt: 1, connections: 0, previousError: undefined, previousDelayMs: undefined },
      { attempt: 2, connections: 1, previousError: new Error('1'), previousDelayMs: 2500 },
    ]);
  }));

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

test('an abort ends a verdict that is awaited, and its late rejection is ignored', () =>
  onClock(async (clock) => {
    const controller = new AbortController();
    let reject;
    const retryIf = () => new Promise((_, no) => (reject = no));
    const kept = keepConnected(() => Promise.reject(new Error('no')), { signal: controller.signal, retryIf });
    await turn();
    controller.abort();
    assert.equal((await kept).reason, 'aborted');
    reject(new Error('late'));
    await turn();
    assert.equal(clock.pending.size, 0);
  }));

test('callbacks that throw, or return what they must not, end it with that error', () =>
  onClock(async () => {
    const fail = () => Promise.reject(new Error('refused'));
    const bug = new Error('bug');
    const bad = fails(bug);
    for (const [options, expected] of [
      [{ retryIf: bad }, bug],
      [{ retryIf: async () => bad() }, bug],
      [{ retryIf: () => 'yes' }, /^rejitter: retryIf must return true, false, \{ afterMs \}/],
      [{ random: () => 1 }, /^rejitter: random\(\) must return a number in \[0, 1\), got 1/],
      [{ backoff: () => -1 }, /^rejitter: backoff\(1\) must return/],
      [{ wakeOn: bad }, bug],
    ]) {
      const reasons = [];
      const onGiveUp = ({ reason }) => reasons.push(reason);
      const error = await keepConnected(fail, { ...options, onGiveUp }).catch((e) => e);
      if (expected === bug) assert.equal(error, bug);
      else assert.match(error.message, expected);
      assert.deepEqual(reasons, ['callback']);
    }
    // An error that belongs into a throw counts as thrown.
    assert.equal(await keepConnected(async () => permanent(bug)).catch((e) => e), bug);
  }));

test('options: ranges, unknown names, and those of operations alone', async () => {
  let calls = 0;
  const rejects = async (options, pattern) =>
    assert.match((await keepConnected(() => calls++, options).catch((e) => e)).message, pattern);
  for (const [name, value, rule] of [
    ['connectTimeoutMs', 0, 'a positive number'],
    ['stableMs', -1, 'a non-negative number'],
    ['wakeOn', true, 'a function or false'],
    ['onOpen', 1, 'a function'],
    ['baseMs', -1, 'a number of milliseconds'],
  ])
    await rejects({ [name]: value }, new RegExp(`^rejitter: ${name} must be ${rule}.*, got ${value}`));
  for (const [name, value, remedy] of [
    ['attemptTimeoutMs', 1, 'use connectTimeoutMs'],
    ['onSuccess', () => {}, 'use onOpen'],
    ['totalTimeoutMs', 1, 'a connection has none'],
    ['metrics', true, 'a connection has none'],
  ])
    await rejects({ [name]: value }, new RegExp(`^rejitter: ${name} must be omitted .*: ${remedy}`));
  await rejects({ reconnectInterval: 1 }, /unknown option "reconnectInterval".*Known options: .*connectTimeoutMs/);
  await rejects({ baseMs: 100, capMs: 10 }, /capMs must be at least baseMs/);
  await assert.rejects(keepConnected('ws://'), /the callback must be a function/);
  assert.equal(calls, 0);
  const liveness = await new Promise((resolve) => {
    const controller = new AbortController();
    const session = ({ opened }) => resolve(caught(() => opened({ silenceMs: 0 }))) ?? controller.abort();
    keepConnected(session, { signal: controller.signal });
  });
  assert.match(liveness.message, /silenceMs must be a positive number/);
});

test('an own list of waits is not cut', () =>
  onClock(async (clock) => {
    const starts = [];
    const kept = keepConnected(
      () => {
        starts.push(clock.now - 1000);
        throw new Error('no');
      },
      { backoff: [1000, 60_000], jitter: 'none', maxAttempts: 3 },
    ).catch(() => {});
    await clock.drain();
    await kept;
    assert.deepEqual(starts, [0, 1000, 61_000]);
  }));

test('seeds make waits the same, and each outage draws anew', () =>
  onClock(async (clock) => {
    const delaysOf = async () => {
      const delays = [];
      const session = ({ opened }) => {
        opened();
        return new Promise((_, no) => setTimeout(no, 20_000));
      };
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

test('silence: neither a sleep, nor a busy loop, nor a throttled tab ends a connection that answers', () =>
  onClock(async (clock) => {
    for (const [jumpMs, pinged] of [
      [3_600_000, false],
      [3_600_000, true],
      [10_000, true],
    ]) {
      const controller = new AbortController();
      let pings = 0;
      const session = ({ opened, alive }) => {
        // The answer to a ping before the jump comes after it, and after the timers that were due meanwhile.
        const ping = () => setTimeout(alive, ++pings === 1 && pinged ? jumpMs + 400 : 200);
        opened({ silenceMs: 2000, ping });
        return hang();
      };
      const kept = keepConnected(session, { signal: controller.signal });
      await clock.advance(pinged ? 1100 : 500);
      // No timer fires, and then all that are due.
      clock.now += jumpMs;
      await clock.advance(10_000);
      controller.abort();
      assert.equal((await kept).attempts, 1);
      assert.ok(pings >= 5);
      await clock.advance(1000);
    }
  }));

test('silence: one that answers no more is dropped after a sleep, too', () =>
  onClock(async (clock) => {
    const ends = [];
    const session = ({ opened }) => {
      opened({ silenceMs: 2000, ping: () => Promise.reject(new Error('not sent')) });
      return hang();
    };
    const onFailure = ({ error }) => ends.push([error instanceof TimeoutError, clock.now]);
    keepConnected(session, { onFailure, retryIf: () => false }).catch(() => {});
    await clock.advance(500);
    clock.now += 3_600_000;
    await clock.advance(1000);
    assert.deepEqual(ends, [[true, 1000 + 500 + 3_600_000 + 1000]]);
  }));

test('a thousand connections share one listener of a signal', async () => {
  const source = new AbortController();
  const all = Array.from({ length: 1000 }, () => keepConnected(hang, { signal: source.signal }));
  assert.equal(getEventListeners(source.signal, 'abort').length, 1);
  source.abort();
  assert.ok((await Promise.all(all)).every(({ reason }) => reason === 'aborted'));
});

test("hints and permanent errors are found through an error's cause", () =>
  onClock(async (clock) => {
    const asked = [];
    const inner = retryAfter(1000, new Error('busy'));
    const starts = [];
    const kept = keepConnected(
      () => {
        starts.push(clock.now - 1000);
        throw new Error('outer', { cause: starts.length < 2 ? inner : permanent(new Error('gone')) });
      },
      { ...draw, retryIf: (error) => asked.push(error.message) > 0 },
    ).catch((e) => e);
    await clock.drain();
    assert.equal((await kept).message, 'outer');
    assert.deepEqual([starts, asked], [[0, 3500], ['outer']]);
  }));

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
