// Writes the rows "real" of tests/vectors/failures.json: runs real clients at servers on loopback that fail as a row
// says, and keeps what classifiers read of their errors. Ports and addresses in memory are written as 1. Run it after a
// change of a client's version, and read the difference:
//
//   node tests/package/engine/failures/write.mjs

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import http2 from 'node:http2';
import { createRequire } from 'node:module';
import net from 'node:net';
import { Readable, pipeline } from 'node:stream';
import vm from 'node:vm';

import Anthropic from '@anthropic-ai/sdk';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { HttpConnection, Transport, WeightedConnectionPool } from '@elastic/transport';
import { Octokit } from '@octokit/core';
import { createClient } from '@redis/client';
import axios from 'axios';
import got from 'got';
import nodeFetch from 'node-fetch';
import nodemailer from 'nodemailer';
import OpenAI from 'openai';
import Stripe from 'stripe';
import * as undici from 'undici';

import { onLoopback } from '../../../../www/demo/lib/loopback.mjs';

const FILE = new URL('../../../vectors/failures.json', import.meta.url);
const require = createRequire(import.meta.url);
const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

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
const URLS = { refused, dropping, hanging };
const at = (what) => (what in URLS ? `http://127.0.0.1:${URLS[what]}` : `${web.origin}/${what}`);
const aborted = AbortSignal.abort();

const sdk = (Client) => (what, options, timeout) =>
  new Client({
    apiKey: 'x',
    baseURL: at('refused'),
    maxRetries: 0,
    timeout,
    fetch: (_, init) => fetch(at(what), init),
  }).get('/x', options);
const openai = sdk(OpenAI);
const anthropic = sdk(Anthropic);
const stripe = (what, timeout = 1000) => {
  // A path of its own: the client knows its server's alone.
  const httpClient = what.includes('?') && Stripe.createFetchHttpClient((_, init) => fetch(at(what), init));
  const port = URLS[what] ?? web.port;
  const options = { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0, timeout };
  return new Stripe('sk_test_x', { ...options, ...(httpClient && { httpClient }) }).customers.list();
};
const octokit = (what, request = {}, options = {}) =>
  new Octokit({ baseUrl: what in URLS ? at(what) : web.origin, log: { ...console, warn() {}, error() {} } }).request(
    `GET ${what in URLS ? '/x' : `/${what}`}`,
    { request, ...options },
  );
const elastic = (what, timeout = 1000) => {
  const pool = new WeightedConnectionPool({ Connection: HttpConnection });
  pool.addConnection(at(what in URLS ? what : ''));
  const path = what in URLS ? '/' : `/${what}`;
  return new Transport({ connectionPool: pool, maxRetries: 0 }).request(
    { method: 'GET', path },
    { requestTimeout: timeout },
  );
};
const sqs = (what, options) => {
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
  return new SQSClient({ region: 'x', endpoint: at(what), credentials, maxAttempts: 1 }).send(
    new ListQueuesCommand({}),
    options,
  );
};
const aws = (name, status = 400) => [name, () => sqs(`${status}/${name}`)];
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
/** A stream of HTTP/2 that the server ends so. */
async function stream(end) {
  const server = http2
    .createServer()
    .on('stream', end)
    .on('sessionError', () => {});
  const { port, close } = await onLoopback(server);
  const session = http2.connect(`http://127.0.0.1:${port}`).on('error', () => {});
  const request = session.request({ ':path': '/' });
  try {
    await once(request, 'response').then(() => once(request, 'end'));
  } finally {
    session.destroy();
    await close();
  }
}
const closedBy = (code) => () => stream((it) => it.on('error', () => {}).close(code));
const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_PROTOCOL_ERROR } =
  http2.constants;
async function overDestroyedSession() {
  const { port, close } = await onLoopback(http2.createServer());
  const session = http2.connect(`http://127.0.0.1:${port}`).on('error', () => {});
  session.destroy();
  await close();
  session.request({ ':path': '/' });
}
const cut = () =>
  new Promise((_, fail) => {
    const source = new Readable({ read() {} });
    pipeline(
      source,
      async (data) => {
        for await (const each of data) String(each);
      },
      fail,
    );
    source.destroy();
  });

/**
 * By client: what fails, how, and whether isTransientError and createFetch, whose inner fetch fails so, try again. A
 * third value is for both.
 */
const ROWS = {
  openai: [
    ['refused', () => openai('refused'), true],
    ['dropped', () => openai('dropping'), true],
    ['its own timeout', () => openai('hanging', {}, 20), true],
    ['an abort', () => openai('200', { signal: aborted }), false],
    ['503', () => openai('503'), true, false],
    ['no quota', () => openai('429?x-should-retry=false'), false],
    ['400', () => openai('400'), false],
    ['409, which the server wants again', () => openai('409?x-should-retry=true'), true, false],
  ],
  '@anthropic-ai/sdk': [
    ['its own timeout', () => anthropic('hanging', {}, 20), true],
    ['overloaded', () => anthropic('529'), true, false],
    ['an abort', () => anthropic('200', { signal: aborted }), false],
    ['413', () => anthropic('413'), false],
  ],
  stripe: [
    ['refused', () => stripe('refused'), true],
    ['dropped', () => stripe('dropping'), true],
    ['its own timeout', () => stripe('hanging', 20), true],
    ['429', () => stripe('429?a=b'), true, false],
    ['a key in use', () => stripe('409?stripe-should-retry=true'), true, false],
    ['429 for good', () => stripe('429?stripe-should-retry=false'), false],
    ['402', () => stripe('402?a=b'), false],
  ],
  '@octokit/core': [
    ['refused', () => octokit('refused'), true],
    ['dropped', () => octokit('dropping'), true],
    ['503', () => octokit('503'), true, false],
    ['a secondary rate limit', () => octokit('403?retry-after=60'), true, false],
    ['an abort', () => octokit('200', { signal: aborted }), false],
    ['a bug in its fetch', () => octokit('200', { fetch: () => undefined.x }), false],
    ['an invalid header', () => octokit('200', {}, { headers: { 'x-a': 'b\nc' } }), false],
    ['403', () => octokit('403'), false],
    ['403 with a wait of nothing', () => octokit('403?retry-after=0'), false],
    ['404', () => octokit('404'), false],
  ],
  '@elastic/transport': [
    ['refused', () => elastic('refused'), true],
    ['dropped', () => elastic('dropping'), true],
    ['its own timeout', () => elastic('hanging', 20), true],
    ['503', () => elastic('503'), true, false],
    ['400', () => elastic('400'), false],
  ],
  nodemailer: [
    ['refused', () => mail(refused), true],
    ['a server that is stopping', async () => mail(await smtp('421 try later', true)), true, false],
    ['a grey list', async () => mail(await smtp('451 try later')), true, false],
    ['no such mailbox', async () => mail(await smtp('550 no such user')), false],
    ['no greeting', () => mail(hanging), true],
  ],
  '@redis/client': [
    ['refused', () => redis(refused), true],
    ['dropped', () => redis(dropping), true, false],
  ],
  'node-fetch': [
    ['refused', () => nodeFetch(at('refused')), true],
    ['dropped', () => nodeFetch(at('dropping')), true],
    ['its own timeout', () => nodeFetch(at('hanging'), { timeout: 20 }), true],
    ['an abort', () => nodeFetch(at('200'), { signal: aborted }), false],
    ['an unknown scheme', () => nodeFetch('none://x'), false],
    ['a body that is too large', () => nodeFetch(at('200'), { size: 1 }).then((response) => response.text()), false],
  ],
  '@aws-sdk/client-sqs': [
    ...[
      'ThrottlingException',
      'SlowDown',
      'TransactionInProgressException',
      'PriorRequestNotComplete',
      'RequestTimeout',
    ].map((name) => [...aws(name), true, false]),
    ...['LimitExceededException', 'BandwidthLimitExceeded', 'TooManyRequestsException', 'EC2ThrottledException'].map(
      (name) => [...aws(name), true, false],
    ),
    ...['ValidationException', 'QueueDoesNotExist', 'ServiceQuotaExceededException', 'OverLimit'].map((name) => [
      ...aws(name),
      false,
    ]),
    [...aws('AccessDenied', 403), false],
    ['refused', () => sqs('refused'), true],
    ['an abort', () => sqs('200', { abortSignal: aborted }), false],
  ],
  axios: [
    ['its own timeout', () => axios.get(at('hanging'), { timeout: 20 }), true],
    ['403 with a wait', () => axios.get(at('403?retry-after=5')), true, false],
    ['413 without', () => axios.get(at('413')), false],
    ['an abort', () => axios.get(at('200'), { signal: aborted }), false],
  ],
  got: [
    ['413 with a wait', () => got(at('413?retry-after=5'), { retry: { limit: 0 } }), true, false],
    ['its own timeout', () => got(at('hanging'), { retry: { limit: 0 }, timeout: { request: 20 } }), true],
    ['403 without a wait', () => got(at('403'), { retry: { limit: 0 } }), false],
  ],
  undici: [
    ['refused', () => undici.fetch(at('refused')), true],
    ['headers that are too large', () => undici.fetch(`http://127.0.0.1:${long}`), false],
    ['a wrong integrity', () => undici.fetch(at('200'), { integrity: `sha256-${'A'.repeat(43)}=` }), false],
    ['file:', () => undici.fetch('file:///x'), false],
  ],
  Node: [
    ['a stream that the server resets: REFUSED_STREAM', closedBy(NGHTTP2_REFUSED_STREAM), true],
    ['a stream that the server resets: INTERNAL_ERROR', closedBy(NGHTTP2_INTERNAL_ERROR), true],
    ['a stream that the server resets: ENHANCE_YOUR_CALM', closedBy(NGHTTP2_ENHANCE_YOUR_CALM), true],
    ['a stream that the server resets: PROTOCOL_ERROR', closedBy(NGHTTP2_PROTOCOL_ERROR), false],
    [
      'a session that ends: INTERNAL_ERROR',
      () =>
        stream((it) => {
          it.session.goaway(2);
          setImmediate(() => it.session.destroy());
        }),
      true,
    ],
    ['a session that is over', overDestroyedSession, true],
    ['a stream that ends early', cut, true],
    ["a script's own timeout", async () => vm.runInNewContext('for (;;);', {}, { timeout: 5 }), false],
  ],
};

const FIELDS = (
  'name message code errno syscall status statusCode type responseCode errorCode $retryable $metadata details headers ' +
  'response errors cause detail original'
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
    } else if (field === 'response') {
      const { status, statusCode, headers } = dataOf(value, depth - 1);
      data.response = { status, statusCode, headers };
    } else if (field === '$metadata') data.$metadata = { httpStatusCode: value.httpStatusCode };
    else if (field === 'errors') data.errors = Array.from(value, (each) => dataOf(each, depth - 1));
    else data[field] = dataOf(value, depth - 1);
  }
  return data;
}

const real = [];
for (const [client, rows] of Object.entries(ROWS)) {
  const version = client === 'Node' ? process.version.replace(/\..*/, '') : devDependencies[client];
  if (version === undefined) throw new Error(`${client} is not in package.json`);
  if (client !== 'Node' && client !== 'got') require.resolve(client);
  for (const [what, fail, transient, fetch = transient] of rows) {
    const error = await fail().then(
      () => undefined,
      (thrown) => thrown,
    );
    if (error === undefined) throw new Error(`${client}, ${what}: did not fail`);
    real.push({ client: `${client} ${version}`, what, transient, fetch, error: dataOf(error) });
  }
}
for (const { close } of servers) await close();
const { made } = JSON.parse(readFileSync(FILE, 'utf8'));
const lines = (rows) => rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
writeFileSync(FILE, `{\n  "real": [\n${lines(real)}\n  ],\n  "made": [\n${lines(made)}\n  ]\n}\n`);
console.log(`${real.length} rows of real clients`);
process.exit();
