// The guide's programs for Redis, PostgreSQL, MQTT and gRPC, on real servers that go away and come back.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

import { Server, ServerCredentials } from '@grpc/grpc-js';
import { Aedes } from 'aedes';
import { Redis } from 'ioredis';
import pg from 'pg';

import { onLoopback } from '../../package/lib/loopback.mjs';
import { until } from '../../package/lib/until.mjs';
import { limit, postgres, redis } from '../lib/servers.mjs';
import { kept, programOf } from './kept.mjs';

const closers = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** What a connection hands on, and how often it asked for what it missed. */
function listener() {
  const seen = { heard: [], caughtUp: 0 };
  return { seen, handle: (text) => seen.heard.push(text), catchUp: async () => seen.caughtUp++ };
}

test('Redis: a subscriber through a restart of the server', limit, async () => {
  const server = await redis();
  closers.push(() => server.stop());
  const subscribe = await programOf('redis-subscriber');
  const { seen, handle, catchUp } = listener();
  const publisher = new Redis({ host: server.host, port: server.port });
  publisher.on('error', () => {});
  closers.push(() => publisher.disconnect());
  /** Publishes until it is heard: a server that goes away loses what it has told nobody yet. */
  const publish = (text) =>
    until(`${text} is heard`, async () => {
      await publisher.publish('jobs', text).catch(() => 0);
      return seen.heard.includes(text);
    });
  const start = (options) => subscribe(`redis://${server.host}:${server.port}`, handle, catchUp, options);
  await kept(start, async (state) => {
    await until('it is open', () => state.open >= 1);
    await publish('one');
    await server.restart();
    await until('it is open again', () => state.open >= 2);
    await publish('two');
    assert.ok(state.ends.length >= 1);
    // What was missed before each connection but the first.
    assert.equal(seen.caughtUp, state.open - 1);
  });
  assert.deepEqual([...new Set(seen.heard)], ['one', 'two']);
  await until('no subscriber is left', async () => (await publisher.pubsub('NUMSUB', 'jobs'))[1] === 0);
});

test('Redis: wrong credentials end it', limit, async () => {
  const server = await redis();
  closers.push(() => server.stop());
  const subscribe = await programOf('redis-subscriber');
  const { handle, catchUp } = listener();
  let attempts = 0;
  const options = { baseMs: 10, onAttempt: () => attempts++ };
  await assert.rejects(subscribe(`redis://nobody:wrong@${server.host}:${server.port}`, handle, catchUp, options), {
    message: /^WRONGPASS/,
  });
  assert.equal(attempts, 1);
});

test('PostgreSQL: LISTEN, and a backend that is terminated', limit, async () => {
  const server = await postgres();
  closers.push(() => server.stop());
  const listen = await programOf('postgres-listen');
  const other = new pg.Client({ connectionString: server.url });
  await other.connect();
  closers.push(() => other.end());
  const { seen, handle, catchUp } = listener();
  const backends = "FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()";
  const start = (options) => listen(server.url, handle, catchUp, options);
  await kept(start, async ({ ends }) => {
    await until('it is open', () => seen.caughtUp >= 1);
    await other.query(`SELECT pg_terminate_backend(pid) ${backends}`);
    await until('it is open again', () => seen.caughtUp >= 2);
    await other.query("NOTIFY jobs, 'one'");
    await until('it is heard', () => seen.heard.length >= 1);
    assert.equal(ends[0].code, '57P01');
  });
  assert.deepEqual(seen.heard, ['one']);
  await until('no backend is left', async () => (await other.query(`SELECT pid ${backends}`)).rows.length === 0);
});

test('MQTT: a broker that drops its clients', limit, async () => {
  const broker = await Aedes.createBroker();
  const server = await onLoopback(createServer(broker.handle));
  closers.push(() => new Promise((done) => broker.close(() => server.close().then(done))));
  const keepTopic = await programOf('mqtt');
  const { seen, handle } = listener();
  const clients = new Set();
  broker.on('client', (client) => clients.add(client)).on('clientDisconnect', (client) => clients.delete(client));
  const start = (options) => keepTopic(`mqtt://127.0.0.1:${server.port}`, handle, options);
  await kept(start, async (state) => {
    await until('it is open', () => state.open >= 1);
    for (const client of clients) client.conn.destroy();
    await until('it is open again', () => state.open >= 2);
    broker.publish({ topic: 'jobs', payload: 'one', qos: 0 }, () => {});
    await until('it is heard', () => seen.heard.length >= 1);
  });
  assert.deepEqual(seen.heard, ['one']);
  await until('no client is left', () => clients.size === 0);
});

test('MQTT: wrong credentials end it', limit, async () => {
  const broker = await Aedes.createBroker();
  broker.authenticate = (_, __, ___, done) => done(Object.assign(new Error('x'), { returnCode: 4 }), false);
  const server = await onLoopback(createServer(broker.handle));
  closers.push(() => new Promise((done) => broker.close(() => server.close().then(done))));
  const keepTopic = await programOf('mqtt');
  let attempts = 0;
  const options = { baseMs: 10, onAttempt: () => attempts++ };
  await assert.rejects(
    keepTopic(`mqtt://127.0.0.1:${server.port}`, () => {}, options),
    { code: 4 },
  );
  assert.equal(attempts, 1);
});

test('gRPC: a stream goes on after the last job, and a permanent status ends it', limit, async () => {
  const server = new Server();
  const requests = [];
  const Watch = {
    path: '/jobs.Jobs/Watch',
    requestStream: false,
    responseStream: true,
    requestDeserialize: (bytes) => JSON.parse(bytes),
    responseSerialize: (job) => Buffer.from(JSON.stringify(job)),
  };
  const watch = (call) => {
    const { after } = call.request;
    requests.push(after);
    if (after >= 6) return call.emit('error', { code: 7, details: 'not allowed' });
    for (const id of [after + 1, after + 2]) call.write({ id });
    call.emit('error', { code: 14, details: 'going away' });
  };
  server.addService({ Watch }, { Watch: watch });
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind('127.0.0.1:0', ServerCredentials.createInsecure());
  closers.push(() => server.forceShutdown());
  const watchJobs = await programOf('grpc-stream');
  const heard = [];
  const ended = watchJobs(`127.0.0.1:${port}`, ({ id }) => heard.push(id), { baseMs: 10, capMs: 50 });
  await assert.rejects(ended, { code: 7 });
  assert.deepEqual(
    [heard, requests],
    [
      [1, 2, 3, 4, 5, 6],
      [0, 2, 4, 6],
    ],
  );
});
