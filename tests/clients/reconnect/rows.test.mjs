// The rows of the guide for those who come from reconnecting-websocket and partysocket, run beside them: sockets that
// are opened, refused, lost or silent in turn are opened again at the same times. So are any two or three rows at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { WebSocket as PartySocket } from 'partysocket';
import ReconnectingWebSocket from 'reconnecting-websocket';

import { importEntry } from '../../package/lib/consumer.mjs';
import { documents, evaluate, literal, tableIn } from '../../package/lib/readers.mjs';
import { sameTimes } from '../lib/migration.mjs';
import { underClock } from '../lib/pasted.mjs';
import { subsets } from '../lib/subsets.mjs';

const { keepConnected } = await importEntry('reconnect');

/** How long each socket is open, in ms; -1 is refused, and -2 is never answered. The last again and again. */
const LIVES = [-1, -1, 3000, -1, 8000, -2, -1, 100, 2500, 6000, -2, -1];
const UNTIL_MS = 120_000;

/** A class of sockets that live so, and note when each was made. */
function socketsOf(clock, times) {
  return class extends EventTarget {
    static CLOSING = 2;
    static CLOSED = 3;
    #timers = [];
    constructor() {
      super();
      const life = LIVES[Math.min(times.push(clock.now), LIVES.length) - 1];
      if (life === -2) return;
      if (life >= 0) this.#later('open', 0);
      this.#later('close', Math.max(0, life));
    }

    #later(type, ms) {
      this.#timers.push(setTimeout(() => this.dispatchEvent(new Event(type)), ms));
    }

    close() {
      for (const timer of this.#timers) clearTimeout(timer);
    }
  };
}

/** Runs one side until the time is up. Returns when it made its sockets, from the first on. */
const timesOf = (start) =>
  underClock(async (clock) => {
    const times = [];
    const stop = start(socketsOf(clock, times));
    await clock.advance(UNTIL_MS);
    await stop();
    return times.map((time) => time - times[0]);
  });

const theirs = (Client, options) => (WebSocket) => {
  const client = new Client('ws://x', [], { minReconnectionDelay: 1000, ...options, WebSocket });
  return () => client.close();
};

const DEFAULTS = evaluate(/`(\{ baseMs: 1000,[^`]*)`/.exec(documents.get('docs/guide/connections.md'))[1]);
const ours = (options) => (WebSocket) => {
  const controller = new AbortController();
  const session = ({ signal, opened }) =>
    new Promise((_, reject) => {
      const socket = new WebSocket();
      socket.addEventListener('open', () => opened());
      socket.addEventListener('close', () => reject(new Error('closed')));
      signal.addEventListener('abort', () => socket.close());
    });
  const kept = keepConnected(session, { ...DEFAULTS, ...options, signal: controller.signal }).catch(() => {});
  return async () => {
    controller.abort();
    await kept;
  };
};

const rows = tableIn(documents.get('docs/guide/connections.md'), 'reconnecting-websocket, partysocket')
  .map(([old, now]) => [literal(old), literal(now)])
  .filter(([old]) => old?.startsWith('{'));
const sets = [[], ...rows.map((row) => [row]), ...subsets(rows)];

for (const [name, Client] of Object.entries({
  'reconnecting-websocket': ReconnectingWebSocket,
  partysocket: PartySocket,
}))
  test(`${name}: its defaults, and one, two or three of ${rows.length} rows`, async () => {
    for (const chosen of sets) {
      const [old, now] = [0, 1].map((side) => Object.assign({}, ...chosen.map((row) => evaluate(row[side]))));
      const before = await timesOf(theirs(Client, old));
      assert.ok(before.length >= (old.maxRetries ? 4 : 12), `${before}`);
      sameTimes(await timesOf(ours(now)), before);
    }
  });
