/** The misbehaving server: what it does is fixed by its seed, and it leaves nothing behind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fate } from './fate.mjs';
import { LIMIT_MS } from './lib/until.mjs';
import { startServer } from './misbehaving-server.mjs';

/** @typedef {import('node:test').TestContext} TestContext */

const QUICK = /** @type {const} */ ({ latencyMs: [0, 8], slowMs: 40 });

/**
 * A server for one test.
 * @param {TestContext} t
 * @param {Parameters<typeof startServer>[0]} options
 */
async function started(t, options) {
  const server = await startServer(options);
  t.after(() => server.close());
  return server;
}

/** @param {TestContext} t */
async function temporaryFolder(t) {
  const folder = await mkdtemp(path.join(tmpdir(), 'server-test-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/**
 * The fate of one request, as a client without a clock sees it: a slow answer is a 200.
 * @param {string} url
 */
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

/**
 * Five requests for each of twelve ids; those for one id follow each other, the ids go in any order.
 * @param {string} url
 * @param {'as listed' | 'reversed' | 'at once'} order
 */
async function story(url, order) {
  const ids = Array.from({ length: 12 }, (_, i) => `id-${i}`);
  /** @type {Record<string, string[]>} */
  const met = {};
  const ask = async (/** @type {string} */ id) => {
    const answers = (met[id] = /** @type {string[]} */ ([]));
    for (let n = 0; n < 5; n++) answers.push(await meet(`${url}/flaky/${id}`));
  };
  if (order === 'at once') await Promise.all(ids.map(ask));
  else for (const id of order === 'reversed' ? ids.reverse() : ids) await ask(id);
  return met;
}

test('the fate of a request depends on seed, id and count, not on the order of arrival', async (t) => {
  const servers = await Promise.all([5, 5, 5, 2].map((seed) => started(t, { seed, failureRate: 0.6, ...QUICK })));
  const orders = /** @type {const} */ (['as listed', 'reversed', 'at once', 'as listed']);
  const met = await Promise.all(
    servers.map(async (server, i) => ({
      answers: await story(server.url, orders[i] ?? 'as listed'),
      counted: server.stats(),
    })),
  );
  const [first, reversed, atOnce, otherSeed] = met;
  assert.deepEqual(reversed, first);
  assert.deepEqual(atOnce, first);
  assert.notDeepEqual(otherSeed, first);
  assert.deepEqual([...new Set(Object.values(first?.answers ?? {}).flat())].sort(), ['200', '429', '503', 'drop']);
  assert.ok(first && first.counted.slow > 0 && first.counted.ok > 0);
});

test('a slow answer is a good one that takes its time', async (t) => {
  const settings = { seed: 1, failureRate: 1, latencyMs: /** @type {const} */ ([0, 1]), slowMs: 300 };
  const id = Array.from({ length: 100 }, (_, i) => `x${i}`).find(
    (id) => fate({ ...settings, id, n: 1 }).kind === 'slow',
  );
  const server = await started(t, settings);
  const start = performance.now();
  assert.equal(await meet(`${server.url}/flaky/${id}`), '200');
  // A timer may fire up to a millisecond early.
  assert.ok(performance.now() - start >= 299);
});

test('answers: statuses, Retry-After, a count of each kind, and 404 elsewhere', async (t) => {
  const server = await started(t, { seed: 3, failureRate: 1, ...QUICK });
  let limited;
  for (let i = 0; !limited; i++) {
    const response = await fetch(`${server.url}/flaky/${i}`, { method: 'POST' }).catch(() => undefined);
    if (response?.status === 429) limited = response;
  }
  assert.equal(limited.headers.get('retry-after'), '1');

  const { requests, notFound, ...kinds } = server.stats();
  assert.equal(
    Object.values(kinds).reduce((a, b) => a + b),
    requests,
  );
  assert.equal(notFound, 0);
  assert.equal((await fetch(`${server.url}/missing`)).status, 404);
  assert.equal((await fetch(`${server.url}/flaky/a%2Fb`)).status, 404);
  assert.equal(server.stats().notFound, 2);
});

test('serves the files of its folder and nothing outside of it', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(path.join(folder, 'site/assets'), { recursive: true });
  await writeFile(path.join(folder, 'secret.txt'), 'secret');
  await writeFile(path.join(folder, 'site/index.html'), '<!doctype html>');
  await writeFile(path.join(folder, 'site/assets/a.js'), '1');
  await symlink('a.js', path.join(folder, 'site/assets/same.js'));
  await symlink('../secret.txt', path.join(folder, 'site/link.txt'));
  await symlink('..', path.join(folder, 'site/up'));
  const server = await started(t, { seed: 1, staticDir: path.join(folder, 'site') });
  const page = await fetch(`${server.url}/`);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(await page.text(), '<!doctype html>');
  assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'self'; .*; base-uri 'none'$/);
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(
    (await fetch(`${server.url}/assets/a.js`)).headers.get('content-type'),
    'text/javascript; charset=utf-8',
  );
  assert.equal((await fetch(`${server.url}/assets/same.js`)).status, 200, 'a link within the folder is followed');
  const outside = [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/link.txt',
    '/up/secret.txt',
    '/%00',
    '/%zz',
    '/assets',
  ];
  for (const target of outside) {
    const answer = await rawGet(server.port, target);
    assert.match(answer, /^HTTP\/1\.1 404 /, target);
    assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/i, target);
    assert.ok(answer.includes('\n{"error":"not found"}\n'), `${target} is not repeated`);
  }
});

/** Request targets that are not paths of files; in most of them `new URL` finds an invalid host or port. */
const ODD_TARGETS = [
  '//',
  '///',
  '//[',
  '//x:99999/',
  '//user@:80/',
  '//%',
  '/\\',
  '/\\[',
  '/\\x:99999',
  '/?',
  '/#',
  '/flaky/',
  '/flaky/%',
  '/flaky/%00',
  '/flaky/1?x=%ff[',
  'http://[',
  'http://x:99999/',
  'http://',
  'http:',
  'https://%/',
  'file:///etc/passwd',
  'javascript:1',
  '*',
  '?',
  '[',
  '%',
  'x',
  '..',
  `/${'a'.repeat(8000)}`,
  `/${'../'.repeat(2000)}`,
];

test('survives any request target, from any page, and answers the next request', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(path.join(folder, 'index.html'), '<!doctype html>');
  const server = await started(t, { seed: 1, failureRate: 0, staticDir: folder, ...QUICK });
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    for (const target of ODD_TARGETS) {
      const answer = await rawGet(server.port, target, { method });
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
      const isPath = target.startsWith('/');
      assert.ok(
        isPath ? [200, 400, 404].includes(status) : status === 400,
        `${method} ${target.slice(0, 40)}: ${answer.slice(0, 100)}`,
      );
    }
  }
  assert.equal((await fetch(`${server.url}/`)).status, 200);
});

test('answers only requests that name this machine and its port', async (t) => {
  const server = await started(t, { seed: 1, failureRate: 0, ...QUICK });
  const statusFor = async (/** @type {string} */ host) =>
    Number(/^HTTP\/1\.1 (\d{3}) /.exec(await rawGet(server.port, '/stats', { host }))?.[1]);
  for (const host of [`127.0.0.1:${server.port}`, `localhost:${server.port}`])
    assert.equal(await statusFor(host), 200, host);
  for (const host of [
    '',
    'localhost',
    '127.0.0.1',
    `example.com:${server.port}`,
    `127.0.0.1.example.com:${server.port}`,
    `localhost:${server.port + 1}`,
    `0.0.0.0:${server.port}`,
  ]) {
    assert.equal(await statusFor(host), 421, host);
  }
});

test('keeps the counts of the latest ids, however many other programs ask for', async (t) => {
  const server = await started(t, { seed: 1, failureRate: 0, latencyMs: [0, 0] });
  const ask = (/** @type {string} */ id) => fetch(`${server.url}/flaky/${id}`).then((response) => response.json());
  await ask('x');
  assert.equal((await ask('x')).n, 2);
  for (let i = 0; i < 2001; i += 69) await Promise.all(Array.from({ length: 69 }, (_, j) => ask(`id-${i + j}`)));
  assert.equal((await ask('x')).n, 1, 'forgotten: 2,000 other ids came after it');
  assert.equal((await ask('id-2000')).n, 2);
});

/**
 * The answer to a target exactly as written: `fetch` would tidy it up first.
 * @param {number} port
 * @param {string} target
 * @param {{ method?: string, host?: string }} [request]
 */
async function rawGet(port, target, { method = 'GET', host = `localhost:${port}` } = {}) {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

test('close ends pending answers and leaves no socket or timer', async () => {
  // A child process, for the proof is that it ends by itself: nothing keeps it alive.
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
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const [status] = await once(child, 'exit');
  assert.equal(output, 'closed\n');
  assert.equal(status, 0);
});

test('serve.mjs prints its address, answers, and ends with 0 on SIGINT and on SIGTERM', async (t) => {
  const dist = await temporaryFolder(t);
  await writeFile(path.join(dist, 'index.html'), '<!doctype html><title>page</title>');
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('serve.mjs', import.meta.url)), '--port', '0', '--dist', dist],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: LIMIT_MS,
      },
    );
    const exit = once(child, 'exit');
    const [line] = await once(child.stdout, 'data');
    const url = String(line).trim();
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    assert.match(await (await fetch(url)).text(), /page/);
    // A slow response must not delay it.
    const pending = fetch(`${url}flaky/1`).catch(() => undefined);
    child.kill(signal);
    assert.deepEqual(await exit, [0, null]);
    await pending;
  }
});
