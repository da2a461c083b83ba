// Failures that only some hosts can meet, each in a world of its own: over HTTP/2, through a proxy, and without a right
// to the network. `worldOf` says how a process gets into one.

import { createServer as createHttp } from 'node:http';
import { constants, createSecureServer } from 'node:http2';

import { pem } from './pem.mjs';

/** Signs one certificate, that of `localhost`; its key is nowhere. */
export const AUTHORITY = pem(
  'CERTIFICATE',
  'MIIBnzCCAUWgAwIBAgIUFYtlUfIXYG+5tDc24K4XSA5Mer4wCgYIKoZIzj0EAwIwHDEaMBgGA1UEAwwRYXV0aG9yaXR5LmludmFsaWQwIBcNMjYxMTI4MTUwNTI0WhgPMjEyNjExMDQxNTA1MjRaMBwxGjAYBgNVBAMMEWF1dGhvcml0eS5pbnZhbGlkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEK6XBpIhybU7B9SSm3zYqZc94LhKJ1SrHOllIASo6qUKUMdMGJn/Xe26f/hp4NNRHfhEQH/HR0FtvntMcggZNJ6NjMGEwHQYDVR0OBBYEFKlWVDcqM54tKft1ihyV1/Sv3Nv4MB8GA1UdIwQYMBaAFKlWVDcqM54tKft1ihyV1/Sv3Nv4MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMAoGCCqGSM49BAMCA0gAMEUCIQC7g23fukz3dtfXvPgHYU7HrrUX86nFvpmIlNBvzvSeCAIgO+1+fuZ39cAkQiS7D9zF9nLWIfhs7rW+bqONUAct/xM=',
);
const cert = pem(
  'CERTIFICATE',
  'MIIBsjCCAVigAwIBAgIUAzaoGhIFBK7++mkSfLueSHMmHJ4wCgYIKoZIzj0EAwIwHDEaMBgGA1UEAwwRYXV0aG9yaXR5LmludmFsaWQwIBcNMjYxMTI4MTUwNTI0WhgPMjEyNjExMDQxNTA1MjRaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKycwVCnFhWR8kzx9CYQozVchuK9kC5u+idQGlQ7L7AQJmK9XDfIJ7F7HcdCZ77M+32xG317PyWEgZUeZwHx3GOjfjB8MBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAJBgNVHRMEAjAAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMB0GA1UdDgQWBBTX/DehHMdGYmOj9SRgGYfx0HTCgzAfBgNVHSMEGDAWgBSpVlQ3KjOeLSn7dYocldf0r9zb+DAKBggqhkjOPQQDAgNIADBFAiEAp5afqAfbnEi1qsqu3YhEjWTa6Hydut2mGECNmiYUqOECIFnbYqm6vKsPuCe7iarB060bM0Ke0PR6IUARtyIjVxko',
);
const key = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgoJsPqm7pQs1nj5KK2THE+NuWSYTGy+zHJ2AQ6jaTaeahRANCAASsnMFQpxYVkfJM8fQmEKM1XIbivZAubvonUBpUOy+wECZivVw3yCexex3HQme+zPt9sRt9ez8lhIGVHmcB8dxj',
);

const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_HTTP_1_1_REQUIRED } = constants;
const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

const closes = (code) => (stream) => stream.close(code);

/** What becomes of a request over HTTP/2. @type {[is: string, what: string, respond: (stream: any) => void][]} */
const OVER_HTTP2 = [
  ['passes', 'HTTP/2: GOAWAY', ({ session }) => session.goaway(NGHTTP2_NO_ERROR, 0) || session.destroy()],
  ['passes', 'HTTP/2: the connection is lost', ({ session }) => session.destroy()],
  ['passes', 'HTTP/2: REFUSED_STREAM', closes(NGHTTP2_REFUSED_STREAM)],
  ['passes', 'HTTP/2: CANCEL', closes(NGHTTP2_CANCEL)],
  ['passes', 'HTTP/2: INTERNAL_ERROR', closes(NGHTTP2_INTERNAL_ERROR)],
  ['passes', 'HTTP/2: ENHANCE_YOUR_CALM', closes(NGHTTP2_ENHANCE_YOUR_CALM)],
  ['stays', 'HTTP/2: PROTOCOL_ERROR', closes(NGHTTP2_PROTOCOL_ERROR)],
  ['stays', 'HTTP/2: HTTP_1_1_REQUIRED', closes(NGHTTP2_HTTP_1_1_REQUIRED)],
];

/** Statuses of a proxy's answer to CONNECT. */
const OF_PROXIES = { passes: [429, 502, 503, 504], stays: [403, 407] };

/**
 * @param {(server: any) => Promise<number>} listen
 * @param {(is: string, what: string, url: string, more: object) => void} add
 * @param {(what: string) => void} counted
 * @returns {Promise<(world: string, authority: string) => Record<string, string>>} the environment of a process in a
 *   world, if `authority` is the path of a file with the text of that name
 */
export async function addWorlds(listen, add, counted) {
  const overHttp2 = createSecureServer({ cert, key });
  const port = await listen(overHttp2);
  const over = { counts: true, world: 'HTTP/2' };
  for (const [i, [is, what]] of OVER_HTTP2.entries()) add(is, what, `https://localhost:${port}/${i}`, over);
  const body = 'HTTP/2: a body that is shorter than its length';
  add('passes', body, `https://localhost:${port}/body`, { ...over, body: true, ambiguous: true });
  overHttp2
    .on('sessionError', () => {})
    .on('stream', (stream, { ':path': path }) => {
      stream.on('error', () => {});
      const [, what, respond] = OVER_HTTP2[path.slice(1)] ?? [];
      counted(what ?? body);
      if (respond) return respond(stream);
      stream.respond({ 'content-length': 9 });
      stream.end('half');
    });

  const proxy = createHttp();
  proxy.on('connect', ({ url }, socket) => {
    const [status] = url.split('.');
    counted(`a proxy answers CONNECT with ${status}`);
    socket.on('error', () => {}).end(`HTTP/1.1 ${status} x\r\ncontent-length: 0\r\n\r\n`);
  });
  const address = `http://127.0.0.1:${await listen(proxy)}`;
  for (const [is, statuses] of Object.entries(OF_PROXIES))
    for (const status of statuses) {
      const what = `a proxy answers CONNECT with ${status}`;
      add(is, what, `https://${status}.invalid/`, { counts: true, world: 'proxy' });
    }

  add('stays', 'no right to the network', 'http://127.0.0.1:9/', { world: 'no-rights' });

  return (world, authority) => {
    if (world === 'HTTP/2') return { NODE_EXTRA_CA_CERTS: authority, DENO_CERT: authority };
    if (world !== 'proxy') return {};
    const own = { HTTPS_PROXY: address, https_proxy: address, NODE_USE_ENV_PROXY: '1' };
    return { ...own, NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost' };
  };
}
