// Failures of fetch, made for real at servers on loopback, and whether another attempt may succeed. For any host that
// has fetch and Node's modules: `cargo xtask hosts --only failures`.

import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';
import process from 'node:process';
import { createServer as createTls } from 'node:tls';

import { sendsAgain } from './rows.mjs';

const pem = (kind, text) => `-----BEGIN ${kind}-----\n${text.replace(/.{64}/g, '$&\n')}\n-----END ${kind}-----\n`;
/** Signed by itself, for another host. It opens nothing. */
const cert = pem(
  'CERTIFICATE',
  'MIIBiDCCAS2gAwIBAgIUf1XkDczETZHRRMQzrNOz/0mQ3D8wCgYIKoZIzj0EAwIwGDEWMBQGA1UEAwwNb3RoZXIuaW52YWxpZDAgFw0yNjExMjYxNjIwNTdaGA8yMTI2MTEwMjE2MjA1N1owGDEWMBQGA1UEAwwNb3RoZXIuaW52YWxpZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLDFtzEqr+52zgH4xu2eWMPqJUigPSy7xDAC5T6r5zHqwv38u1O1zpsuhgMyabnHxBOtGbGWIIOlhXU/1AUA/J2jUzBRMB0GA1UdDgQWBBSV6O258NsBEMm1rb5Hjxx8bCXbETAfBgNVHSMEGDAWgBSV6O258NsBEMm1rb5Hjxx8bCXbETAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQCSYzKQPxmbWmZY1YmG8ix5f5xzXg1Y1apsPkS20tyAFwIhAOUuiIO7CuHbXY39PjNNqcSFak4AJ59MRv3mfqSZEXow',
);
const key = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguCdRSQ4X4DuJ0UXgMgH3lEYk0kQqxGJzqOlomXf//wKhRANCAASwxbcxKq/uds4B+MbtnljD6iVIoD0su8QwAuU+q+cx6sL9/LtTtc6bLoYDMmm5x8QTrRmxliCDpYV1P9QFAPyd',
);

const servers = [];
async function listen(server) {
  servers.push(server);
  server.on('connection', (socket) => {
    servers.push({ close: () => socket.destroy() });
    socket.on('error', () => {});
  });
  server.on('tlsClientError', () => {}).on('clientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server.address().port;
}
/** An HTTP server that answers with these bytes, and then does so. */
const raw = (text, then = 'end') => listen(createServer((socket) => socket.once('data', () => socket[then](text))));
const answer = (lines, body = '') => `HTTP/1.1 ${lines.join('\r\n')}\r\n\r\n${body}`;

/** Returns rows of a name, whether another attempt may succeed, and what fails. */
async function failures(fetch) {
  const plain = await listen(createHttp((_, response) => response.end('x')));
  const secure = await listen(createTls({ cert, key }, (socket) => socket.end()));
  const closing = createServer();
  const refused = await listen(closing);
  closing.close();
  const at = (port, scheme = 'http') => `${scheme}://127.0.0.1:${port}/`;
  const text = async (...args) => (await fetch(...args)).text();
  const get = (port, init) => () => text(at(port), init);
  const to = (location) => raw(answer(['302 Found', `location: ${location}`, 'content-length: 0']));
  const loop = await listen(createHttp((_, response) => response.writeHead(302, { location: '/' }).end()));
  // It says less about TLS, and tries what fetch forbids.
  const inBun = globalThis.Bun === undefined ? false : undefined;
  const inDeno = globalThis.Deno === undefined ? false : undefined;
  const used = new Request(at(plain), { method: 'POST', body: 'x' });
  await used.text();
  const broken = () => new ReadableStream({ pull: (controller) => controller.error(new Error('its source')) });
  const put = { method: 'PUT', duplex: 'half' };
  return [
    ['refused', true, get(refused)],
    ['an unknown host', true, () => text('http://nowhere.invalid/')],
    ['closed before an answer', true, get(await raw(''))],
    ['reset before an answer', true, get(await raw(undefined, 'resetAndDestroy'))],
    ['closed within the headers', true, get(await raw('HTTP/1.1 200 OK\r\nx-a: b\r\n'))],
    ['closed within a body', true, get(await raw(answer(['200 OK', 'content-length: 9'], 'half')))],
    ['closed within a chunk', true, get(await raw(answer(['200 OK', 'transfer-encoding: chunked'], '9\r\nhalf')))],
    ['a chunk of an invalid size', true, get(await raw(answer(['200 OK', 'transfer-encoding: chunked'], 'z\r\n')))],
    ['no HTTP', true, get(await raw('SSH-2.0-OpenSSH\r\n'))],
    ['an invalid header', true, get(await raw(answer(['200 OK', 'a b\u0000: c'])))],
    ['two lengths', true, get(await raw(answer(['200 OK', 'content-length: 1', 'content-length: 2'], 'xy')))],
    ['headers that are too large', false, get(await raw(answer(['200 OK', `x-a: ${'y'.repeat(5e6)}`])))],
    ['a timeout', true, get(await raw('', 'resume'), { signal: AbortSignal.timeout(20) })],
    ['an abort', false, get(plain, { signal: AbortSignal.abort() })],
    ['HTTP at a port of TLS', true, get(secure)],
    ['TLS at a port of HTTP', inBun, async () => text(at(await raw(answer(['400 Bad Request'])), 'https'))],
    ['a server that hangs up instead of TLS', true, async () => text(at(await raw(''), 'https'))],
    ['a certificate that signed itself', false, () => text(at(secure, 'https'))],
    ['no shared cipher', inBun, async () => text(at(await listen(createTls({})), 'https'))],
    ['redirects without end', false, get(loop)],
    ['a redirect that is an error', false, get(loop, { redirect: 'error' })],
    ['a redirect to an unknown scheme', false, get(await to('none://x'))],
    ['a redirect to no URL', false, get(await to('http://:'))],
    ['a redirect to a refused connection', true, get(await to(at(refused)))],
    ['an unknown scheme', false, () => text('none://x')],
    ['about:', inBun, () => text('about:nothing')],
    ['data: without data', false, () => text('data:x')],
    ['file:', false, () => text('file:///nowhere.txt')],
    ['blob: of nothing', inBun, () => text('blob:nothing')],
    ['a forbidden port', inBun, () => text('http://127.0.0.1:1/')],
    ['an invalid URL', false, () => text('http://:')],
    ['no URL', false, () => text('/relative')],
    ['user and password in a URL', inBun, () => text('http://a:b@127.0.0.1:1/')],
    ['an invalid method', false, get(plain, { method: 'a b' })],
    ['an invalid header of the request', false, get(plain, { headers: { 'a b': 'c' } })],
    ['a GET with a body', false, get(plain, { body: 'x' })],
    ['a used body', false, () => text(used)],
    ['a wrong integrity', false, get(plain, { integrity: 'sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' })],
    ['a body without duplex', inDeno, get(plain, { method: 'PUT', body: broken() })],
    ['a body that fails', undefined, get(plain, { ...put, body: broken() })],
    ['a body that is not JSON', false, async () => (await fetch(at(plain))).json()],
  ];
}

const shown = (error) =>
  `${error?.code ?? ''} ${error?.name}: ${error?.message}`.slice(0, 160) +
  (error?.cause ? ` < ${shown(error.cause)}` : '');

/**
 * Makes all failures. Returns a line for each that one of the two classifies in another way than is right, and how many
 * there were: a host may have no such failure.
 */
export async function compare({ createFetch, isTransientError, fetch = globalThis.fetch }) {
  const wrong = [];
  let count = 0;
  for (const [what, expected, fail] of await failures(fetch)) {
    const error = await fail().then(
      () => undefined,
      (thrown) => thrown,
    );
    if (error === undefined) continue;
    count += 1;
    const verdicts = [await sendsAgain(createFetch, error), isTransientError(error)];
    const right = verdicts.every((verdict) => verdict === (expected ?? verdicts[0]));
    if (!right) wrong.push(`${what}: createFetch ${verdicts[0]}, isTransientError ${verdicts[1]}, ${shown(error)}`);
    if (process.env.SHOW) console.log(right ? ' ' : '!', what, ...verdicts, shown(error));
  }
  for (const server of servers.splice(0)) server.close();
  return { wrong, count };
}
