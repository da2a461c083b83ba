// Writes the errors of the rows "real" of tests/vectors/failures.json: runs real clients at servers on loopback, as the
// row says in `how`, and keeps what classifiers read of their errors. Ports and addresses in memory are written as 1.
// Run it for a new row, and after a change of a client's version, and read the difference:
//
//   node tests/clients/failures/write.mjs

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import net from 'node:net';

import Anthropic from '@anthropic-ai/sdk';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { createConnectTransport } from '@connectrpc/connect-node';
import { REST } from '@discordjs/rest';
import { Client as Elasticsearch } from '@elastic/elasticsearch';
import { HttpConnection, Transport, WeightedConnectionPool } from '@elastic/transport';
import * as grpcJs from '@grpc/grpc-js';
import { Octokit } from '@octokit/core';
import { createClient, createClientPool } from '@redis/client';
import { WebClient } from '@slack/web-api';
import axios from 'axios';
import { Gaxios } from 'gaxios';
import got from 'got';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import ky from 'ky';
import mysql from 'mysql2/promise';
import nodeFetch from 'node-fetch';
import nodemailer from 'nodemailer';
import OpenAI from 'openai';
import pgClient from 'pg';
import Stripe from 'stripe';
import * as undici from 'undici';

import { onLoopback } from '../../package/lib/loopback.mjs';
import { inTarget } from '../../../xtask/run/places.mjs';
import { nodes } from '../hosts/groups/programs.mjs';

/** Clients for a newer Node than this; the process of that Node prints the errors of their rows. */
const NEWER = /\bundici8\b/;
const isNewer = process.argv.includes('--newer');

const FILE = new URL('../../vectors/failures.json', import.meta.url);
const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const servers = [];
async function serve(connected) {
  const server = await onLoopback(net.createServer(connected));
  servers.push(server);
  return server.port;
}
const closing = await onLoopback(net.createServer());
const refused = closing.port;
await closing.close();
const dropping = await serve((socket) => socket.once('data', () => socket.destroy()));
const hanging = await serve(() => {});
const stalling = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'));
/** For clients that drop the query of their server's address. */
const limiting = await serve((socket) =>
  socket.once('data', () => socket.end('HTTP/1.1 429 x\r\nretry-after: 2\r\ncontent-length: 2\r\n\r\n{}')),
);
const long = await serve((socket) => socket.write(`HTTP/1.1 200 OK\r\nx-a: ${'y'.repeat(1e5)}\r\n\r\n`));
/** Answers with the status in the path, and with the query as headers; with an error of AWS if its name follows. */
const web = await onLoopback(
  createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://x');
    const [, status = '404', , name] = /\/(\d+)(\/(\w+))?/.exec(pathname) ?? [];
    const headers = { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' };
    if (name) headers['x-amzn-errortype'] = name;
    response.writeHead(Number(status), { ...headers, ...Object.fromEntries(searchParams) });
    response.end(name ? '{}' : '{"error": {"message": "says the server"}}');
  }),
);
servers.push(web);
const URLS = { refused, dropping, hanging, stalling, limiting };
const at = (what) => (what in URLS ? `http://127.0.0.1:${URLS[what]}` : `${web.origin}/${what}`);
const aborted = AbortSignal.abort();

const sdk = (Client) => (what, options, timeout) => {
  const send = (_, init) => fetch(at(what), init);
  const client = new Client({ apiKey: 'x', baseURL: at('refused'), maxRetries: 0, timeout, fetch: send });
  return client.get('/x', options);
};
const openai = sdk(OpenAI);
const anthropic = sdk(Anthropic);
const stripe = (what, timeout = 1000) => {
  // A path of its own: the client knows its server's alone.
  const own = what.includes('?') && { httpClient: Stripe.createFetchHttpClient((_, init) => fetch(at(what), init)) };
  const server = { host: '127.0.0.1', port: URLS[what] ?? web.port, protocol: 'http' };
  return new Stripe('sk_test_x', { ...server, maxNetworkRetries: 0, timeout, ...own }).customers.list();
};
const octokit = (what, request = {}, options = {}) => {
  const [baseUrl, path] = what in URLS ? [at(what), '/x'] : [web.origin, `/${what}`];
  const client = new Octokit({ baseUrl, log: { ...console, warn() {}, error() {} } });
  return client.request(`GET ${path}`, { request, ...options });
};
const elastic = (what, timeout = 1000) => {
  const connectionPool = new WeightedConnectionPool({ Connection: HttpConnection });
  connectionPool.addConnection(at(what in URLS ? what : ''));
  const request = { method: 'GET', path: what in URLS ? '/' : `/${what}` };
  return new Transport({ connectionPool, maxRetries: 0 }).request(request, { requestTimeout: timeout });
};
/** Its connections are undici's. */
const elasticsearch = (what, requestTimeout = 1000) =>
  new Elasticsearch({ node: at(what), maxRetries: 0, requestTimeout }).bulk({ operations: [{}] });
const sqs = (what, options) => {
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
  const client = new SQSClient({ region: 'x', endpoint: at(what), credentials, maxAttempts: 1 });
  return client.send(new ListQueuesCommand({}), options);
};
const mail = (port) =>
  nodemailer
    .createTransport({ host: '127.0.0.1', port, ignoreTLS: true, greetingTimeout: 200 })
    .sendMail({ from: 'a@x.invalid', to: 'b@x.invalid', text: 'x' });
/** An SMTP server that answers MAIL FROM, or greets, with this line. */
const smtp = (line, greets = false) =>
  serve((socket) => {
    socket.write(greets ? `${line}\r\n` : '220 x\r\n');
    socket.on('data', (data) => socket.write(/^MAIL/.test(data) ? `${line}\r\n` : '250 x\r\n'));
  });
const redis = async (port, options) => {
  const client = createClient({ socket: { host: '127.0.0.1', port, reconnectStrategy: false, ...options } });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.destroy();
  }
};

/** Answers of a Redis server to each command: this line to PING, OK to the others, or nothing to PING. */
const redisServer = (line) =>
  serve((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const pings = /ping/i.test(data);
      for (const _ of String(data)
        .match(/\*\d+\r\n/g)
        ?.slice(+pings) ?? [])
        socket.write('+OK\r\n');
      if (pings && line) socket.write(`-${line}\r\n`);
    });
  });
const replied = async (line, options) => redis(await redisServer(line), options);
const ioredis = async (line) => {
  const client = new Redis({ port: await redisServer(line), maxRetriesPerRequest: 0, enableReadyCheck: false });
  client.on('error', () => {});
  return client.ping().finally(() => client.disconnect());
};
const offline = async () => {
  const client = createClient({ socket: { port: refused, reconnectStrategy: () => 1000 }, disableOfflineQueue: true });
  client.on('error', () => {});
  client.connect().catch(() => {});
  return client.ping().finally(() => client.destroy());
};
const pooled = async () => {
  const socket = { port: await redisServer(), reconnectStrategy: false };
  const pool = createClientPool({ socket }, { minimum: 1, maximum: 1, acquireTimeout: 50 });
  pool.on('error', () => {});
  await pool.connect();
  pool.ping().catch(() => {});
  return pool.ping().finally(() => pool.destroy());
};
const kafka = async (port) => {
  const times = { connectionTimeout: 200, requestTimeout: 200, retry: { retries: 0 } };
  const producer = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING, ...times }).producer();
  return producer.connect().finally(() => producer.disconnect());
};
const gaxios = (what, options) => new Gaxios({ retry: false }).request({ url: at(what), ...options });
const dynamodb = (what) => {
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
  const client = new DynamoDBClient({ region: 'x', endpoint: at(what), credentials, maxAttempts: 1 });
  return client.send(new ListTablesCommand({}));
};
const silent = Object.fromEntries(
  'debug info warn error setLevel getLevel setName'.split(' ').map((name) => [name, () => {}]),
);
const slack = (what) => {
  const options = { rejectRateLimitedCalls: true, retryConfig: { retries: 0 }, logger: silent };
  return new WebClient('x', { slackApiUrl: `${at(what)}&a=`, ...options }).apiCall('auth.test');
};
const discord = (what) =>
  new REST({ api: at(what), retries: 0, rejectOnRateLimit: () => true }).setToken('x').get('/x', { versioned: false });
/** The answer of a server of ConnectRPC with this code, after so many ms. */
const connect = async (code, { headers = {}, takes = 0, ...options } = {}) => {
  const answer = (_, response) => {
    const send = () => {
      response.writeHead(503, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ code: code.replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase(), message: 'm' }));
    };
    setTimeout(send, takes);
  };
  const server = await onLoopback(createServer(answer));
  servers.push(server);
  const method = { name: 'X', localName: 'x', parent: { typeName: 'x.X' }, methodKind: 'unary', kind: 'rpc' };
  const { unary } = createConnectTransport({ baseUrl: server.origin, httpVersion: '1.1' });
  const { signal, timeoutMs } = options;
  return unary({ ...method, input: EmptySchema, output: EmptySchema }, signal, timeoutMs, undefined, {});
};
/** The answer of a server of gRPC with this code and these metadata. */
const grpc = (code, metadata) =>
  new Promise((done, failed) => {
    const server = new grpcJs.Server();
    const [toBytes, fromBytes] = [(value) => value, (value) => value];
    const types = {
      requestSerialize: toBytes,
      requestDeserialize: fromBytes,
      responseSerialize: toBytes,
      responseDeserialize: fromBytes,
    };
    const answer = (_, callback) =>
      callback({ code, details: 'says the server', metadata: grpcJs.Metadata.fromHttp2Headers(metadata) });
    server.addService({ x: { path: '/x/x', requestStream: false, responseStream: false, ...types } }, { x: answer });
    server.bindAsync('127.0.0.1:0', grpcJs.ServerCredentials.createInsecure(), (_, port) => {
      const client = new grpcJs.Client(`127.0.0.1:${port}`, grpcJs.credentials.createInsecure(), {
        'grpc.enable_retries': 0,
      });
      client.makeUnaryRequest('/x/x', toBytes, fromBytes, Buffer.alloc(0), (error) => {
        client.close();
        server.forceShutdown();
        if (error) failed(error);
        else done();
      });
    });
  });
/** A PostgreSQL server that answers with an error of this code. */
const pg = async (code) => {
  const fields = Buffer.from(`SFATAL\0C${code}\0Msays the server\0\0`);
  const message = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), fields]);
  message.writeInt32BE(fields.length + 4, 1);
  const client = new pgClient.Client({ host: '127.0.0.1', port: await serve((socket) => socket.end(message)) });
  client.on('error', () => {});
  return client.connect();
};
/** A MySQL server that greets with an error of this number. */
const mysql2 = async (number) => {
  const body = Buffer.from('\xff__#08004says the server', 'latin1');
  body.writeUInt16LE(number, 1);
  const message = Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body]);
  return mysql.createConnection({ host: '127.0.0.1', port: await serve((socket) => socket.end(message)) });
};
/** A model's service that answers with this body, and with status 200 by a stream of events. */
const model = (status, body) => async () => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = status === 200 ? 'text/event-stream' : 'application/json';
  return new Response(text, { status, headers: { 'content-type': type } });
};
const read = async (stream) => {
  for await (const _ of await stream);
};
const openaiOf = (...answer) => new OpenAI({ apiKey: 'x', maxRetries: 0, fetch: model(...answer) });
const openaiStream = (event) =>
  read(
    openaiOf(200, `data: ${JSON.stringify(event)}\n\n`).chat.completions.create({
      model: 'x',
      messages: [],
      stream: true,
    }),
  );
const anthropicStream = (type) => {
  const event = { type: 'error', error: { type, message: 'm' } };
  const fetch = model(200, `event: error\ndata: ${JSON.stringify(event)}\n\n`);
  const client = new Anthropic({ apiKey: 'x', maxRetries: 0, fetch });
  return read(client.messages.create({ model: 'x', max_tokens: 1, messages: [], stream: true }));
};

const FIELDS = (
  'name message code errno syscall status statusCode type responseCode errorCode $retryable $metadata details headers ' +
  'response $response responseHeaders metadata retryAfter errors cause detail original'
).split(' ');
const plain = (text) =>
  text
    .replace(/(127\.0\.0\.1:)\d+/g, '$11')
    .replace(/\b[0-9A-F]{12,}:error/g, '1:error')
    .slice(0, 200);
/** What classifiers read of an error, as JSON. Of a response, the status and the headers that ask for something. */
function dataOf(error, depth = 4) {
  if (typeof error === 'string') return plain(error);
  if (typeof error !== 'object' || error === null) return error;
  const data = {};
  for (const field of FIELDS) {
    const value = error[field];
    if (value === undefined || value === null || typeof value === 'function' || depth === 0) continue;
    if (field === 'headers') {
      const asked = Object.entries(value.entries ? Object.fromEntries(value) : value);
      data.headers = Object.fromEntries(asked.filter(([name]) => /should-retry|retry-after/.test(name)));
    } else if (/^\$?response$/.test(field)) {
      const { status, statusCode, headers } = dataOf(value, depth - 1);
      // That of the AWS SDK is of interest for what it asks.
      if (field === 'response' || Object.keys(headers ?? {}).length > 0) data[field] = { status, statusCode, headers };
    } else if (field === 'metadata') {
      const asked = Object.entries(value.toHttp2Headers?.() ?? Object.fromEntries(value));
      data.metadata = Object.fromEntries(asked.filter(([name]) => /retry/.test(name)));
    } else if (field === '$metadata') data.$metadata = { httpStatusCode: value.httpStatusCode };
    else if (field === 'errors') data.errors = Array.from(value, (each) => dataOf(each, depth - 1));
    else data[field] = dataOf(value, depth - 1);
  }
  return data;
}

/** The functions that rows call, by their names in the rows. */
const SCOPE = {
  ...{
    openai,
    anthropic,
    stripe,
    octokit,
    elastic,
    elasticsearch,
    mail,
    smtp,
    redis,
    nodeFetch,
    sqs,
    axios,
    got,
    undici,
  },
  ...{ replied, ioredis, offline, pooled, kafka, gaxios, dynamodb, slack, discord, connect, grpc, pg, mysql2, ky },
  ...{ openaiOf, openaiStream, anthropicStream },
  ...{ at, aborted, refused, dropping, hanging, long },
  undici8: isNewer && (await import('undici-8')),
};

const text = readFileSync(FILE, 'utf8');
const { real } = JSON.parse(text);
for (const row of real.filter(({ how }) => NEWER.test(how) === isNewer)) {
  const fail = new Function(...Object.keys(SCOPE), `return (async () => ${row.how})();`);
  row.error = await fail(...Object.values(SCOPE)).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (row.error === undefined || row.error instanceof ReferenceError)
    throw new Error(`${row.client}, ${row.what}: ${row.error ?? 'did not fail'}`);
  row.error = dataOf(row.error);
}
if (isNewer) {
  console.log(JSON.stringify(real.filter(({ how }) => NEWER.test(how)).map(({ error }) => error)));
  process.exit();
}
const newer = await nodes(inTarget('hosts'))(24);
const errors = JSON.parse(execFileSync(newer, [import.meta.filename, '--newer'], { encoding: 'utf8' }));
for (const row of real) {
  const [name] = row.client.split(' ');
  const key = NEWER.test(row.how) ? `${name}-8` : name;
  if (NEWER.test(row.how)) row.error = errors.shift();
  if (devDependencies[key] === undefined) throw new Error(`${key} is not in package.json`);
  row.client = `${name} ${devDependencies[key].replace(/^npm:.*@/, '')}`;
}
for (const { close } of servers) await close();
const rows = real.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
writeFileSync(
  FILE,
  text
    .replace(/(?<="ran": ")[^"]*/, new Date().toISOString().slice(0, 10))
    .replace(/(?<="real": \[\n)[^]*?(?=\n {2}\])/, () => rows),
);
console.log(`${real.length} rows of real clients`);
process.exit();
