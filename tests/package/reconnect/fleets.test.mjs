// Many connections at once, on a virtual clock: a shared breaker, a server that drops them all, one that falls over.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { onClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';

const { keepConnected } = await importEntry('reconnect');
const { breaker, budget, cooldown, hedge, protect } = await importEntry('protection');
const { RetryPolicy, retryAfter } = await importPackage();

/** Runs `body(clock, start)`; `start(session, options, n)` starts `n` connections that end with the test. */
const keeping = (body) =>
  onClock(async (clock) => {
    const controller = new AbortController();
    const all = [];
    const start = (session, options, n = 1) => {
      for (let seed = 0; seed < n; seed++)
        all.push(keepConnected(session, { signal: controller.signal, seed, ...options }));
    };
    await body(clock, start);
    controller.abort();
    await Promise.all(all);
  });

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const hang = () => new Promise(() => {});

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
  await keeping(async (clock, start) => {
    const policy = new RetryPolicy({ maxAttempts: 1, protection });
    for (let i = 0; i < 20; i++) await policy.run(() => Promise.reject(new Error('down'))).catch(() => {});
    await clock.advance(5100);
    start(({ opened }) => ++open && (opened() ?? hang()), { protection }, 40);
    await clock.advance(5000);
  });
  assert.ok(open >= 30, `${open} open`);
  assert.equal(protection.status().breaker.state, 'closed');
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
    await keeping(async (clock, start) => {
      start(session, { protection });
      await clock.advance(ms);
    });
    assert.equal(protection.status().breaker.failures, failures);
  }
});

test('a hint holds all who share a cooldown; an abort during a hold leaves nothing', async () => {
  const protection = protect(cooldown());
  const starts = [];
  let attempts = 0;
  await keeping(async (clock, start) => {
    const session = () => {
      starts.push(clock.now - 1000);
      throw retryAfter(20_000, new Error('busy'));
    };
    const options = { protection, seed: undefined, random: () => 0.5, onAttempt: () => attempts++ };
    start(session, options);
    await clock.advance(1);
    start(session, options, 5);
    await clock.advance(19_000);
    assert.equal(protection.status().cooldown.held, 4);
  });
  // The first one, and the probe of the hold.
  assert.deepEqual([starts, attempts], [[0, 1], 2]);
  assert.equal(protection.status().cooldown.held, 0);
});

/**
 * 1,000 connections are dropped at once, and the server is down for `downMs`; it falls over again if more than `limit`
 * start within a second. Returns the most starts in 100 ms, and when the last one was open after the server was up.
 */
async function herd({ downMs = 0, limit = Infinity }) {
  const starts = [];
  const sockets = new Set();
  const perTenth = new Map();
  let [up, least, openAt] = [true, Infinity, 0];
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
      if (!up) throw new Error('refused');
      opened();
      openAt = clock.now;
      await new Promise((_, drop) => {
        sockets.add(drop);
        signal.addEventListener('abort', () => sockets.delete(drop));
      });
    };
    start(session, {}, 1000);
    await clock.advance(60_000);
    assert.equal(sockets.size, 1000);
    least = limit;
    starts.length = 0;
    const from = clock.now + downMs;
    fallOver(downMs);
    await clock.advance(downMs + 60_000);
    assert.equal(sockets.size, 1000, 'all are back');
    openAt -= from;
  });
  for (const at of starts) perTenth.set(Math.floor(at / 100), (perTenth.get(Math.floor(at / 100)) ?? 0) + 1);
  return { most: Math.max(...perTenth.values()), lastMs: openAt };
}

test('a fleet comes back spread out, and within the cap', async (t) => {
  for (const [world, most, lastMs] of [
    [{}, 45, 5050],
    [{ downMs: 3000 }, 55, 30_050],
    [{ downMs: 2700, limit: 100 }, Infinity, 60_000],
  ]) {
    const found = await herd(world);
    t.diagnostic(JSON.stringify([world, found]));
    assert.ok(found.most <= most && found.lastMs <= lastMs, JSON.stringify(found));
  }
});
