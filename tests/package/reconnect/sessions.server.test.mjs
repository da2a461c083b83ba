// The guide's programs for Redis, PostgreSQL, MQTT and gRPC, on real servers that go away and come back.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';

import { Server, ServerCredentials } from '@grpc/grpc-js';
import { Aedes } from 'aedes';
import { Redis } from 'ioredis';
import pg from 'pg';

import { onLoopback } from '../../../www/demo/lib/loopback.mjs';
import { until } from '../../../www/demo/lib/until.mjs';
import { checkPrograms, importProgram } from '../lib/programs.mjs';
import { postgres, redis } from '../lib/servers.mjs';

const closers = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** Starts a connection that tells how it goes, and ends it with an abort. */
async function kept(start, body) {
  const controller = new AbortController();
  const state = { open: 0, failures: [] };
  const options = {
    baseMs: 20,
    capMs: 200,
    signal: controller.signal,
    onOpen: () => state.open++,
    onFailure: ({ error }) => state.failures.push(error),
  };
  const all = start(options);
  await body(state);
  controller.abort();
  const report = await all;
  assert.deepEqual([report.reason, report.connections], ['aborted', state.open]);
}

test('the programs of the guide fit the types', { timeout: 120_000 }, () =>
  checkPrograms(['redis-subscriber', 'postgres-listen', 'mqtt', 'grpc-stream']),
);

test('Redis: a subscriber through a restart of the server', { timeout: 120_000 }, async () => {
  const server = await redis();
  closers.push(() => server.stop());
  const { subscribe } = await importProgram('redis-subscriber');
  const heard = [];
  let caughtUp = 0;
  const publisher = new Redis({ host: server.host, port: server.port });
  publisher.on('error', () => {});
  closers.push(() => publisher.disconnect());
  /** Publishes until somebody hears it. */
  const publish = (text) => until(`${text} is heard`, () => publisher.publish('jobs', text).catch(() => 0));
  const start = (options) =>
    subscribe(
      `redis://${server.host}:${server.port}`,
      (text) => heard.push(text),
      async () => caughtUp++,
      options,
    );
  await kept(start, async (state) => {
    await until('it is open', () => state.open >= 1);
    await publish('one');
    await server.restart();
    await until('it is open again', () => state.open >= 2);
    await publish('two');
    await until('both are heard', () => heard.length >= 2);
    assert.ok(state.failures.length >= 1);
    // What was missed before each connection but the first.
    assert.equal(caughtUp, state.open - 1);
  });
  assert.deepEqual(heard, ['one', 'two']);
  await until('no subscriber is left', async () => (await publisher.pubsub('NUMSUB', 'jobs'))[1] === 0);
});

test('PostgreSQL: LISTEN, and a backend that is terminated', { timeout: 120_000 }, async () => {
  const server = await postgres();
  closers.push(() => server.stop());
  const { listen } = await importProgram('postgres-listen');
  const other = new pg.Client({ connectionString: server.url });
  await other.connect();
  closers.push(() => other.end());
  const heard = [];
  let caughtUp = 0;
  const start = (options) =>
    listen(
      server.url,
      (text) => heard.push(text),
      async () => caughtUp++,
      options,
    );
  const backends = "FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()";
  await kept(start, async (state) => {
    await until('it is open', () => caughtUp >= 1);
    await other.query(`SELECT pg_terminate_backend(pid) ${backends}`);
    await until('it is open again', () => caughtUp >= 2);
    await other.query("NOTIFY jobs, 'one'");
    await until('it is heard', () => heard.length >= 1);
    assert.equal(state.failures[0].code, '57P01');
  });
  assert.deepEqual(heard, ['one']);
  await until('no backend is left', async () => (await other.query(`SELECT pid ${backends}`)).rows.length === 0);
});

test('MQTT: a broker that drops its clients', { timeout: 60_000 }, async () => {
  const broker = await Aedes.createBroker();
  const server = await onLoopback(createServer(broker.handle));
  closers.push(() => new Promise((done) => broker.close(() => server.close().then(done))));
  const { keepTopic } = await importProgram('mqtt');
  const heard = [];
  const clients = new Set();
  broker.on('client', (client) => clients.add(client)).on('clientDisconnect', (client) => clients.delete(client));
  const start = (options) => keepTopic(`mqtt://127.0.0.1:${server.port}`, (text) => heard.push(text), options);
  await kept(start, async (state) => {
    await until('it is open', () => state.open >= 1);
    for (const client of clients) client.conn.destroy();
    await until('it is open again', () => state.open >= 2);
    broker.publish({ topic: 'jobs', payload: 'one', qos: 0 }, () => {});
    await until('it is heard', () => heard.length >= 1);
  });
  assert.deepEqual(heard, ['one']);
  await until('no client is left', () => clients.size === 0);
});

test('gRPC: a stream goes on after the last job, and a permanent status ends it', { timeout: 60_000 }, async () => {
  const server = new Server();
  const requests = [];
  const definition = {
    path: '/jobs.Jobs/Watch',
    requestStream: false,
    responseStream: true,
    requestDeserialize: (bytes) => JSON.parse(bytes),
    responseSerialize: (job) => Buffer.from(JSON.stringify(job)),
  };
  server.addService(
    { Watch: definition },
    {
      Watch(call) {
        const { after } = call.request;
        requests.push(after);
        if (after >= 6) return call.emit('error', { code: 7, details: 'not allowed' });
        for (const id of [after + 1, after + 2]) call.write({ id });
        call.emit('error', { code: 14, details: 'going away' });
      },
    },
  );
  const port = await new Promise((done, fail) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? fail(error) : done(port),
    ),
  );
  closers.push(() => server.forceShutdown());
  const { watchJobs } = await importProgram('grpc-stream');
  const heard = [];
  const error = await watchJobs(`127.0.0.1:${port}`, ({ id }) => heard.push(id), { baseMs: 10, capMs: 50 }).catch(
    (thrown) => thrown,
  );
  assert.deepEqual([error.code, heard, requests], [7, [1, 2, 3, 4, 5, 6], [0, 2, 4, 6]]);
});
