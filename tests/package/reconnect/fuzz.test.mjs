// Keepers with random lives: sessions of every end, hints, pings, late calls, wake-ups, a clock that jumps, aborts.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { onClock, turn } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { generator } from '../schedules/random.mjs';

const { keepConnected } = await importEntry('reconnect');
const { permanent, retryAfter } = await importPackage();

/** Runs one keeper. Returns what it did wrong, and the number of its sessions. */
async function lived(clock, seed) {
  const { unit, chance, whole, pick } = generator(45, seed);
  const wrong = new Set();
  const rule = (holds, text) => holds || wrong.add(text);
  const controller = new AbortController();
  const { signal } = controller;
  /** Timers of the sessions. */
  const own = new Set();
  const later = (ms, fn) => own.add(setTimeout(fn, ms));
  const ours = () => [...clock.pending.values()].filter((timer) => !own.has(timer)).length;
  const baseMs = whole(0, 5000);
  const stats = { sessions: 0 };
  let running;
  let endedAt = -Infinity;
  let leastMs = 0;
  let settled = false;
  let wakes = 0;

  const session = ({ signal, opened, alive, finish, attempt }) => {
    stats.sessions++;
    rule(!settled, 'a session after the end');
    rule(running === undefined, 'two sessions at once');
    rule(!signal.aborted, 'a session whose signal is aborted');
    rule(clock.now - endedAt >= leastMs, 'sooner than requested');
    rule(attempt >= 1, 'attempt numbers');
    running = signal;
    let over = false;
    signal.addEventListener('abort', () => {
      over = true;
      running = undefined;
      endedAt = clock.now;
    });
    const answer = pick([
      () => {},
      alive,
      () => later(whole(0, 3000), alive),
      () => {
        throw new Error('ping');
      },
    ]);
    const act = () => {
      if (over) {
        // Late: nothing of this may be heard.
        opened({ silenceMs: 10 });
        alive();
        if (chance(0.5)) finish(1);
        throw new Error('late');
      }
      if (chance(0.4)) {
        opened(chance(0.6) ? { silenceMs: whole(10, 20_000), ping: answer } : undefined);
        return new Promise((resolve) => later(whole(0, 40_000), resolve)).then(act);
      }
      leastMs = 0;
      if (chance(0.02)) return finish(5);
      if (chance(0.02)) throw permanent(new Error('permanent'));
      if (chance(0.2)) throw retryAfter((leastMs = whole(0, 60_000)), new Error('busy'));
      if (chance(0.7)) throw new Error('failed');
    };
    const hang = () => new Promise((resolve) => later(whole(0, 15_000), resolve)).then(act);
    leastMs = 0;
    const life = chance(0.3) ? act : hang;
    // Whatever an ended session still does.
    later(whole(0, 60_000), () => over && [alive(), opened({ silenceMs: 5 })]);
    return life();
  };
  const kept = keepConnected(session, {
    signal,
    baseMs,
    random: unit,
    maxAttempts: chance(0.2) ? whole(1, 6) : Infinity,
    connectTimeoutMs: whole(1000, 13_000),
    retryIf: chance(0.3) ? () => new Promise((resolve) => later(10, () => resolve(true))) : undefined,
    wakeOn(wake) {
      wakes++;
      stats.wake = wake;
      return () => wakes--;
    },
  }).then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let step = whole(1, 14); step > 0 && !settled; step--) {
    await clock.advance(whole(0, 20_000));
    rule(ours() <= 1, 'more than one timer');
    const waits = running === undefined && ours() === 1;
    if (chance(0.3)) {
      // The machine slept: no timer has fired yet.
      clock.now += whole(3_600_000, 7_200_000);
      const before = stats.sessions;
      stats.wake();
      await turn();
      rule(settled || !waits || stats.sessions > before, 'a wake-up misses a wait that is over');
    } else if (chance(0.4)) {
      const before = stats.sessions;
      for (let i = 0; i < 20; i++) {
        stats.wake();
        await clock.advance(Math.ceil(baseMs / 20));
      }
      rule(!waits || stats.sessions - before <= 3, 'wake-ups make a tight loop');
    }
  }
  if (!settled) controller.abort(new Error('stop'));
  await turn();
  rule(settled, 'not settled by an abort');
  rule(ours() === 0, 'a timer is left');
  rule(getEventListeners(signal, 'abort').length === 0, 'a listener is left');
  rule(wakes === 0, 'a subscription is left');
  rule(running === undefined, 'a session is left');
  await clock.advance(100_000);
  rule(ours() === 0, 'a timer comes back');
  await kept;
  return { wrong: [...wrong], sessions: stats.sessions };
}

const KEEPERS = 600;

test(`${KEEPERS} keepers: one session at a time, never sooner than requested, nothing left`, async (t) => {
  let count = 0;
  for (let seed = 0; seed < KEEPERS; seed++) {
    const { wrong, sessions } = await onClock((clock) => lived(clock, seed));
    assert.deepEqual(wrong, [], `seed ${seed}`);
    count += sessions;
  }
  t.diagnostic(`${count} sessions`);
  assert.ok(count > 2000);
});
