// The guide's WebSocket and event stream, on real servers that misbehave. Times are scaled down; none is an upper bound.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { after, test } from 'node:test';

import { WebSocket, WebSocketServer } from 'ws';

import { onLoopback } from '../../../www/demo/lib/loopback.mjs';
import { until } from '../../../www/demo/lib/until.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { checkPrograms, importProgram } from '../lib/programs.mjs';

globalThis.WebSocket = WebSocket;
const { TimeoutError } = await importPackage();
const { keepSocket } = await importProgram('websocket');
const { keepEvents } = await importProgram('events');

const WAITS = { baseMs: 10, capMs: 50 };
const closers = [];
after(() => Promise.all(closers.map((close) => close())));

/** A server of WebSockets behind TCP, which counts what arrives there. `serve(socket, n)` gets each that is open. */
async function sockets(serve, accept = (socket, web) => web.emit('connection', socket)) {
  const web = createServer();
  const server = new WebSocketServer({ server: web });
  const found = { attempts: 0, connections: 0 };
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      if (`${data}` === 'token') socket.send('welcome');
      if (`${data}` === 'ping') socket.send('pong');
    });
    serve?.(socket, ++found.connections);
  });
  const front = createTcpServer((socket) => {
    found.attempts++;
    accept(socket, web);
  });
  const { port, sockets: open, close } = await onLoopback(front);
  closers.push(close);
  return Object.assign(found, { open, url: `ws://127.0.0.1:${port}` });
}

/** Keeps a connection until the body has seen enough; then nothing of it may be left at the server. */
async function kept(start, body, server) {
  const controller = new AbortController();
  const ends = [];
  const attempts = [];
  const all = start({
    ...WAITS,
    signal: controller.signal,
    onFailure: ({ error }) => ends.push(error),
    onAttempt: ({ attempt }) => attempts.push(attempt),
  });
  await body(ends, attempts);
  controller.abort();
  const report = await all;
  assert.equal(report.reason, 'aborted');
  await until('the server has no sockets', () => server.open.size === 0);
  return report;
}

test('the programs of the guide fit the types', { timeout: 120_000 }, () => checkPrograms(['websocket', 'events']));

test('messages, and a connection that is lost', async () => {
  const server = await sockets((socket, n) =>
    socket.on('message', (data) => {
      if (`${data}` === 'token') socket.send(`hello ${n}`);
      if (`${data}` === 'bye') socket.terminate();
    }),
  );
  const heard = [];
  const handle = (text, send) => {
    heard.push(text);
    if (heard.length < 3) send('bye');
  };
  const report = await kept(
    (options) => keepSocket(server.url, handle, options),
    () => until('three', () => heard.length === 3),
    server,
  );
  assert.deepEqual(heard, ['hello 1', 'hello 2', 'hello 3']);
  assert.deepEqual([report.attempts, report.connections, server.attempts], [3, 3, 3]);
});

test('a handshake that hangs is cut, and ends no process', async () => {
  const server = await sockets(undefined, (socket) => socket.resume());
  const start = (options) => keepSocket(server.url, () => {}, { ...options, connectTimeoutMs: 30 });
  const { attempts, connections } = await kept(start, (ends) => until('three ends', () => ends.length >= 3), server);
  assert.ok(attempts >= 3 && connections === 0);
});

test('a half-open connection is found dead', async () => {
  const server = await sockets(undefined, (socket, web) => {
    web.emit('connection', socket);
    // Nothing is read any more, and nothing is closed.
    setTimeout(() => socket.pause().removeAllListeners('data'), 30);
  });
  const controller = new AbortController();
  const ends = [];
  const options = { ...WAITS, signal: controller.signal, onFailure: ({ error }) => ends.push(error) };
  const all = keepSocket(server.url, () => {}, options, 100);
  await until('it ends', () => ends.some((error) => /nothing was heard for 100 ms/.test(error.message)));
  assert.ok(ends.every((error) => error instanceof TimeoutError));
  const { attempts } = server;
  await until('the next one', () => server.attempts > attempts);
  controller.abort();
  await all;
});

for (const code of [1011, 1000])
  test(`a server that accepts and closes with ${code} is tried again, later and later`, async () => {
    const server = await sockets((socket) => socket.on('message', () => setImmediate(() => socket.close(code, 'no'))));
    const start = (options) => keepSocket(server.url, () => {}, { ...options, stableMs: 60_000 });
    let seen;
    await kept(
      start,
      async (ends, attempts) => {
        await until('five ends', () => ends.length >= 5);
        seen = [ends[0].code, attempts.slice(0, 5)];
      },
      server,
    );
    assert.deepEqual(seen, [code, [1, 2, 3, 4, 5]]);
  });

test('4401 ends it, with one socket', async () => {
  const server = await sockets((socket) => socket.on('message', () => socket.close(4401, 'who are you?')));
  const error = await keepSocket(server.url, () => {}, WAITS).catch((thrown) => thrown);
  assert.deepEqual([error.code, error.reason, server.attempts], [4401, 'who are you?', 1]);
});

test('1,000 sockets dropped at once are all back, each once', { timeout: 120_000 }, async () => {
  const CLIENTS = 1000;
  const server = await sockets();
  const controller = new AbortController();
  let open = 0;
  const options = { baseMs: 500, capMs: 2000, connectTimeoutMs: 60_000, signal: controller.signal };
  const all = Array.from({ length: CLIENTS }, () =>
    keepSocket(server.url, () => {}, { ...options, onOpen: () => open++, onFailure: () => open-- }),
  );
  await until('all are open', () => open === CLIENTS);
  assert.equal(server.open.size, CLIENTS);
  for (const socket of server.open) socket.resetAndDestroy();
  await until('all are dropped', () => open < CLIENTS);
  await until('all are back', () => open === CLIENTS);
  assert.equal(server.open.size, CLIENTS);
  controller.abort();
  const reports = await Promise.all(all);
  await until('none is left', () => server.open.size === 0);
  assert.ok(reports.every(({ connections }) => connections === 2));
});

/** A server of events. Returns when each request came, and what it had. */
async function events(answer) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push({ at: performance.now(), lastId: request.headers['last-event-id'] });
    answer(response, requests.length);
  });
  const { origin, sockets, close } = await onLoopback(server);
  closers.push(close);
  return { url: origin, requests, open: sockets };
}

const STREAM = { 'content-type': 'text/event-stream', connection: 'close' };
/** How long the second request was after the first. */
const gap = ({ requests }) => requests[1].at - requests[0].at;

for (const status of [503, 429])
  test(`events: Retry-After of a ${status} is a lower bound`, async () => {
    const heard = [];
    const server = await events((response, n) => {
      if (n === 1) response.writeHead(status, { 'retry-after': '1', connection: 'close' }).end();
      else response.writeHead(200, STREAM).write('event: news\ndata: a\ndata: b\n\n');
    });
    const start = (options) => keepEvents(server.url, (...event) => heard.push(event), options);
    await kept(start, () => until('an event', () => heard.length > 0), server);
    assert.deepEqual(heard, [['a\nb', 'news']]);
    assert.ok(gap(server) >= 999, `${gap(server)} ms`);
  });

test('events: 401 ends it, 204 finishes it, each with one request', async () => {
  const denied = await events((response) => response.writeHead(401).end());
  const error = await keepEvents(denied.url, () => {}, WAITS).catch((thrown) => thrown);
  assert.deepEqual([error.status, denied.requests.length], [401, 1]);
  const done = await events((response) => response.writeHead(204).end());
  const { reason } = await keepEvents(done.url, () => {}, WAITS);
  assert.deepEqual([reason, done.requests.length], ['finished', 1]);
});

test('events: a long retry: is a lower bound, and the last id is sent', async () => {
  const server = await events((response) => response.writeHead(200, STREAM).end('retry: 1200\nid: 7\ndata: a\n\n'));
  const start = (options) => keepEvents(server.url, () => {}, options);
  await kept(start, () => until('two requests', () => server.requests.length === 2), server);
  assert.ok(gap(server) >= 1199, `${gap(server)} ms`);
  assert.deepEqual(
    server.requests.map(({ lastId }) => lastId),
    [undefined, '7'],
  );
});

test('events: retry: 0 makes no tight loop', async () => {
  const server = await events((response) => response.writeHead(200, STREAM).end('retry: 0\ndata: a\n\n'));
  const delays = [];
  const start = (options) =>
    keepEvents(server.url, () => {}, { ...options, jitter: 'none', onRetry: ({ delayMs }) => delays.push(delayMs) });
  await kept(start, () => until('five waits', () => delays.length >= 5), server);
  assert.deepEqual(delays.slice(0, 5), [10, 20, 40, 50, 50]);
});

test('events: silence after the headers ends it', async () => {
  const server = await events((response) => response.writeHead(200, STREAM).write(': hi\n\n'));
  let first;
  const start = (options) => keepEvents(server.url, () => {}, options, 100);
  await kept(start, (ends) => until('it ends', () => (first = ends[0]) && server.requests.length > 1), server);
  assert.match(first.message, /nothing was heard for 100 ms/);
});
