// isTransientError against the errors that libraries throw: each row makes the real client fail, at a server on
// loopback that misbehaves as the row says.

import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { checkServerIdentity } from 'node:tls';

import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as grpc from '@grpc/grpc-js';
import * as prisma from '@prisma/client-runtime-utils';
import axios from 'axios';
import got from 'got';
import { Redis } from 'ioredis';
import mysql from 'mysql2';
import pg from 'pg';
import * as undici from 'undici';

import { importPackage, vectors } from '../lib/consumer.mjs';
import { closedOrigin, importFetch, listen } from '../lib/fetching.mjs';
import { onLoopback } from '../../../www/demo/lib/loopback.mjs';

const { isTransientError, permanent, retry, retryAfter } = await importPackage();
const { createFetch } = await importFetch();

/** Starts a TCP server on loopback; returns its port. */
async function serve(connected) {
  const { port, close } = await onLoopback(createServer(connected));
  after(close);
  return port;
}
const refused = new URL(await closedOrigin()).port;
const dropping = await serve((socket) => socket.once('data', () => socket.destroy()));
const hanging = await serve(() => {});
const server = await listen((request, response) => {
  const [, what, name] = request.url.split('/');
  if (what === 'half') response.writeHead(200, { 'content-length': 9 }).write('half', () => response.destroy());
  else if (what === 'loop') response.writeHead(302, { location: request.url }).end();
  else response.writeHead(Number(what), name && { 'x-amzn-errortype': name }).end(name ? '{}' : '<html>');
});
after(server.close);

const URLS = Object.entries({ refused, dropping, hanging }).map(([what, port]) => [what, `http://127.0.0.1:${port}`]);
/** The address that fails in a way, or with a status. */
const at = (what) => new Map(URLS).get(what) ?? (/:/.test(what) ? what : `${server.origin}/${what}`);
const text = async (response) => (await response).text();
const us = createFetch({ maxAttempts: 1, throwOnStatus: true });
const CLIENTS = {
  axios: (what, options) => axios.get(at(what), options),
  'axios over fetch': (what, options) => axios.get(at(what), { adapter: 'fetch', ...options }),
  got: (what, options) => got(at(what), { retry: { limit: 0 }, ...options }).text(),
  undici: async (what, options) => {
    const dispatcher = new undici.Agent(options).compose(undici.interceptors.responseError());
    return text((await undici.request(at(what), { dispatcher, ...options })).body);
  },
  'fetch of undici': (what, options) => text(undici.fetch(at(what), options)),
  fetch: (what, options) => text(fetch(at(what), options)),
  createFetch: (what, options) => text(us(at(what), options)),
};
const { axios: viaAxios, got: viaGot, undici: viaUndici, fetch: viaFetch } = CLIENTS;
const STATUSES = [
  [true, [408, 425, 429, 500, 502, 503, 504, 529]],
  [false, [400, 401, 403, 404, 409, 413, 422, 501, 505]],
];
/** Flattens rows of an expectation and what fails in that way, to `[what, expected, how it is made to fail]`. */
const rows = (table, how) => table.flatMap(([is, all]) => all.map((what) => [`${what}`, is, () => how(what)]));
const WEB = [
  [true, ['refused', 'dropping', 'half', 'http://nonexistent.invalid']],
  [false, ['http://:', 'none://x']],
];

function sqs(what, options) {
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
  const client = new SQSClient({ region: 'x', endpoint: at(what), credentials, maxAttempts: 1 });
  return client.send(new ListQueuesCommand({}), options);
}

const PATH = '/test/call';
const asIs = (value) => value;
const rpcServer = new grpc.Server();
rpcServer.addService(
  { call: { path: PATH, requestDeserialize: asIs, responseSerialize: asIs } },
  {
    call: ({ request: [code] }, answer) =>
      code !== 99 && answer({ code: code % 100, details: code < 99 ? 'says the server' : '' }),
  },
);
/** The port of a server that answers with the code that it is sent, or not at all. */
const rpcPort = await new Promise((done) => {
  rpcServer.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_, port) => done(port));
});
after(() => rpcServer.forceShutdown());
/** Calls the server, which answers with this code. */
const rpc = (code, { port = rpcPort, options, deadline = Infinity, then = () => {} } = {}) =>
  new Promise((done, fail) => {
    const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), options);
    const body = Buffer.of(code);
    const ended = (error) => {
      client.close();
      error ? fail(error) : done();
    };
    then(client.makeUnaryRequest(PATH, asIs, asIs, body, new grpc.Metadata(), { deadline }, ended));
  });

/** PostgreSQL, as far as to answer with the error whose code is the user's name, or to let that user in and hang or go. */
const pgPort = await serve((socket) =>
  socket.once('data', (startup) => {
    const [, user] = /user\0(\w+)/.exec(startup.toString('latin1'));
    const fields = `SERROR\0C${user}\0Msays the server\0\0`;
    if (/^(hang|go)$/.test(user)) socket.write('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', () => user === 'go' && socket.end());
    else socket.write(`E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`);
  }),
);
async function postgres(user, { times = 1, ...options } = {}) {
  const pool = new pg.Pool({ host: '127.0.0.1', port: pgPort, user, database: 'x', max: 1, ...options });
  const queries = Array.from({ length: times }, () => pool.query('SELECT 1').catch((error) => error));
  const errors = await Promise.all(queries);
  pool.end();
  throw errors.at(-1);
}

/** A query of a client whose connection the server has closed since it was made. */
async function postgresGone() {
  const client = new pg.Client({ host: '127.0.0.1', port: pgPort, user: 'go', database: 'x' });
  const gone = once(client, 'error');
  await client.connect();
  await gone;
  await client.query('SELECT 1');
}

/** The server of mysql2, which answers a query with the error of that number, or hangs up. */
const mysqlServer = mysql.createServer((connection) => {
  const hello = { protocolVersion: 10, serverVersion: '8', connectionId: 1, statusFlags: 2, characterSet: 8 };
  const accept = (_, done) => {
    done();
    connection.sequenceId = 0;
  };
  connection.on('error', () => {});
  connection.on('query', (code) => {
    connection.sequenceId = 1;
    if (code === 'drop') connection.stream.destroy();
    else connection.writeError({ code: Number(code), message: 'says the server' });
  });
  connection.serverHandshake({ ...hello, capabilityFlags: 0xffffff, authCallback: accept });
});
mysqlServer.listen(0, '127.0.0.1');
await once(mysqlServer._server, 'listening');
after(() => mysqlServer.close());
const mySql = (sql, options) =>
  new Promise((done, fail) => {
    const { port } = mysqlServer._server.address();
    const connection = mysql.createConnection({ host: '127.0.0.1', port, ...options });
    connection.on('error', fail);
    connection.query(`${sql}`, (error) => {
      connection.destroy();
      error ? fail(error) : done();
    });
  });

/** Redis, as far as to answer ECHO with that error. */
const redisPort = await serve((socket) =>
  socket.on('data', (data) => {
    for (const command of data
      .toString()
      .split(/^\*\d+\r\n/m)
      .slice(1)) {
      const [name, reply] = command.split('\r\n').filter((_, i) => i % 2 === 1);
      if (reply !== 'hang') socket.write(/echo/i.test(name) ? `-${reply} says the server\r\n` : '+OK\r\n');
    }
  }),
);
async function redis(reply, options) {
  const client = new Redis({ host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: 0, ...options });
  client.on('error', () => {});
  try {
    await client.echo(reply);
  } finally {
    client.disconnect();
  }
}

/** Node's resolver, asked through a server that answers with this code, or not at all. */
async function resolve(rcode) {
  const server = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  server.on('message', (query, { port }) => {
    query.writeUInt16BE(0x8180 | rcode, 2);
    if (rcode !== undefined) server.send(query, port);
  });
  const resolver = new dns.Resolver({ timeout: 5, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  await resolver.resolve4('name.invalid').finally(() => server.close());
}

/** Failures of one client. */
const FURTHER = {
  axios: [
    ['a timeout', true, () => viaAxios('hanging', { timeout: 5 })],
    ['a response that is too large', false, () => viaAxios('200', { maxContentLength: 1 })],
  ],
  got: [
    ['a timeout', true, () => viaGot('hanging', { timeout: { response: 5 } })],
    ['a response that is not JSON', false, () => got(at('200')).json()],
  ],
  undici: [
    ['a timeout', true, () => viaUndici('hanging', { headersTimeout: 5 })],
    ['an invalid method', false, () => viaUndici('200', { method: 'a b' })],
  ],
  fetch: [
    ['a timeout', true, () => viaFetch('hanging', { signal: AbortSignal.timeout(5) })],
    ['a forbidden port', false, () => viaFetch('http://127.0.0.1:1')],
    ['a response that is not JSON', false, async () => JSON.parse(await viaFetch('200'))],
    ['several failures', true, () => Promise.any([viaFetch('refused'), viaAxios('503')])],
    ['several failures and one for good', false, () => Promise.any([viaFetch('refused'), viaAxios('404')])],
  ],
};
const web = Object.entries(CLIENTS).map(([name, call]) => [
  name,
  [
    ...rows(/^fetch/.test(name) ? WEB : [...WEB, ...STATUSES], call),
    ['an abort', false, () => call('hanging', { signal: AbortSignal.abort() })],
    ...(name === 'undici' ? [] : [['redirects without end', false, () => call('loop')]]),
    ...(FURTHER[name] ?? []),
  ],
]);

const LIBRARIES = {
  ...Object.fromEntries(web),
  'AWS SDK': [
    ...rows(WEB.slice(0, 1), sqs),
    ...rows(
      [
        [true, ['500/InternalFailure', '503/SlowDown', '429/TooManyRequestsException', '400/ThrottlingException']],
        [true, ['400/RequestThrottled', '400/RequestTimeout', '400/ProvisionedThroughputExceededException']],
        [false, ['400/ValidationException', '400/QueueDoesNotExist', '400/ExpiredToken', '403/AccessDenied']],
      ],
      sqs,
    ),
    ['an abort', false, () => sqs('hanging', { abortSignal: AbortSignal.abort() })],
  ],
  gRPC: [
    ...rows(
      [
        [true, [4, 8, 10, 14]],
        [false, [1, 2, 3, 5, 6, 7, 9, 11, 12, 13, 15, 16]],
      ],
      rpc,
    ),
    ['a status without a message', true, () => rpc(114)],
    ['refused', true, () => rpc(0, { port: refused })],
    ['a deadline', true, () => rpc(99, { deadline: Date.now() + 5 })],
    ['a cancelled call', false, () => rpc(99, { then: (call) => call.cancel() })],
    ['a message that is too large', false, () => rpc(14, { options: { 'grpc.max_send_message_length': 0 } })],
  ],
  pg: [
    ...rows([[true, ['08006', '53300', '57P01', '57P03', '40001', '40P01', '55P03']]], postgres),
    ...rows([[false, ['42601', '42P01', '23505', '23503', '28P01', '22P02', '40002', '57014', '57P04']]], postgres),
    ['refused', true, () => postgres('x', { port: refused })],
    ['dropping', true, () => postgres('x', { port: dropping })],
    ['hanging', true, () => postgres('x', { port: hanging, connectionTimeoutMillis: 5 })],
    ['a full pool', true, () => postgres('x', { port: hanging, connectionTimeoutMillis: 5, times: 2 })],
    ['a query without end', true, () => postgres('hang', { query_timeout: 5 })],
    ['a connection that is gone', true, postgresGone],
  ],
  mysql2: [
    ...rows([[true, [1213, 1205, 3572, 1040, 1203, 1053]]], mySql),
    ...rows([[false, [1064, 1062, 1045, 1146, 1054, 1452, 1406]]], mySql),
    ['refused', true, () => mySql('', { port: refused })],
    ['dropping', true, () => mySql('drop')],
    ['hanging', true, () => mySql('', { port: hanging, connectTimeout: 5 })],
  ],
  ioredis: [
    ...rows([[true, ['LOADING', 'READONLY', 'CLUSTERDOWN', 'MASTERDOWN', 'TRYAGAIN', 'ERR max']]], redis),
    ...rows([[false, ['WRONGTYPE', 'NOAUTH', 'ERR unknown', 'NOSCRIPT', 'OOM', 'EXECABORT', 'MOVED']]], redis),
    ['refused', true, () => redis('', { port: refused })],
    ['dropping', true, () => redis('', { port: dropping })],
    ['hanging', true, () => redis('hang', { commandTimeout: 5 })],
    ['without a queue', true, () => redis('', { enableOfflineQueue: false })],
    // Such a client stays closed.
    ['without reconnection', false, () => redis('', { port: refused, retryStrategy: null })],
  ],
  // The client itself is 100 MB. It throws these errors: the first kind by a query, the second while it connects.
  Prisma: [
    [true, ['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2034', 'P2037']],
    [false, ['P1000', 'P1003', 'P1011', 'P2002', 'P2003', 'P2010', 'P2025', 'P2028', 'P2033', 'P2039']],
  ].flatMap((row) => [
    ...rows([row], (code) =>
      Promise.reject(new prisma.PrismaClientKnownRequestError('x', { code, clientVersion: '7.10.0' })),
    ),
    ...rows([row], (code) => Promise.reject(new prisma.PrismaClientInitializationError('x', '7.10.0', code))),
  ]),
  Node: [
    ['no answer of the DNS', true, () => resolve()],
    ['an unknown name', true, () => resolve(3)],
    ['a DNS that rejects the query', false, () => resolve(5)],
    ['a certificate of another host', false, () => Promise.reject(checkServerIdentity('a', { subject: { CN: 'b' } }))],
  ],
  rejitter: [
    ['a timeout', true, () => retry(() => new Promise(() => {}), { attemptTimeoutMs: 1, maxAttempts: 1 })],
    ['a wrapped error', true, () => retry(() => viaFetch('refused'), { maxAttempts: 1, finalError: 'wrap' })],
    ['a requested wait', true, () => Promise.reject(retryAfter(5, new Error('x')))],
    ['a permanent error', false, () => viaFetch('refused').catch((error) => Promise.reject(permanent(error)))],
    ['a bug', false, () => retry(() => undefined.x, { maxAttempts: 1 })],
  ],
};

for (const [library, table] of Object.entries(LIBRARIES))
  test(`errors of ${library}`, async () => {
    for (const [what, expected, how] of table) {
      const error = await how().then(
        () => assert.fail(`${what} did not fail`),
        (error) => error,
      );
      const shown = `${what}: ${error?.code} ${error?.name}: ${error?.message}`;
      assert.equal(isTransientError(error), expected, shown);
      // Whatever wraps it.
      assert.equal(isTransientError(new Error('load', { cause: error })), expected, `cause, ${shown}`);
    }
  });

test('agrees with createFetch about failures of each engine', () => {
  const table = vectors('network-failures');
  for (const { code, message, is } of table) {
    const error = Object.assign(new TypeError(message), code && { code });
    const expected = is === 'network' || is === 'unprocessed';
    for (const each of [error, new Error('x', { cause: error })])
      assert.equal(isTransientError(each), expected, `${code} ${message}`);
  }
});

test('other values, endless chains, and objects that throw are not transient', () => {
  const lost = Object.assign(new Error('x'), { code: 'ECONNRESET' });
  const circle = new Error('x');
  circle.cause = circle;
  const wide = new AggregateError([]);
  wide.errors = Array(1000).fill(wide);
  const chain = (n) => (n === 0 ? lost : new Error('x', { cause: chain(n - 1) }));
  const throwing = new Proxy({}, { get: () => assert.fail('read') });
  for (const value of [undefined, null, 0, '', 'ECONNRESET', Symbol('x'), {}, [], circle, wide, chain(10), throwing])
    assert.equal(isTransientError(value), false, typeof value);
  for (const error of [
    new ReferenceError('x', { cause: lost }),
    new DOMException('x', 'NotFoundError'),
    Object.assign(new Error('x'), { code: Symbol('x') }),
    new Error('x', { cause: throwing }),
  ])
    assert.equal(isTransientError(error), false, error.name);
  // No engine words it so, but a TypeError by itself may be a failed fetch.
  assert.equal(isTransientError(new TypeError('x', { cause: lost })), true);
  assert.equal(isTransientError(chain(9)), true);
});
