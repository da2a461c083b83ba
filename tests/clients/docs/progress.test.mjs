// The programs of the guide for event streams, uploads and batches, with the clients and the servers of others, which
// break in the middle: nothing is lost, nothing that was gained is done again, and what gains nothing counts.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { CreateTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
} from '@aws-sdk/client-kinesis';
import { SQSClient } from '@aws-sdk/client-sqs';
import { Client } from '@elastic/elasticsearch';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

import { onLoopback } from '../../package/lib/loopback.mjs';
import { withGlobals } from '../../package/lib/clock.mjs';
import { importPackage } from '../../package/lib/consumer.mjs';
import { breaking, headOf, wire } from '../lib/breaks.mjs';
import { importProgram } from '../lib/programs.mjs';
import { dynamoDB, elasticsearch, kinesis, sqs } from '../lib/services.mjs';

const { retryReport } = await importPackage();

/** Waits take a hundredth of their time. Limits of time are not reached, unless `silence()` says that they are. */
const { setTimeout: real } = globalThis;
const { now } = performance;
const LIMITS_FROM_MS = 20_000;
function shortWaits() {
  let passedMs = 0;
  const held = new Map();
  const setTimeout = (callback, ms, ...args) => {
    if (!(ms >= LIMITS_FROM_MS)) return real(callback, ms / 100, ...args);
    const handle = real(() => {}, 2 ** 30);
    handle.unref();
    held.set(handle, { dueAt: performance.now() + ms, fire: () => callback(...args) });
    return handle;
  };
  const { clearTimeout: clear } = globalThis;
  const clearTimeout = (handle) => {
    held.delete(handle);
    clear(handle);
  };
  /** So much time passes at once. */
  const silence = (ms) => {
    passedMs += ms;
    for (const [handle, { dueAt, fire }] of [...held]) {
      if (dueAt > performance.now()) continue;
      clearTimeout(handle);
      fire();
    }
  };
  performance.now = () => now.call(performance) + passedMs;
  return { globals: { setTimeout, clearTimeout }, silence };
}

/** Runs a body with short waits; it gets `silence`. */
async function short(body) {
  const { globals, silence } = shortWaits();
  try {
    return await withGlobals(globals, () => body(silence));
  } finally {
    performance.now = now;
  }
}

// Events.

const { follow } = await importProgram('last-event-id');
const EVENTS = Array.from({ length: 20 }, (_, i) => `id: ${i + 1}\ndata: line ${i + 1}\n\n`);
const LINES = EVENTS.map((_, i) => `line ${i + 1}`);
const END = 'event: done\n\n';
const log = await breaking(({ headers }) => {
  const events = EVENTS.slice(Number(headers['last-event-id'] ?? 0));
  return { headers: { 'content-type': 'text/event-stream' }, body: events.join('') + END };
});
after(log.close);

/** Follows the stream while it breaks so. */
async function followed(breaks) {
  log.reset(breaks);
  const handled = [];
  const error = await short(() => follow(log.origin, (data) => handled.push(data))).catch((thrown) => thrown);
  return { handled, error, requests: log.requests.length };
}

test('last-event-id: wherever the stream breaks, each event is handled once', async () => {
  const whole = wire({ headers: { 'content-type': 'text/event-stream' }, body: EVENTS.join('') + END });
  for (let cut = 0; cut < headOf(whole) + 3 * EVENTS[0].length; cut += 7) {
    const { handled, error, requests } = await followed([() => cut]);
    assert.deepEqual([handled, error, requests], [LINES, undefined, 2], `cut after ${cut}`);
  }
});

test('last-event-id: attempts that got an event do not count, those that got none do', async () => {
  const oneMore = (bytes) => bytes.indexOf('\n\n', headOf(bytes) + 8) + 2;
  const each = await followed(Array(EVENTS.length).fill(oneMore));
  assert.deepEqual([each.handled, each.error, each.requests], [LINES, undefined, EVENTS.length + 1]);
  const none = await followed([oneMore, ...Array(9).fill(headOf)]);
  assert.equal(retryReport(none.error).reason, 'exhausted');
  // The first one was not counted; it is the first of a new row.
  assert.deepEqual([none.handled, none.requests], [LINES.slice(0, 1), 6]);
});

// Uploads.

const { upload } = await importProgram('upload');
const directory = mkdtempSync(join(tmpdir(), 'rejitter-tus-'));
after(() => rmSync(directory, { recursive: true }));
const tus = new Server({ path: '/files', datastore: new FileStore({ directory }) });

/** The fates of the requests that upload, in turn. */
let uploads = [];
let sent = [];
let stalled = () => {};
const CHUNK = 8_000_000;
const tusServer = await onLoopback(
  createServer((request, response) => {
    const { method, headers, socket } = request;
    sent.push(`${method} ${headers['upload-offset'] ?? ''}`.trim());
    const how = method === 'PATCH' ? uploads.shift() : undefined;
    if (how === 'refused' || how === 'locked') {
      request.resume().once('end', () => response.writeHead(how === 'locked' ? 423 : 503).end());
      return;
    }
    if (how === 'stalled') {
      request.pause();
      return void stalled();
    }
    if (how === 'cut') {
      let read = 0;
      request.on('data', ({ length }) => (read += length) > CHUNK / 4 && socket.destroy());
    }
    // The server has the chunk, and the client does not hear of it.
    if (how === 'lost') response.writeHead = () => void socket.destroy();
    return tus.handle(request, response);
  }),
);
after(tusServer.close);

const FILE = Buffer.from(Array.from({ length: 3 * CHUNK }, (_, i) => i % 251));
async function uploaded(...how) {
  [uploads, sent] = [how, []];
  const url = await short((silence) => {
    stalled = () => silence(30_001);
    return upload(FILE, `${tusServer.origin}/files`);
  });
  const id = new URL(url).pathname.split('/').at(-1);
  assert.ok(readFileSync(join(directory, id)).equals(FILE));
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
  return sent;
}

test('upload: it goes on where the server is, whatever breaks', async () => {
  const chunks = [0, 1, 2].map((i) => `PATCH ${i * CHUNK}`);
  assert.deepEqual(await uploaded(), ['POST', ...chunks]);
  for (const how of ['refused', 'locked', 'stalled', 'cut', 'lost']) {
    const requests = await uploaded(undefined, how);
    assert.deepEqual(requests.slice(0, 4), ['POST', chunks[0], chunks[1], 'HEAD'], how);
    assert.equal(requests.filter((line) => line === 'POST').length, 1, how);
    const [from] = requests.slice(4).map((line) => Number(line.split(' ')[1]));
    // The part of the second chunk that the server has is not sent again.
    if (how === 'lost') assert.equal(from, 2 * CHUNK);
    else assert.ok(from >= CHUNK && from < 2 * CHUNK, `${how}: ${from}`);
  }
});

test('upload: a chunk that arrived starts the row of attempts again', async () => {
  const refused = Array(4).fill('refused');
  const requests = await uploaded(...refused, undefined, ...refused, undefined, ...refused);
  assert.equal(requests.filter((line) => line === 'HEAD').length, 12);
  await assert.rejects(uploaded(undefined, ...Array(9).fill('refused')), /503/);
  assert.equal(sent.filter((line) => line === `PATCH ${CHUNK}`).length, 6);
});

// Batches.

const { toDynamoDB, toElasticsearch, toKinesis, toSQS } = await importProgram('batches', {}, 'batch');
const OPTIONS = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' }, maxAttempts: 1 };

/** Starts a service. */
async function started(start, client) {
  const service = await start();
  after(service.close);
  return { ...service, client: client(service.front.origin) };
}

/**
 * Sends the entries while the service takes so many of each request. Resolves with the sizes of the requests, and how
 * it ended.
 */
async function sends({ front, client }, send, takes) {
  front.reset(takes);
  const outcome = await short(() => send(client)).then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  return { sizes: front.sizes, ...outcome };
}

/** All that a service may do with batches, and how many requests that makes of `count` entries, `size` at once. */
function requestsOf(takes, count, size) {
  const sizes = [];
  const rest = [...takes];
  for (let left = count; left > 0; ) {
    const part = Math.min(size, left);
    const take = rest.shift() ?? part;
    sizes.push(part);
    if (typeof take === 'number') left -= Math.min(take, part);
  }
  return sizes;
}

const MANY = Array(12).fill(1);
const TAKES = [[], [3], [0, 0, 0, 0, 4, 0, 0, 0, 0, 5], MANY, ['refuses', 2, 'refuses'], ['lost', 'refuses']];

test('DynamoDB: all items are in the table, and only what was not taken is sent again', async () => {
  const started_ = await started(dynamoDB, (endpoint) => new DynamoDBClient({ ...OPTIONS, endpoint }));
  const { client } = started_;
  for (const [n, takes] of TAKES.entries()) {
    const TableName = `items-${n}`;
    const key = { AttributeName: 'id' };
    await client.send(
      new CreateTableCommand({
        TableName,
        KeySchema: [{ ...key, KeyType: 'HASH' }],
        AttributeDefinitions: [{ ...key, AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    const items = Array.from({ length: 60 }, (_, i) => ({ id: { S: `${i}` } }));
    const { sizes, error } = await sends(started_, () => toDynamoDB(client, TableName, items), takes);
    assert.deepEqual([error, sizes], [undefined, requestsOf(takes, 60, 25)], `${takes}`);
    const { Items } = await client.send(new ScanCommand({ TableName }));
    assert.deepEqual(new Set(Items.map(({ id }) => id.S)), new Set(items.map(({ id }) => id.S)));
  }
  const items = [{ id: { S: 'x' } }];
  const none = await sends(started_, () => toDynamoDB(client, 'items-0', items), Array(9).fill(0));
  assert.deepEqual([retryReport(none.error).reason, none.sizes.length], ['exhausted', 6]);
});

test('Kinesis: all records are in the stream, once but for lost answers', async () => {
  const started_ = await started(kinesis, (endpoint) => new KinesisClient({ ...OPTIONS, endpoint }));
  const { client } = started_;
  for (const [n, takes] of TAKES.entries()) {
    const StreamName = `events-${n}`;
    await client.send(new CreateStreamCommand({ StreamName, ShardCount: 1 }));
    const names = Array.from({ length: 600 }, (_, i) => `${i}`);
    const records = names.map((name) => ({ Data: Buffer.from(name), PartitionKey: 'p' }));
    const { sizes, error } = await sends(started_, () => toKinesis(client, StreamName, records), takes);
    assert.deepEqual([error, sizes], [undefined, requestsOf(takes, 600, 500)], `${takes}`);
    const shard = { StreamName, ShardId: 'shardId-000000000000', ShardIteratorType: 'TRIM_HORIZON' };
    const { ShardIterator } = await client.send(new GetShardIteratorCommand(shard));
    const { Records } = await client.send(new GetRecordsCommand({ ShardIterator }));
    const stored = Records.map(({ Data }) => Buffer.from(Data).toString());
    assert.deepEqual(new Set(stored), new Set(names));
    assert.equal(stored.length, 600 + (takes.includes('lost') ? 500 : 0));
  }
  client.destroy();
});

test('SQS: all messages are sent but those that it rejects for good', async () => {
  const started_ = await started(sqs, (endpoint) => new SQSClient({ ...OPTIONS, endpoint }));
  for (const takes of TAKES) {
    started_.kept.length = 0;
    const messages = Array.from({ length: 35 }, (_, i) => (i % 9 === 4 ? `bad ${i}` : `good ${i}`));
    const send = (client) => toSQS(client, `${started_.front.origin}/1/queue`, messages);
    const { value, error } = await sends(started_, send, takes);
    assert.equal(error, undefined, `${takes}`);
    const [bad, good] = ['bad', 'good'].map((word) => messages.filter((text) => text.startsWith(word)));
    assert.deepEqual([new Set(value), new Set(started_.kept)], [new Set(bad), new Set(good)], `${takes}`);
    assert.equal(started_.kept.length, good.length + (takes.includes('lost') ? 9 : 0), `${takes}`);
  }
});

test('Elasticsearch: all documents are indexed but those that do not fit', async () => {
  const started_ = await started(elasticsearch, (node) => new Client({ node, maxRetries: 0 }));
  for (const takes of TAKES) {
    started_.kept.clear();
    const documents = Array.from({ length: 1200 }, (_, i) => ({ id: `${i}`, bad: i % 100 === 7 }));
    const { value, error } = await sends(started_, (client) => toElasticsearch(client, 'logs', documents), takes);
    assert.equal(error, undefined, `${takes}`);
    const [bad, good] = [true, false].map((is) => documents.filter((document) => document.bad === is));
    assert.deepEqual(new Set(value.map(({ id }) => id)), new Set(bad.map(({ id }) => id)));
    assert.deepEqual([...started_.kept.keys()].sort(), good.map(({ id }) => id).sort());
    if (!takes.includes('lost')) assert.deepEqual(new Set(started_.kept.values()), new Set([1]), `${takes}`);
  }
});
