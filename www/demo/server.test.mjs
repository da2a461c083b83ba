/** The misbehaving server: what it does is fixed by its seed, and it leaves nothing behind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LIMIT_MS } from './lib/until.mjs';
import { startServer } from './misbehaving-server.mjs';

const QUICK = /** @type {const} */ ({ latencyMs: [0, 8], slowMs: 40 });

/** A server for one test, which never fails unless the options say so. */
async function started(t, options) {
  const server = await startServer({ seed: 1, failureRate: 0, ...QUICK, ...options });
  t.after(() => server.close());
  return server;
}

/** A folder for one test, with these files. */
async function folderOf(t, files) {
  const folder = await mkdtemp(path.join(tmpdir(), 'server-test-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

/** The fate of one request, as a client without a clock sees it: a slow answer is a 200. */
async function meet(url) {
  try {
    const response = await fetch(url);
    await response.text();
    return String(response.status);
  } catch (error) {
    assert.ok(error instanceof TypeError, String(error));
    return 'drop';
  }
}

test('answers: statuses, Retry-After, a count of each kind, and 404 elsewhere', async (t) => {
  const server = await started(t, { seed: 3, failureRate: 1 });
  let limited;
  for (let i = 0; limited?.status !== 429; i++)
    limited = await fetch(`${server.url}/flaky/${i}`, { method: 'POST' }).catch(() => undefined);
  assert.equal(limited.headers.get('retry-after'), '1');
  const { requests, notFound, ...kinds } = server.stats();
  assert.deepEqual([Object.values(kinds).reduce((a, b) => a + b), notFound], [requests, 0]);
  for (const name of ['missing', 'flaky/a%2Fb']) assert.equal(await meet(`${server.url}/${name}`), '404');
  assert.equal(server.stats().notFound, 2);
});

test('serves the files of its folder and nothing outside of it', async (t) => {
  const folder = await folderOf(t, {
    'secret.txt': 'secret',
    'site/index.html': '<!doctype html>',
    'site/assets/a.js': '1',
  });
  for (const [name, target] of [
    ['assets/same.js', 'a.js'],
    ['link.txt', '../secret.txt'],
    ['up', '..'],
  ])
    await symlink(target, path.join(folder, 'site', name));
  const server = await started(t, { staticDir: path.join(folder, 'site') });
  const page = await fetch(`${server.url}/`);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(await page.text(), '<!doctype html>');
  assert.match(`${page.headers.get('content-security-policy')}`, /^default-src 'self'; .*; base-uri 'none'$/);
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
  const script = await fetch(`${server.url}/assets/a.js`);
  assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.equal(await meet(`${server.url}/assets/same.js`), '200', 'a link within the folder is followed');
  const climbing = ['/../secret.txt', '/..%2fsecret.txt', '/assets/..%2f..%2fsecret.txt'];
  for (const target of [...climbing, '/link.txt', '/up/secret.txt', '/%00', '/%zz', '/assets']) {
    const answer = await rawGet(server.port, target);
    assert.match(answer, /^HTTP\/1\.1 404 /, target);
    assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/i, target);
    assert.ok(answer.includes('\n{"error":"not found"}\n'), `${target} is not repeated`);
  }
});

/** Request targets that are not paths of files; in most of them `new URL` finds an invalid host or port. */
const ODD_TARGETS = [
  ...'// /// //[ //x:99999/ //user@:80/ //% /\\ /\\[ /\\x:99999 /? /# /flaky/ /flaky/% /flaky/%00 /flaky/1?x=%ff['.split(
    ' ',
  ),
  ...'http://[ http://x:99999/ http:// http: https://%/ file:///etc/passwd javascript:1 * ? [ % x ..'.split(' '),
  `/${'a'.repeat(8000)}`,
  `/${'../'.repeat(2000)}`,
];

test('survives any request target, from any page, and answers the next request', async (t) => {
  const server = await started(t, { staticDir: await folderOf(t, { 'index.html': '<!doctype html>' }) });
  for (const method of ['GET', 'POST', 'OPTIONS'])
    for (const target of ODD_TARGETS) {
      const answer = await rawGet(server.port, target, { method });
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
      const allowed = target.startsWith('/') ? [200, 400, 404] : [400];
      assert.ok(allowed.includes(status), `${method} ${target.slice(0, 40)}: ${answer.slice(0, 100)}`);
    }
  assert.equal(await meet(`${server.url}/`), '200');
});

test('answers only requests that name this machine and its port', async (t) => {
  const { port } = await started(t, {});
  for (const [host, status] of /** @type {[string, number][]} */ ([
    [`127.0.0.1:${port}`, 200],
    [`localhost:${port}`, 200],
    ['', 421],
    ['localhost', 421],
    ['127.0.0.1', 421],
    [`example.com:${port}`, 421],
    [`127.0.0.1.example.com:${port}`, 421],
    [`localhost:${port + 1}`, 421],
    [`0.0.0.0:${port}`, 421],
  ]))
    assert.match(await rawGet(port, '/stats', { host }), new RegExp(`^HTTP/1\\.1 ${status} `), host);
});

test('keeps the counts of the latest ids, however many other programs ask for', async (t) => {
  const server = await started(t, { latencyMs: [0, 0] });
  const ask = (id) => fetch(`${server.url}/flaky/${id}`).then((response) => response.json());
  await ask('x');
  assert.equal((await ask('x')).n, 2);
  for (let i = 0; i < 2001; i += 69) await Promise.all(Array.from({ length: 69 }, (_, j) => ask(`id-${i + j}`)));
  assert.equal((await ask('x')).n, 1, 'forgotten: 2,000 other ids came after it');
  assert.equal((await ask('id-2000')).n, 2);
});

/** The answer to a target exactly as written: `fetch` would tidy it up first. */
async function rawGet(port, target, { method = 'GET', host = `localhost:${port}` } = {}) {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

/** A program in a process of its own: the proof of a clean end is that it ends by itself. */
function child(...args) {
  const stdio = /** @type {any} */ (['ignore', 'pipe', 'inherit']);
  return spawn(process.execPath, args, { cwd: import.meta.dirname, stdio, timeout: LIMIT_MS });
}

test('close ends pending answers and leaves no socket or timer', async () => {
  const code = `
    import net from 'node:net';
    import { until } from './lib/until.mjs';
    import { startServer } from './misbehaving-server.mjs';
    const server = await startServer({ seed: 1, failureRate: 1, slowMs: 60_000 });
    const idle = net.connect(server.port, '127.0.0.1');
    const pending = Promise.allSettled(Array.from({ length: 40 }, (_, i) => fetch(server.url + '/flaky/' + i)));
    await until('an answer is pending', () => server.stats().slow > 0);
    await server.close();
    await pending;
    await new Promise((resolve) => (idle.destroyed ? resolve() : idle.once('close', resolve)));
    console.log('closed');`;
  const program = child('--input-type=module', '-e', code);
  let output = '';
  program.stdout.on('data', (chunk) => (output += chunk));
  assert.deepEqual([await once(program, 'exit'), output], [[0, null], 'closed\n']);
});

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  test(`serve.mjs prints its address, answers, and ends with 0 on ${signal}`, async (t) => {
    const dist = await folderOf(t, { 'index.html': '<!doctype html><title>page</title>' });
    const program = child(fileURLToPath(new URL('serve.mjs', import.meta.url)), '--port', '0', '--dist', dist);
    const exit = once(program, 'exit');
    const [line] = await once(program.stdout, 'data');
    const url = String(line).trim();
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    assert.match(await (await fetch(url)).text(), /page/);
    // A slow response must not delay it.
    const pending = fetch(`${url}flaky/1`).catch(() => undefined);
    program.kill(signal);
    assert.deepEqual(await exit, [0, null]);
    await pending;
  });
