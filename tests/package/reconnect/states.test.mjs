// Every event in every state of a connection that is kept: none is dropped because no code waits for it there.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { onClock, sleep } from '../lib/clock.mjs';
import { importEntry } from '../lib/consumer.mjs';
import { importAll } from '../protection/entry.mjs';

const { keepConnected } = await importEntry('reconnect');
const { RetryPolicy, cooldown, protect, retryAfter } = await importAll();

const hang = () => new Promise(() => {});
const refused = () => Promise.reject(new Error('refused'));
const busy = () => Promise.reject(retryAfter(30_000, new Error('busy')));

/** How a keeper comes into each state, in which it is after a second, and for a second or longer. */
const STATES = {
  connecting: { lives: () => sleep(2000).then(refused) },
  open: { lives: ({ opened, ping }) => opened({ silenceMs: 60_000, ping }) ?? sleep(2000).then(refused) },
  'open, without a ping': { lives: ({ opened }) => opened() ?? sleep(2000).then(refused) },
  'retryIf is awaited': { lives: refused, retryIf: () => sleep(2000).then(() => true) },
  waiting: { lives: refused },
  'waiting as asked': { lives: busy },
  'held by a cooldown': { lives: refused, held: true },
  ended: { lives: refused, endsMs: 500 },
};

const EVENTS = {
  nothing: () => {},
  'a wake-up': ({ wake }) => wake(),
  'opened()': ({ opened }) => opened?.(),
  'alive()': ({ alive }) => alive?.(),
  'finish()': ({ finish }) => finish?.(),
  'an abort': ({ abort }) => abort(),
};

/**
 * What follows, in the order of the states: when the next session starts, in ms, or how all has ended. Waits are of
 * 100 s without a wake-up, which brings the next start to half a second from when it can.
 */
const FOLLOWS = {
  nothing: [102_000, 102_000, 102_000, 102_000, 100_000, 100_000, 80_000, 'aborted'],
  'a wake-up': [2500, 102_000, 102_000, 2500, 1500, 30_000, 80_000, 'aborted'],
  'opened()': [102_000, 102_000, 102_000, 102_000, 100_000, 100_000, 80_000, 'aborted'],
  'alive()': [102_000, 102_000, 102_000, 102_000, 100_000, 100_000, 80_000, 'aborted'],
  'finish()': ['finished', 'finished', 'finished', 102_000, 100_000, 100_000, 80_000, 'aborted'],
  'an abort': Array(8).fill('aborted'),
};

/** Brings a keeper into a state, and makes the event happen. Returns what follows, and what is left then. */
async function play(clock, { lives, retryIf, held, endsMs }, act) {
  const [startedAt, controller] = [clock.now, new AbortController()];
  const abort = () => controller.abort();
  const protection = held && protect(cooldown());
  if (held) {
    const other = new RetryPolicy({ maxAttempts: 1, protection });
    await other.run(busy).catch(() => {});
    // The probe, which is let through.
    other.run(hang, { signal: controller.signal }).catch(() => {});
  }
  const known = { abort, pings: 0, connections: 0, wakers: 0 };
  const starts = [];
  const session = (connection) => {
    starts.push(clock.now - startedAt);
    if (starts.length > 1) return hang();
    Object.assign(known, connection);
    return lives({ ...connection, ping: () => (known.pings += 1) });
  };
  const kept = keepConnected(session, {
    ...{ baseMs: 100_000, capMs: 100_000, connectTimeoutMs: Infinity, random: () => 0.5 },
    ...{ backoff: 'fixed', jitter: 'none', retryIf, protection, signal: controller.signal },
    onOpen: () => (known.opens = (known.opens ?? 0) + 1),
    wakeOn(wake) {
      Object.assign(known, { wake, wakers: 1 });
      return () => (known.wakers -= 1);
    },
  });
  let end;
  kept.then((report) => (end = report.reason));
  if (endsMs) setTimeout(abort, endsMs);
  await clock.advance(1000);
  act(known);
  await clock.advance(200_000);
  const follows = end ?? starts.find((ms) => ms > 1000);
  const { pings, opens = 0 } = known;
  abort();
  await clock.advance(0);
  return {
    follows,
    pings,
    opens,
    left: [clock.pending.size, getEventListeners(controller.signal).length, known.wakers],
  };
}

for (const [event, act] of Object.entries(EVENTS))
  test(`every state: ${event}`, async () => {
    for (const [i, [state, how]] of Object.entries(STATES).entries()) {
      const { follows, pings, opens, left } = await onClock((clock) => play(clock, how, act));
      const wakes = event === 'a wake-up' && state === 'open';
      const opened = state.startsWith('open') || (event === 'opened()' && state === 'connecting');
      assert.deepEqual([follows, pings, opens], [FOLLOWS[event][i], wakes ? 1 : 0, opened ? 1 : 0], state);
      assert.deepEqual(left, [0, 0, 0], `${state}: timers, listeners and wake-ups that are left`);
    }
  });
