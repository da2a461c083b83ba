// The guide's WebSocket and event stream, on real servers that misbehave. Times are scaled down; none is an upper
// bound.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { after, test } from 'node:test';

import { WebSocket, WebSocketServer } from 'ws';

import { onLoopback } from '../../package/lib/loopback.mjs';
import { until } from '../../package/lib/until.mjs';
import { importPackage } from '../../package/lib/consumer.mjs';
import { kept, programOf } from './kept.mjs';

globalThis.WebSocket = WebSocket;
const { TimeoutError } = await importPackage();
const [keepSocket, keepEvents] = [await programOf('websocket'), await programOf('events')];

const closers = [];
after(() => Promise.all(closers.map((close) => close())));
const ignore = () => {};

/** A server on loopback. Returns its port and its open sockets, together with `found`. */
async function listening(server, found) {
  const { port, sockets: open, close } = await onLoopback(server);
  closers.push(close);
  return Object.assign(found, { open, port });
}

/** A server of WebSockets behind TCP, which counts what arrives there. `serve(socket, n)` gets each that is open. */
async function sockets(serve = ignore, accept = (socket, web) => web.emit('connection', socket)) {
  const web = createServer();
  const found = { attempts: 0, connections: 0 };
  new WebSocketServer({ server: web }).on('connection', (socket) => {
    socket.on('message', (data) => {
      if (`${data}` === 'token') socket.send('welcome');
      if (`${data}` === 'ping') socket.send('pong');
    });
    serve(socket, ++found.connections);
  });
  const front = createTcpServer((socket) => {
    found.attempts++;
    accept(socket, web);
  });
  return listening(front, found);
}

/** A server of events. `requests`: when each came, and the id that it had. */
async function events(answer) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push({ at: performance.now(), lastId: request.headers['last-event-id'] });
    answer(response, requests.length);
  });
  return listening(server, { requests });
}

/** Keeps a socket or a stream until `enough`; then nothing of it may be left at the server. */
async function keeping(server, enough, { handle = ignore, silenceMs, ...own } = {}) {
  const start = (options) => {
    const all = { ...options, ...own };
    if (server.requests) return keepEvents(`http://127.0.0.1:${server.port}`, handle, all, silenceMs);
    return keepSocket(`ws://127.0.0.1:${server.port}`, handle, all, silenceMs);
  };
  const seen = await kept(start, (so) => until('it is enough', () => enough(so)));
  await until('the server has no sockets', () => server.open.size === 0);
  return seen;
}

/** How a connection ends by itself. */
const endOf = (keep, { port }) => keep(`${keep === keepSocket ? 'ws' : 'http'}://127.0.0.1:${port}`, ignore);

test('messages, and a connection that is lost', async () => {
  const server = await sockets((socket, n) =>
    socket.on('message', (data) => {
      if (`${data}` === 'token') socket.send(`hello ${n}`);
      if (`${data}` === 'bye') socket.terminate();
    }),
  );
  const heard = [];
  const handle = (text, send) => heard.push(text) < 3 && send('bye');
  const { report } = await keeping(server, () => heard.length === 3, { handle });
  assert.deepEqual(heard, ['hello 1', 'hello 2', 'hello 3']);
  assert.deepEqual([report.attempts, report.connections, server.attempts], [3, 3, 3]);
});

test('a handshake that hangs is cut, and ends no process', async () => {
  const server = await sockets(ignore, (socket) => socket.resume());
  const { open, ends } = await keeping(server, ({ ends }) => ends.length >= 3, { connectTimeoutMs: 30 });
  assert.ok(open === 0 && ends.every((error) => error instanceof TimeoutError));
});

test('a half-open connection is found dead', async () => {
  const paused = [];
  const server = await sockets(ignore, (socket, web) => {
    web.emit('connection', socket);
    // Nothing is read any more, and nothing is closed.
    setTimeout(() => paused.push(socket.pause().removeAllListeners('data')), 30);
  });
  let attempts = Infinity;
  const enough = ({ ends }) => {
    const dead = ends.some((error) => /nothing was heard for 100 ms/.test(error.message));
    if (dead) attempts = Math.min(attempts, server.attempts);
    // The server would never see their end.
    if (server.attempts > attempts) for (const socket of server.open) socket.destroy();
    return server.attempts > attempts;
  };
  const { ends } = await keeping(server, enough, { silenceMs: 100 });
  assert.ok(paused.length > 0 && ends[0] instanceof TimeoutError);
});

for (const code of [1011, 1000])
  test(`a server that accepts and closes with ${code} is tried again, later and later`, async () => {
    const server = await sockets((socket) => socket.on('message', () => setImmediate(() => socket.close(code, 'no'))));
    const { ends, attempts } = await keeping(server, ({ ends }) => ends.length >= 5);
    assert.deepEqual([ends[0].code, attempts.slice(0, 5)], [code, [1, 2, 3, 4, 5]]);
  });

test('1,000 sockets dropped at once are all back, each once', async () => {
  const server = await sockets();
  const controller = new AbortController();
  let open = 0;
  const options = { baseMs: 500, capMs: 2000, connectTimeoutMs: 60_000, signal: controller.signal };
  const counting = { ...options, onOpen: () => open++, onFailure: () => open-- };
  const url = `ws://127.0.0.1:${server.port}`;
  const all = Array.from({ length: 1000 }, () => keepSocket(url, ignore, counting));
  await until('all are open', () => open === 1000);
  for (const socket of server.open) socket.resetAndDestroy();
  await until('all are dropped', () => open < 1000);
  await until('all are back', () => open === 1000 && server.open.size === 1000);
  controller.abort();
  assert.ok((await Promise.all(all)).every(({ connections }) => connections === 2));
  await until('none is left', () => server.open.size === 0);
});

const STREAM = { 'content-type': 'text/event-stream', connection: 'close' };
const streams = (text) => events((response) => response.writeHead(200, STREAM).end(text));
/** How long the second request was after the first. */
const gap = ({ requests }) => requests[1].at - requests[0].at;

for (const status of [503, 429])
  test(`events: Retry-After of a ${status} is a lower bound`, async () => {
    const heard = [];
    const server = await events((response, n) => {
      if (n === 1) response.writeHead(status, { 'retry-after': '1', connection: 'close' }).end();
      else response.writeHead(200, STREAM).write('event: news\ndata: a\ndata: b\n\n');
    });
    await keeping(server, () => heard.length > 0, { handle: (...event) => heard.push(event) });
    assert.deepEqual(heard, [['a\nb', 'news']]);
    assert.ok(gap(server) >= 999, `${gap(server)} ms`);
  });

test('what ends it, with one socket or request: 4401, a status of 401, and, without an error, 204', async () => {
  const refusing = await sockets((socket) => socket.on('message', () => socket.close(4401, 'who are you?')));
  await assert.rejects(endOf(keepSocket, refusing), { code: 4401, reason: 'who are you?' });
  assert.equal(refusing.attempts, 1);
  const [denied, done] = await Promise.all([401, 204].map((status) => events((r) => r.writeHead(status).end())));
  await assert.rejects(endOf(keepEvents, denied), { status: 401 });
  assert.equal((await endOf(keepEvents, done)).reason, 'finished');
  assert.deepEqual([denied.requests.length, done.requests.length], [1, 1]);
});

test('events: retry: 0 makes no tight loop', async () => {
  const server = await streams('retry: 0\ndata: a\n\n');
  const { delays } = await keeping(server, ({ delays }) => delays.length >= 5, { jitter: 'none' });
  assert.deepEqual(delays.slice(0, 5), [10, 20, 40, 50, 50]);
});

test('events: silence after the headers ends it', async () => {
  const server = await events((response) => response.writeHead(200, STREAM).write(': hi\n\n'));
  const { ends } = await keeping(server, () => server.requests.length > 1, { silenceMs: 100 });
  assert.match(ends[0].message, /nothing was heard for 100 ms/);
});
