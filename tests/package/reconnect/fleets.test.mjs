// Many connections at once, on a virtual clock: a shared breaker, a server that drops them all, one that falls over.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { onClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';

const { keepConnected } = await importEntry('reconnect');
const { breaker, budget, cooldown, hedge, protect } = await importEntry('protection');
const { RetryPolicy } = await importPackage();

/** Runs `body(clock, start)`; `start(session, options)` starts a connection that ends with the test. */
const keeping = (body) =>
  onClock(async (clock) => {
    const controller = new AbortController();
    const all = [];
    const start = (session, options) => all.push(keepConnected(session, { signal: controller.signal, ...options }));
    await body(clock, start);
    controller.abort();
    return Promise.all(all);
  });

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const hang = () => new Promise(() => {});
const many = (n, make) => Array.from({ length: n }, (_, i) => make(i));

/**
 * 40 connections, whose server is down for a minute. Returns the starts while it was, and how many are open 15 s and
 * 30 s later.
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
    many(40, (i) => start(session, { protection, seed: i }));
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

test('connections that share a breaker spare a server that is down, and are back within the cap', async () => {
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
    const fail = () => Promise.reject(new Error('down'));
    for (const run of many(20, () => () => policy.run(fail))) await run().catch(() => {});
    await clock.advance(5100);
    const session = ({ opened }) => {
      open++;
      opened();
      return hang();
    };
    many(40, () => start(session, { protection }));
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
  const { retryAfter } = await importPackage();
  const starts = [];
  let attempts = 0;
  await keeping(async (clock, start) => {
    const session = () => {
      starts.push(clock.now - 1000);
      throw retryAfter(20_000, new Error('busy'));
    };
    const options = { protection, random: () => 0.5, onAttempt: () => attempts++ };
    start(session, options);
    await clock.advance(1);
    many(5, () => start(session, options));
    await clock.advance(19_000);
    assert.equal(protection.status().cooldown.held, 4);
  });
  // The first one, and the probe of the hold.
  assert.deepEqual([starts, attempts], [[0, 1], 2]);
  assert.equal(protection.status().cooldown.held, 0);
});

/**
 * 1,000 connections dropped at once, at 60 s. `limit`: the server falls over if more start within a second.
 * Returns the most starts in 100 ms, and when the last one was open, in ms after the server was up again.
 */
async function herd({ downMs = 0, limit = Infinity, restMs = 60_000 }) {
  const starts = [];
  const sockets = new Set();
  let up = true;
  let [from, openAt] = [0, 0];
  const fallOver = (ms) => {
    up = ms === 0;
    for (const drop of [...sockets]) drop(new Error('dropped'));
    if (!up) setTimeout(() => (up = true), ms);
  };
  let stay = 0;
  await keeping(async (clock, start) => {
    const session = async ({ opened, signal }) => {
      starts.push(clock.now);
      await sleep(5 + (starts.length % 20));
      if (limit < Infinity && starts.filter((at) => at > clock.now - 1000).length > limit) fallOver(2700);
      if (!up) throw new Error('refused');
      opened();
      openAt = clock.now;
      await new Promise((_, drop) => {
        sockets.add(drop);
        signal.addEventListener('abort', () => sockets.delete(drop));
      });
    };
    const own = limit;
    limit = Infinity;
    many(1000, (seed) => start(session, { seed }));
    await clock.advance(60_000);
    assert.equal(sockets.size, 1000);
    limit = own;
    starts.length = 0;
    from = clock.now + downMs;
    fallOver(downMs);
    await clock.advance(downMs + restMs);
    stay = sockets.size;
  });
  const each = new Map();
  for (const at of starts) each.set(Math.floor(at / 100), (each.get(Math.floor(at / 100)) ?? 0) + 1);
  return { most: Math.max(...each.values()), lastMs: openAt - from, stay };
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
    assert.equal(found.stay, 1000);
  }
});

test('a session that throws over an open socket leaves none behind', async () => {
  let [open, most] = [0, 0];
  const reports = await keeping(async (clock, start) => {
    const session = async ({ opened, signal }) => {
      most = Math.max(most, ++open);
      signal.addEventListener('abort', () => open--);
      opened();
      await sleep(100);
      throw new Error('lost');
    };
    start(session);
    await clock.advance(100_000);
  });
  assert.deepEqual([most, open], [1, 0]);
  assert.ok(reports[0].connections >= 6);
});
