// The guide's programs for one quota of many processes, on a real Redis, a real PostgreSQL and a Durable Object: all
// share it, and a store that is down or hangs is no outage.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Redis } from 'ioredis';
import { Miniflare } from 'miniflare';
import pg from 'pg';
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';

import { bundled } from '../../package/lib/bundle.mjs';
import { withGlobals } from '../../package/lib/clock.mjs';
import { pasted } from '../lib/pasted.mjs';
import { importProgram, javaScript, program, serve } from '../lib/programs.mjs';
import { limit, postgres, redis } from '../lib/servers.mjs';

const PROCESSES = 5;
const QUOTA = { points: 100, duration: 1, keyPrefix: 'quota' };

const { fetchOfFleet } = await importProgram('fleet');
let requests = 0;
const api = await serve(() => {
  requests += 1;
});
const closers = [api.close];
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** Sends so many requests from all processes at once. Returns how long that took. */
async function sent(processes, count) {
  requests = 0;
  const from = performance.now();
  const all = Array.from({ length: count }, (_, i) => processes[i % processes.length](api.url));
  for (const { status } of await Promise.all(all)) assert.equal(status, 200);
  assert.equal(requests, count);
  return performance.now() - from;
}

const server = await redis();
closers.push(() => server.stop());
const connected = ({ host, port } = server) => {
  const client = new Redis({ host, port, enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  closers.push(() => client.disconnect());
  return new Promise((done) => client.once('ready', () => done(client)));
};

const STORES = {
  Redis: async () => new RateLimiterRedis({ ...QUOTA, storeClient: await connected() }),
  async PostgreSQL() {
    const database = await postgres();
    const storeClient = new pg.Pool({ connectionString: database.url });
    storeClient.on('error', () => {});
    closers.push(database.stop, () => storeClient.end());
    return new Promise((done, failed) => {
      const store = new RateLimiterPostgres({ ...QUOTA, storeClient }, (error) =>
        error ? failed(error) : done(store),
      );
    });
  },
};

for (const [name, make] of Object.entries(STORES))
  test(`${name}: all processes together keep to the quota, and no request is lost`, limit, async () => {
    const store = await make();
    const processes = Array.from({ length: PROCESSES }, () => fetchOfFleet(store, QUOTA.points));
    // The third hundred waits for a window that begins when two others are over.
    const ms = await sent(processes, 2.5 * QUOTA.points);
    assert.ok(ms >= 2000, `${ms} ms`);
  });

/** Calls `body`, and returns the messages of errors that were reported meanwhile. */
async function reported(body) {
  const messages = [];
  const { console } = globalThis;
  await withGlobals({ console: { ...console, error: ({ message }) => messages.push(message) } }, body);
  return messages;
}

test('a Redis that is down is no outage: each process keeps to its own limit, and says so once', limit, async () => {
  const ended = await redis();
  const store = new RateLimiterRedis({ ...QUOTA, storeClient: await connected(ended) });
  await ended.stop();
  const send = fetchOfFleet(store, 1000);
  const messages = await reported(() => sent([send], 20));
  assert.equal(messages.length, 1);
});

test('a process asks Redis from its first request on, and starts while that is down', limit, async () => {
  const ended = await redis();
  const REDIS_URL = `redis://${ended.host}:${ended.port}`;
  const start = async () => {
    const { api, storeClient } = await importProgram('fleet of ten', { REDIS_URL }, 'fleet');
    closers.push(() => storeClient.disconnect());
    return (await reported(() => sent([api], 3))).length;
  };
  assert.equal(await start(), 0);
  await ended.stop();
  assert.equal(await start(), 1);
});

test('a Redis that hangs is no outage', limit, async () => {
  const other = await redis();
  closers.push(() => other.stop());
  const [client, pausing] = await Promise.all([connected(other), connected(other)]);
  const store = new RateLimiterRedis({ ...QUOTA, storeClient: client });
  const send = fetchOfFleet(store, 1000);
  await sent([send], 1);
  await pausing.client('PAUSE', 3_600_000);
  const messages = await reported(() => sent([send], 20));
  assert.deepEqual(messages, ['rejitter: acquire took longer than 1000 ms (acquireTimeoutMs)']);
});

test('a Durable Object: the starts of all isolates are evenly spaced', limit, async () => {
  const own = pasted(await javaScript(program('fleet-object')), {});
  const script = await bundled(own, { conditions: ['workerd'], external: ['cloudflare:*'] });
  const worker = (name, QUOTA) => ({
    ...{ name, script, modules: true, compatibilityDate: '2026-01-01', durableObjects: { QUOTA } },
  });
  const workers = [worker('first', 'Quota'), worker('second', { className: 'Quota', scriptName: 'first' })];
  const miniflare = new Miniflare({ workers });
  closers.push(() => miniflare.dispose());
  const fetchers = await Promise.all(['first', 'second'].map((name) => miniflare.getWorker(name)));
  const ms = await sent(
    fetchers.map((worker) => (url) => worker.fetch(url)),
    40,
  );
  // The first of 40 starts at once, and each other 20 ms after the one before.
  assert.ok(ms >= 39 * 20 - 40, `${ms} ms`);
});
