// Writes the errors of the rows "real" of tests/vectors/failures.json: runs real clients at servers on loopback, as the
// row says in `how`, and keeps what classifiers read of their errors. Ports and addresses in memory are written as 1.
// Run it for a new row, and after a change of a client's version, and read the difference:
//
//   node tests/clients/failures/write.mjs

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import net from 'node:net';

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

import { onLoopback } from '../../../www/demo/lib/loopback.mjs';

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

/** The functions that rows call, by their names in the rows. */
const SCOPE = {
  ...{ openai, anthropic, stripe, octokit, elastic, mail, smtp, redis, nodeFetch, sqs, axios, got, undici },
  ...{ at, aborted, refused, dropping, hanging, long },
};

const text = readFileSync(FILE, 'utf8');
const { real } = JSON.parse(text);
for (const row of real) {
  const [name] = row.client.split(' ');
  const version = devDependencies[name];
  if (version === undefined) throw new Error(`${name} is not in package.json`);
  row.client = `${name} ${version}`;
  const fail = new Function(...Object.keys(SCOPE), `return (async () => ${row.how})();`);
  row.error = await fail(...Object.values(SCOPE)).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (row.error === undefined || row.error instanceof ReferenceError)
    throw new Error(`${row.client}, ${row.what}: ${row.error ?? 'did not fail'}`);
  row.error = dataOf(row.error);
}
for (const { close } of servers) await close();
const rows = real.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
writeFileSync(
  FILE,
  text.replace(/(?<="real": \[\n)[^]*?(?=\n {2}\])/, () => rows),
);
console.log(`${real.length} rows of real clients`);
process.exit();
