// Connections with random lives: sessions of every end, hints, pings, late calls, wake-ups, a clock that jumps, aborts.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { onClock, turn } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { generator } from '../schedules/random.mjs';

const { keepConnected } = await importEntry('reconnect');
const { permanent, retryAfter } = await importPackage();

/** Lives one life. Returns the number of its sessions. */
async function live(clock, seed) {
  const { unit, chance, whole, pick } = generator(45, seed);
  const broken = new Set();
  // What a session throws ends only the session.
  const rule = (holds, text) => holds || broken.add(text);
  const controller = new AbortController();
  /** Timers of the sessions. */
  const own = new Set();
  const later = (fn, most, least = 0) => own.add(setTimeout(fn, whole(least, most)));
  const pause = (most) => new Promise((resolve) => later(resolve, most));
  const ours = () => [...clock.pending.values()].filter((timer) => !own.has(timer)).length;
  const baseMs = whole(0, 5000);
  let [sessions, subscribed, leastMs, endedAt] = [0, 0, 0, -Infinity];
  let [running, settled, wake] = [false, false];

  const session = ({ signal, opened, alive, finish }) => {
    sessions++;
    rule(!settled, 'no session begins after the end');
    rule(!running && !signal.aborted, 'one session at a time');
    rule(clock.now - endedAt >= leastMs, 'not sooner than requested');
    [running, leastMs] = [true, 0];
    let over = false;
    signal.addEventListener('abort', () => {
      [over, running, endedAt] = [true, false, clock.now];
    });
    const ping = pick([() => {}, alive, () => later(alive, 3000), fails(new Error('ping'))]);
    const act = () => {
      if (over) {
        // Late: nothing of this may be heard.
        opened({ silenceMs: 10 });
        alive();
        if (chance(0.5)) finish(1);
        throw new Error('late');
      }
      if (chance(0.4)) {
        opened(chance(0.6) ? { silenceMs: whole(10, 20_000), ping } : undefined);
        return pause(40_000).then(act);
      }
      if (chance(0.02)) return finish(5);
      if (chance(0.02)) throw permanent(new Error('permanent'));
      if (chance(0.2)) throw retryAfter((leastMs = whole(0, 60_000)), new Error('busy'));
      if (chance(0.7)) throw new Error('failed');
    };
    // Whatever an ended session still does.
    later(() => over && [alive(), opened({ silenceMs: 5 })], 60_000);
    return chance(0.3) ? act() : pause(15_000).then(act);
  };
  const kept = keepConnected(session, {
    signal: controller.signal,
    baseMs,
    random: unit,
    maxAttempts: chance(0.2) ? whole(1, 6) : Infinity,
    connectTimeoutMs: whole(1000, 13_000),
    retryIf: chance(0.3) ? () => new Promise((resolve) => later(() => resolve(true), 10, 10)) : undefined,
    wakeOn(given) {
      wake = given;
      subscribed++;
      return () => subscribed--;
    },
  });
  const end = () => (settled = true);
  kept.then(end, end);
  for (let step = whole(1, 14); step > 0 && !settled; step--) {
    await clock.advance(whole(0, 20_000));
    rule(ours() <= 1, 'one timer at a time');
    const [waits, before] = [!running && ours() === 1, sessions];
    if (chance(0.3)) {
      // The machine slept: no timer has fired yet.
      clock.now += whole(3_600_000, 7_200_000);
      wake();
      await turn();
      rule(settled || !waits || sessions > before, 'a wake-up ends a wait that is over');
    } else if (chance(0.4)) {
      for (let i = 0; i < 20; i++) {
        wake();
        await clock.advance(Math.ceil(baseMs / 20));
      }
      rule(!waits || sessions - before <= 3, 'wake-ups make no tight loop');
    }
  }
  if (!settled) controller.abort(new Error('stop'));
  await turn();
  rule(settled && !running, 'an abort ends it');
  const left = [ours(), getEventListeners(controller.signal, 'abort').length, subscribed];
  assert.deepEqual(left, [0, 0, 0], `seed ${seed}: timers, listeners and wake-ups that are left`);
  await clock.advance(100_000);
  rule(ours() === 0, 'no timer comes back');
  assert.deepEqual([...broken], [], `seed ${seed}`);
  return sessions;
}

test('600 connections: one session at a time, never sooner than requested, nothing left', async (t) => {
  let sessions = 0;
  for (let seed = 0; seed < 600; seed++) sessions += await onClock((clock) => live(clock, seed));
  t.diagnostic(`${sessions} sessions`);
  assert.ok(sessions > 2000);
});
