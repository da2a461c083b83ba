// Shared by the tests of rejitter/fetch: the entry as a consumer imports it, and servers that record requests.

import { createServer } from 'node:http';
import { after, before } from 'node:test';

import { importEntry } from './consumer.mjs';
import { onLoopback } from './loopback.mjs';

/** `import * as x from 'rejitter/fetch'` of the consumer folder. */
export const importFetch = () => importEntry('fetch');

/** The same of 'rejitter/testing'. */
export const importTesting = () => importEntry('testing');

/**
 * A server on loopback that records its requests. `answer(request, response, nth)` gets the
 * requests with their whole body as `request.body`; `nth` counts from 1 for each path.
 */
export async function listen(answer) {
  const seen = [];
  const counts = new Map();
  // It closes no idle connection: a client that is late would send a request on one.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks = [];
    const { method, url: path, headers } = request;
    const entry = { method, path, headers, body: undefined, closed: false };
    seen.push(entry);
    response.once('close', () => {
      entry.closed = !response.writableFinished;
    });
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      request.body = Buffer.concat(chunks);
      entry.body = request.body;
      const nth = (counts.get(path) ?? 0) + 1;
      counts.set(path, nth);
      answer(request, response, nth);
    });
    request.on('error', () => {});
  });
  return { seen, ...(await onLoopback(server)) };
}

/** A server for the tests of a file, which ask addresses of their own, and the requests that it got. */
export function serving(answer) {
  let server;
  let paths = 0;
  before(async () => {
    server = await listen(answer);
  });
  after(() => server.close());
  const requestsOf = (url) => server.seen.filter(({ path }) => url === server.origin + path);
  return {
    server: () => server,
    fresh: (folder = '') => `${server.origin}${folder}/${(paths += 1)}`,
    requestsOf,
    bodiesOf: (url) => requestsOf(url).map(({ body }) => String(body)),
  };
}

/** The address of a port without a listener. */
export async function closedOrigin() {
  // Below the ports that a system gives to whoever asks for any: no server of another test takes it meanwhile.
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return `http://127.0.0.1:${port}`;
  }
}

/** Responds with 503 this many times for each path, then with 200 and the request's own data. */
export const failing =
  (times, headers = {}) =>
  (request, response, nth) => {
    if (nth <= times) response.writeHead(503, headers).end('try later');
    else response.writeHead(200).end(request.body);
  };

/** Waits cut short: what is tested is not how long they are. */
export const QUICK = { baseMs: 1, capMs: 2 };

/** An inner fetch that answers with these, the last again and again: statuses, responses, or errors to throw. */
export function statuses(...list) {
  const calls = [];
  const inner = async (...args) => {
    calls.push(args);
    const next = list[Math.min(calls.length, list.length) - 1];
    if (next instanceof Error) throw next;
    return typeof next === 'number' ? new Response(next === 204 ? null : `answer ${next}`, { status: next }) : next;
  };
  return { inner, calls };
}
