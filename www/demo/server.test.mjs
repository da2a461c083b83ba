/** The misbehaving server: what it does is fixed by its seed, and it leaves nothing behind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { LIMIT_MS } from './lib/until.mjs';
import { startServer } from './misbehaving-server.mjs';

const folder = await mkdtemp(path.join(tmpdir(), 'server-test-'));
after(() => rm(folder, { recursive: true }));
const SITE = path.join(folder, 'site');
await mkdir(path.join(SITE, 'assets'), { recursive: true });
for (const [name, text] of Object.entries({
  '../secret.txt': 'secret',
  'index.html': '<!doctype html>',
  'assets/a.js': '1',
}))
  await writeFile(path.join(SITE, name), text);
for (const [name, target] of Object.entries({ 'assets/same.js': 'a.js', 'link.txt': '../secret.txt', up: '..' }))
  await symlink(target, path.join(SITE, name));

/** A server for one test, which never fails unless the options say so. */
async function started(t, options = {}) {
  const quick = /** @type {const} */ ({ seed: 1, failureRate: 0, latencyMs: [0, 8], slowMs: 40, staticDir: SITE });
  const server = await startServer({ ...quick, ...options });
  t.after(() => server.close());
  return server;
}

/** The answer to a target exactly as written: `fetch` would tidy it up first. */
async function raw(port, target, { method = 'GET', host = `localhost:${port}` } = {}) {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return { text, status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]) };
}

test('answers: statuses, Retry-After, a count of each kind, and 404 elsewhere', async (t) => {
  const server = await started(t, { seed: 3, failureRate: 1 });
  let limited;
  for (let i = 0; limited?.status !== 429; i++)
    limited = await fetch(`${server.url}/flaky/${i}`, { method: 'POST' }).catch(() => undefined);
  assert.equal(limited.headers.get('retry-after'), '1');
  const { requests, notFound, ...kinds } = server.stats();
  assert.deepEqual([Object.values(kinds).reduce((a, b) => a + b), notFound], [requests, 0]);
  for (const name of ['missing', 'flaky/a%2Fb']) assert.equal((await fetch(`${server.url}/${name}`)).status, 404);
  assert.equal(server.stats().notFound, 2);
});

test('serves the files of its folder and nothing outside of it', async (t) => {
  const { url, port } = await started(t);
  for (const [name, type, text] of [
    ['', 'html', '<!doctype html>'],
    ['assets/a.js', 'javascript', '1'],
    // A link within the folder is followed.
    ['assets/same.js', 'javascript', '1'],
  ]) {
    const response = await fetch(`${url}/${name}`);
    assert.equal(await response.text(), text);
    assert.equal(response.headers.get('content-type'), `text/${type}; charset=utf-8`);
    assert.match(`${response.headers.get('content-security-policy')}`, /^default-src 'self'; .*; base-uri 'none'$/);
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
  }
  const climbing = ['/../secret.txt', '/..%2fsecret.txt', '/assets/..%2f..%2fsecret.txt'];
  for (const target of [...climbing, '/link.txt', '/up/secret.txt', '/%00', '/%zz', '/assets']) {
    const { status, text } = await raw(port, target);
    assert.equal(status, 404, target);
    assert.match(text, /\r\nx-content-type-options: nosniff\r\n/i, target);
    assert.ok(text.includes('\n{"error":"not found"}\n'), `${target} is not repeated`);
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
  const { port } = await started(t);
  for (const method of ['GET', 'POST', 'OPTIONS'])
    for (const target of ODD_TARGETS) {
      const { status, text } = await raw(port, target, { method });
      const allowed = target.startsWith('/') ? [200, 400, 404] : [400];
      assert.ok(allowed.includes(status), `${method} ${target.slice(0, 40)}: ${text.slice(0, 100)}`);
    }
  assert.equal((await raw(port, '/')).status, 200);
});

test('answers only requests that name this machine and its port', async (t) => {
  const { port } = await started(t);
  const right = [`127.0.0.1:${port}`, `localhost:${port}`];
  const others = ['example.com', '127.0.0.1.example.com', '0.0.0.0'].map((name) => `${name}:${port}`);
  for (const host of [...right, '', 'localhost', '127.0.0.1', ...others, `localhost:${port + 1}`])
    assert.equal((await raw(port, '/stats', { host })).status, right.includes(host) ? 200 : 421, host);
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

/** A program in a process of its own: the proof of a clean end is that it ends by itself. */
function child(...args) {
  const stdio = /** @type {any} */ (['ignore', 'pipe', 'inherit']);
  const program = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio, timeout: LIMIT_MS });
  return { program, line: once(program.stdout, 'data').then(String), exit: once(program, 'exit') };
}

test('close ends pending answers and leaves no socket or timer', async () => {
  const { line, exit } = child(
    ...['--input-type=module', '-e'],
    `import net from 'node:net';
    import { until } from './lib/until.mjs';
    import { startServer } from './misbehaving-server.mjs';
    const server = await startServer({ seed: 1, failureRate: 1, slowMs: 60_000 });
    const idle = net.connect(server.port, '127.0.0.1');
    const pending = Promise.allSettled(Array.from({ length: 40 }, (_, i) => fetch(server.url + '/flaky/' + i)));
    await until('an answer is pending', () => server.stats().slow > 0);
    await server.close();
    await pending;
    await new Promise((resolve) => (idle.destroyed ? resolve() : idle.once('close', resolve)));
    console.log('closed');`,
  );
  assert.deepEqual([await line, await exit], ['closed\n', [0, null]]);
});

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  test(`serve.mjs prints its address, answers, and ends with 0 on ${signal}`, async () => {
    const { program, line, exit } = child('serve.mjs', '--port', '0', '--dist', SITE);
    const url = (await line).trim();
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    assert.equal(await (await fetch(url)).text(), '<!doctype html>');
    // A slow response must not delay it.
    const pending = fetch(`${url}flaky/1`).catch(() => undefined);
    program.kill(signal);
    assert.deepEqual(await exit, [0, null]);
    await pending;
  });
