// A server that breaks: at each request in turn it answers, or loses the connection somewhere in its answer.

import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';

import { onLoopback } from '../../package/lib/loopback.mjs';

const HEAD_END = '\r\n\r\n';

/** An answer as it goes over the wire, in one chunk, so that the end of the body is apart from its last byte. */
export function wire({ status = 200, headers = {}, body = '' }) {
  const bytes = Buffer.from(body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} x\r\n${lines.join('')}`;
  if ([204, 304].includes(status)) return Buffer.from(`${head}\r\n`);
  if ('content-length' in headers) return Buffer.concat([Buffer.from(`${head}\r\n`), bytes]);
  const size = bytes.length > 0 ? `${bytes.length.toString(16)}\r\n` : '';
  const chunked = `${head}transfer-encoding: chunked${HEAD_END}${size}`;
  return Buffer.concat([Buffer.from(chunked), bytes, Buffer.from(`${size && '\r\n'}0${HEAD_END}`)]);
}

export const headOf = (bytes) => bytes.indexOf(HEAD_END) + HEAD_END.length;

/** Where a connection may be lost: how many bytes of an answer are sent. */
export const CUTS = {
  'before the headers': () => 0,
  'within the headers': (bytes) => headOf(bytes) - HEAD_END.length - 2,
  'after the headers': headOf,
  'within the body': (bytes) => (headOf(bytes) + bytes.length) >> 1,
  'after the last byte': (bytes) => bytes.length - `\r\n0${HEAD_END}`.length,
};

/** What may come instead of the answer. */
export const INSTEAD = {
  'a 503': { status: 503, body: 'later' },
  'a 429 with a hint': { status: 429, headers: { 'retry-after': '0' } },
};

/**
 * Lets a client of this process read what came, and write its files: it drops what it has not read when a connection
 * breaks.
 */
async function settled() {
  await new Promise((done) => setTimeout(done, 5));
  for (let i = 0; i < 10; i += 1) await new Promise(setImmediate);
}

/**
 * Starts a server on loopback. `breaks`: what happens at each request, the first first: a cut, an answer that comes
 * instead, or nothing. `answer` gets the request, without its body, and how many there were before.
 */
export async function breaking(answer) {
  const server = createServer();
  const state = { breaks: [], requests: [] };
  server.on('request', (request) => {
    const nth = state.requests.push(request) - 1;
    const how = state.breaks[nth];
    const whole = wire(typeof how === 'object' ? how : answer(request, nth));
    const { socket } = request;
    // Without "connection: close", with which Node's fetch takes a body that breaks off for a whole one.
    if (typeof how !== 'function') socket.write(whole);
    else socket.write(whole.subarray(0, how(whole)), () => settled().then(() => socket.destroy()));
  });
  const front = createTcpServer((socket) => void server.emit('connection', socket));
  return Object.assign(state, await onLoopback(front), {
    /** Forgets the requests, and breaks at the next ones. */
    reset(breaks) {
      state.breaks = breaks;
      state.requests = [];
    },
  });
}
