// A server that misbehaves in every way that a client meets, by a seed; what statuses and headers mean, rows say.
// node:http reads the requests; what is answered goes to the socket itself, because node:http would not let most of
// this out of the door.
//
// A request says its scenario in the path, `/name/id`, and how often it shall fail, `?fail=n`; then it is answered with
// its own body. The server keeps what it saw of each id: how often, with which keys, and the hash of each body.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

import { onLoopback } from '../../lib/loopback.mjs';
import { wordsFrom } from '../../lib/words.mjs';

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');

const reply = (status, headers = '', body = '') =>
  `HTTP/1.1 ${status} x\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Scenario → what a failing attempt gets: (socket, { id, path, random, … }) writes, closes, or is silent. */
const FAILURES = {
  'reset-at-once': (socket) => socket.resetAndDestroy(),
  'close-before-headers': (socket) => socket.destroy(),
  'reset-in-headers': (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-le', () => socket.resetAndDestroy()),
  'half-close': (socket) => socket.end(),
  garbage: (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'bad-status-line': (socket) => socket.end('HTTP/1.1 abc\r\n\r\n'),
  'headers-never-come': (socket, { id, silent }) => silent(id),
  'early-hints-then-503': (socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n${reply(503)}`),
  'body-cut-503': (socket) =>
    socket.write('HTTP/1.1 503 x\r\ncontent-length: 1000\r\n\r\nbegin', () => socket.destroy()),
  'body-stalls-503': (socket) => socket.write('HTTP/1.1 503 x\r\ncontent-length: 1000\r\n\r\nbegin'),
  'endless-503': (socket) => {
    socket.write('HTTP/1.1 503 x\r\ntransfer-encoding: chunked\r\n\r\n');
    const more = () => {
      if (!socket.destroyed)
        socket.write(`400\r\n${'x'.repeat(1024)}\r\n`, (error) => {
          if (!error) setTimeout(more, 1);
        });
    };
    more();
  },
  'chunked-garbage-503': (socket) =>
    socket.write('HTTP/1.1 503 x\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n', () => socket.end()),
  'redirect-to-503': (socket, { path }) =>
    socket.write(reply(307, `location: ${path.replace('/redirect-to-503/', '/redirected/')}\r\n`)),
  redirected: (socket) => socket.write(reply(503)),
  'status-429': (socket, { random }) =>
    socket.write(reply(429, `retry-after-ms: ${(random() * 3 + 0.01).toFixed(2)}\r\n`)),
  'status-503': (socket, { random }) => socket.write(reply(503, '', 'x'.repeat(random() * 5000))),
};

/** Scenario → an answer that ends the matter at the first attempt. */
const FINAL = {
  'huge-headers': (socket) => socket.end(`HTTP/1.1 200 OK\r\n${`x-filler: ${'a'.repeat(1000)}\r\n`.repeat(100)}\r\n`),
  'redirect-loop': (socket, { path }) => socket.write(reply(302, `location: ${path}\r\n`)),
  'body-stalls-200': (socket) => socket.write('HTTP/1.1 200 x\r\ncontent-length: 1000\r\n\r\nbegin'),
  'reset-in-body-200': (socket) =>
    socket.write('HTTP/1.1 200 x\r\ncontent-length: 1000\r\n\r\nbegin', () => socket.resetAndDestroy()),
};

export const RETRIED = Object.keys(FAILURES).filter((name) => name !== 'redirected');
export const ANSWERED = Object.keys(FINAL);

/**
 * Starts the server, which is silent about some requests.
 * @param {{ seed: number, silent: (id: string) => void }} options
 */
export async function startHostile({ seed, silent }) {
  const { unit: random } = wordsFrom(seed);
  const seen = new Map();
  const server = createServer(async (request) => {
    const { socket, headers, url: path, method } = request;
    const chunks = await request.toArray().catch(() => undefined);
    if (chunks === undefined) return;
    const body = Buffer.concat(chunks);
    const { pathname, searchParams } = new URL(path, 'http://x');
    const [, name, id] = pathname.split('/');
    let entry = seen.get(id);
    if (entry === undefined) seen.set(id, (entry = { attempts: 0, keys: new Set(), bodies: new Set() }));
    // The target of a redirect is not an attempt of its own.
    if (name !== 'redirected') entry.attempts += 1;
    entry.keys.add(headers['idempotency-key'] ?? '');
    entry.bodies.add(hash(body));
    const what = { id, path, random, silent };
    if (Object.hasOwn(FINAL, name)) FINAL[name](socket, what);
    else if (entry.attempts <= Number(searchParams.get('fail'))) FAILURES[name](socket, what);
    else socket.write(reply(200, '', method === 'HEAD' ? '' : body.toString('latin1')));
  });
  return { seen, ...(await onLoopback(server)) };
}
