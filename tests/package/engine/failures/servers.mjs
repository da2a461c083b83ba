// Servers on loopback that fail in each way that a fetch can meet, and the requests to make of them. They run in Node;
// what makes the requests (fetches.mjs) runs in any host, a page of a browser as well.

import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { gzipSync } from 'node:zlib';

import { pem } from './pem.mjs';
import { addWorlds } from './worlds.mjs';

/** Signed by itself, for another host. It opens nothing. */
const cert = pem(
  'CERTIFICATE',
  'MIIBiDCCAS2gAwIBAgIUf1XkDczETZHRRMQzrNOz/0mQ3D8wCgYIKoZIzj0EAwIwGDEWMBQGA1UEAwwNb3RoZXIuaW52YWxpZDAgFw0yNjExMjYxNjIwNTdaGA8yMTI2MTEwMjE2MjA1N1owGDEWMBQGA1UEAwwNb3RoZXIuaW52YWxpZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLDFtzEqr+52zgH4xu2eWMPqJUigPSy7xDAC5T6r5zHqwv38u1O1zpsuhgMyabnHxBOtGbGWIIOlhXU/1AUA/J2jUzBRMB0GA1UdDgQWBBSV6O258NsBEMm1rb5Hjxx8bCXbETAfBgNVHSMEGDAWgBSV6O258NsBEMm1rb5Hjxx8bCXbETAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQCSYzKQPxmbWmZY1YmG8ix5f5xzXg1Y1apsPkS20tyAFwIhAOUuiIO7CuHbXY39PjNNqcSFak4AJ59MRv3mfqSZEXow',
);
const key = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguCdRSQ4X4DuJ0UXgMgH3lEYk0kQqxGJzqOlomXf//wKhRANCAASwxbcxKq/uds4B+MbtnljD6iVIoD0su8QwAuU+q+cx6sL9/LtTtc6bLoYDMmm5x8QTrRmxliCDpYV1P9QFAPyd',
);

/** Pages of another origin may read what answers; no connection serves two requests. */
const HEADERS = 'access-control-allow-origin: *\r\nconnection: close';
const answer = (lines, body = '') =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${lines.join('\r\n')}\r\n${HEADERS}\r\n\r\n`), Buffer.from(body)]);

/**
 * A failure and how a request meets it.
 * @typedef {object} Failure
 * @property {string} what
 * @property {'passes' | 'stays' | 'mistake' | 'abort'} is whether another attempt may succeed; what stays, and what is
 *   the program's own
 * @property {string} url
 * @property {object} [init]
 * @property {string} [how] the request is made (fetches.mjs)
 * @property {boolean} [body] the response has come, and its body fails
 * @property {boolean} [proves] that nobody got the request
 * @property {boolean} [counts] the server counts its requests
 * @property {boolean} [ambiguous] a request that stays refused may fail with the same words
 * @property {string} [world] where hosts meet it, if it is not everywhere (worlds.mjs)
 */

/**
 * Starts all servers. Returns the failures, what tells of requests since it was last called, the environment of a
 * process in a world, and what ends the servers.
 * @returns {Promise<{ failures: Failure[], take: (what: string) => number,
 *   environment: Awaited<ReturnType<addWorlds>>, close: () => void }>}
 */
export async function startFailures() {
  const closers = [];
  const seen = new Map();
  async function listen(server) {
    closers.push(() => server.close());
    server.on('connection', (socket) => {
      closers.push(() => socket.destroy());
      socket.on('error', () => {});
    });
    server.on('tlsClientError', () => {}).on('clientError', () => {});
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server.address().port;
  }
  const failures = [];
  const add = (is, what, url, more = {}) => failures.push({ is, what, url, ...more });
  const counted = (what) => seen.set(what, (seen.get(what) ?? 0) + 1);
  /** A server whose connections each count as a request of this row from their first bytes on. */
  const raw = async (is, what, respond, { scheme = 'http', ...more } = {}) => {
    const server = createServer((socket) =>
      socket.once('data', () => {
        counted(what);
        respond(socket);
      }),
    );
    add(is, what, `${scheme}://127.0.0.1:${await listen(server)}/`, { counts: true, ...more });
  };
  const sends =
    (bytes, then = 'end') =>
    (socket) =>
      socket[then](bytes);
  /** Half of a body, and then the end of the connection. */
  const breaks = (bytes, then) => (socket) => socket.write(bytes, () => setTimeout(() => socket[then](), 20));

  const plain = `http://127.0.0.1:${await listen(
    createHttp((request, response) => {
      counted(decodeURIComponent(request.url.slice(2)));
      request.resume();
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end('x');
    }),
  )}/`;
  /** A request to a server that works. */
  const works = (is, what, more) => add(is, what, `${plain}?${encodeURIComponent(what)}`, { counts: true, ...more });
  const secure = await listen(createTls({ cert, key }, (socket) => socket.end()));
  const closing = createServer();
  const refused = `http://127.0.0.1:${await listen(closing)}/`;
  closing.close();

  add('passes', 'refused', refused, { proves: true });
  add('passes', 'an unknown host', 'http://nowhere.invalid/', { proves: true });
  await raw('passes', 'closed before an answer', sends(undefined));
  await raw('passes', 'reset before an answer', (socket) => socket.resetAndDestroy());
  await raw('passes', 'closed within the headers', sends('HTTP/1.1 200 OK\r\nx-a: b\r\n'));
  await raw('passes', 'a timeout', () => {}, { how: 'timeout' });
  await raw('passes', 'no HTTP', sends('SSH-2.0-OpenSSH\r\n'));
  await raw('passes', 'an invalid header', sends(answer(['200 OK', 'a b\u0000: c'])));
  await raw('passes', 'two lengths', sends(answer(['200 OK', 'content-length: 1', 'content-length: 2'], 'xy')));
  await raw('passes', 'status 408, then closed', sends(answer(['408 Request Timeout', 'content-length: 0'])));
  add('passes', 'HTTP at a port of TLS', `http://127.0.0.1:${secure}/`);
  const tls = { scheme: 'https', proves: true };
  await raw('passes', 'closed instead of TLS', sends(undefined), tls);
  await raw('passes', 'reset instead of TLS', (socket) => socket.resetAndDestroy(), tls);
  const redirect = (location) => sends(answer(['302 Found', `location: ${location}`, 'content-length: 0']));
  await raw('passes', 'a redirect to a refused connection', redirect(refused));

  const length = ['200 OK', 'content-length: 9'];
  const chunked = ['200 OK', 'transfer-encoding: chunked'];
  const body = { body: true };
  await raw('passes', 'a body that is closed', breaks(answer(length, 'half'), 'end'), body);
  await raw('passes', 'a body that is reset', breaks(answer(length, 'half'), 'resetAndDestroy'), body);
  await raw('passes', 'a chunk that is closed', breaks(answer(chunked, '9\r\nhalf'), 'end'), body);
  await raw('passes', 'a chunk of an invalid size', sends(answer(chunked, 'z\r\n')), body);
  const packed = gzipSync('0123456789'.repeat(99));
  const gzip = (bytes) => answer(['200 OK', 'content-encoding: gzip', `content-length: ${bytes.length}`], bytes);
  await raw('passes', 'a compressed body that was cut', sends(gzip(packed.subarray(0, 20))), body);
  await raw('stays', 'a body that is not compressed as it says', sends(gzip(Buffer.from('plain text'))), body);

  await raw('stays', 'headers that are too large', sends(answer(['200 OK', `x-a: ${'y'.repeat(5e6)}`])));
  await raw('stays', 'TLS at a port of HTTP', sends(answer(['400 Bad Request'])), { scheme: 'https' });
  add('stays', 'a certificate that signed itself', `https://127.0.0.1:${secure}/`);
  add('stays', 'no shared cipher', `https://127.0.0.1:${await listen(createTls({}))}/`);
  await raw('stays', 'redirects without end', redirect('/'));
  await raw('stays', 'a redirect that is an error', redirect('/'), { init: { redirect: 'error' } });
  await raw('stays', 'a redirect to an unknown scheme', redirect('none://x'));
  await raw('stays', 'a redirect to no URL', redirect('http://:'));
  add('stays', 'an unknown scheme', 'none://x');
  add('stays', 'about:', 'about:nothing');
  add('stays', 'data: without data', 'data:x');
  add('stays', 'file:', 'file:///nowhere.txt');
  add('stays', 'blob: of nothing', 'blob:nothing');
  add('stays', 'a forbidden port', 'http://127.0.0.1:1/');
  works('stays', 'a wrong integrity', { init: { integrity: `sha256-${'A'.repeat(43)}=` } });

  works('abort', 'an abort before', { how: 'aborted' });
  await raw('abort', 'an abort during the request', () => {}, { how: 'abort' });
  add('mistake', 'an invalid URL', 'http://:');
  add('stays', 'user and password in a URL', 'http://a:b@127.0.0.1:1/');
  works('mistake', 'an invalid method', { init: { method: 'a b' } });
  works('mistake', 'an invalid header of the request', { init: { headers: { 'a b': 'c' } } });
  works('mistake', 'a GET with a body', { init: { body: 'x' } });
  works('mistake', 'a used body', { how: 'used' });
  works('mistake', 'a body without duplex', { init: { method: 'PUT' }, how: 'stream' });
  works('mistake', 'a body that is not JSON', { how: 'json', ...body });

  const environment = await addWorlds(listen, add, counted);

  return {
    failures,
    environment,
    take(what) {
      const count = seen.get(what) ?? 0;
      seen.delete(what);
      return count;
    },
    close() {
      for (const close of closers.splice(0)) close();
    },
  };
}

/**
 * Starts all servers, and one that serves the counts to other processes.
 * @returns {Promise<{ url: string, failures: Failure[], environment: any, close: () => void }>}
 */
export async function serveFailures() {
  const { failures, take, environment, close } = await startFailures();
  const server = createHttp((request, response) => {
    const { searchParams } = new URL(request.url, 'http://loopback');
    response.writeHead(200, { 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
    // Some ask before they ask.
    response.end(request.method === 'OPTIONS' ? '' : JSON.stringify(take(searchParams.get('what'))));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    failures,
    environment,
    close() {
      server.closeAllConnections();
      server.close();
      close();
    },
  };
}
