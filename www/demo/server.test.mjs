/** The Node demo: its server does what a seed says, at the stated rates, and no program leaves anything behind. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { fate } from './fate.mjs';
import { siteOf } from './lib/site.mjs';
import { LIMIT_MS } from '../../tests/package/lib/until.mjs';
import { startServer } from './misbehaving-server.mjs';

const folder = await mkdtemp(path.join(tmpdir(), 'server-test-'));
after(() => rm(folder, { recursive: true }));
const SITE = path.join(folder, 'site');
await mkdir(path.join(SITE, 'assets'), { recursive: true });
const FILES = { '../site-secret.txt': 'secret', 'index.html': '<!doctype html>', 'assets/a.js': '1' };
for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(SITE, name), text);

/** A server for one test, which never fails unless the options say so. */
async function started(t, options = {}) {
  const quick = { seed: 1, failureRate: 0, latencyMs: [0, 8], slowMs: 40, site: siteOf(SITE) };
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

test('serves the files of its folder and nothing outside of it', async (t) => {
  const { url, port } = await started(t);
  for (const [name, type, text] of [
    ['', 'html;charset=utf-8', FILES['index.html']],
    ['assets/a.js', 'javascript', FILES['assets/a.js']],
  ]) {
    const response = await fetch(`${url}/${name}`);
    assert.equal(await response.text(), text);
    assert.equal(response.headers.get('content-type'), `text/${type}`);
    assert.match(`${response.headers.get('content-security-policy')}`, /^default-src 'self'; .*; base-uri 'none'$/);
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
  }
  const climbing = ['/../', '/..%2f', '/%2e%2e/', '/assets/..%2f..%2f'].map((up) => `${up}site-secret.txt`);
  for (const target of [...climbing, '/%00', '/%zz', '/flaky/a%2Fb']) {
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
      assert.ok([200, 400, 404].includes(status), `${method} ${target.slice(0, 40)}: ${text.slice(0, 100)}`);
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

const cwd = import.meta.dirname;

/** A program in a process of its own: the proof of a clean end is that it ends by itself. */
function child(...args) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const program = spawn(process.execPath, args, { cwd, stdio, timeout: LIMIT_MS });
  return { program, line: once(program.stdout, 'data').then(String), exit: once(program, 'exit') };
}

test('close ends pending answers and leaves no socket or timer', async () => {
  const { line, exit } = child(
    ...['--input-type=module', '-e'],
    `import net from 'node:net';
    import { until } from '../../tests/package/lib/until.mjs';
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

for (const signal of ['SIGINT', 'SIGTERM'])
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

const PATIENT = `data:text/javascript,import { bePatient } from '${new URL('lib/patience.mjs', import.meta.url)}'; bePatient();`;

/** A run of the program, to whose server another program sends a request. */
async function demo(...args) {
  const running = promisify(execFile)(process.execPath, ['--import', PATIENT, 'main.mjs', ...args], { cwd });
  let stray;
  running.child.stdout?.once('data', async (printed) => {
    stray = (await fetch(`${/against (\S+)\n/.exec(printed)?.[1]}/favicon.ico`)).status;
  });
  const { stdout } = await running;
  assert.equal(stray, 404);
  const rows = stdout.split('\n').filter((line) => /^(\d\d|missing) +\d+ {2}/.test(line));
  // Without the last column, the milliseconds that the request took.
  return { stdout, stories: rows.map((row) => row.replace(/\s+\d+$/, '')) };
}

test('runs with one seed have the same answers, waits and outcomes, as the table says; others differ', async () => {
  // One after the other: whether an answer came in time should depend on the server alone.
  const { stdout, stories } = await demo('--seed', '42');
  assert.deepEqual((await demo('--seed', '42')).stories, stories);
  // Those of the server, too: without the client's waits.
  const answersOf = (all) => all.map((story) => story.replaceAll(/ \(\d+\)| +(?= )/g, ''));
  assert.notDeepEqual(answersOf((await demo('--seed', '6')).stories), answersOf(stories));
  let sent = 0;
  for (const story of stories) {
    const [, attempts, answers, outcome] = /^\S+ +(\d+) {2}(.+?) +(ok|gave up|rejected)$/.exec(story) ?? [];
    const met = `${answers}`.replaceAll(/ ?\(\d+\)/g, '').split(' ');
    assert.equal(met.length, Number(attempts), story);
    assert.equal(met.at(-1) === '200', outcome === 'ok', story);
    assert.doesNotMatch(met.slice(0, -1).join(' '), /(?<!^)\b(?!503|429|drop|slow)\w/, story);
    if (outcome === 'gave up') assert.equal(met.length, 6, story);
    if (!story.startsWith('missing')) sent += met.length;
  }
  assert.equal(stories.length, 25);
  assert.match(`${stories.at(-1)}`, /^missing +1 {2}404 +rejected$/);
  for (const one of [/ 503/, / 429 \(1\d{3}\)/, / drop/, / slow/, /\(\d+\) .* ok$/m])
    assert.match(stories.join('\n'), one);
  // The stray request is not counted.
  assert.match(stdout, new RegExp(`received ${sent} requests to /flaky/; the client made ${sent}\\n`));
  assert.ok(Math.max(...stdout.split('\n').map((line) => line.length)) <= 100);
});

test('with a server that never fails, and with one that always does', async () => {
  const never = await demo('--rate', '0');
  const always = await demo('--rate', '1', '--requests', '3');
  assert.match(never.stdout, /with retry +24 of 24 \(100%\)/);
  assert.ok(never.stories.slice(0, 24).every((story) => /^\d\d +1 {2}200 +ok$/.test(story)));
  assert.match(always.stdout, /with retry +0 of 3 \(0%\)/);
});

for (const invalid of ['--rate 1.5', '--requests x', '--concurrency 0'])
  test(`rejects ${invalid}`, () =>
    assert.rejects(demo(...invalid.split(' ')), { code: 2, stderr: new RegExp(`^${invalid.split(' ')[0]} must be`) }));

const IDS = Array.from({ length: 20_000 }, (_, i) => `r${i}`);
const LATENCY_MS = [60, 160];
const kindOf = (failure, failureRate, id, n = 1) =>
  fate({ seed: 7, id, n, failure, failureRate, latencyMs: LATENCY_MS }).kind;

test('the server fails at the requested rate, in the shares of its kind, whatever became of requests before', () => {
  for (const [failure, rate, ns, expected] of [
    ['mixed', 0, [1], { ok: 1 }],
    ['mixed', 0.3, [1], { ok: 0.7, unavailable: 0.12, limited: 0.06, dropped: 0.06, slow: 0.06 }],
    ['mixed', 1, [1], { unavailable: 0.4, limited: 0.2, dropped: 0.2, slow: 0.2 }],
    ['503', 0.9, [1], { ok: 0.1, unavailable: 0.9 }],
    ['429', 0.9, [1], { ok: 0.1, limited: 0.9 }],
    [
      '503',
      0.6,
      [1, 2],
      { 'ok ok': 0.16, 'ok unavailable': 0.24, 'unavailable ok': 0.24, 'unavailable unavailable': 0.36 },
    ],
  ]) {
    const met = IDS.map((id) => ns.map((n) => kindOf(failure, rate, id, n)).join(' '));
    for (const one of new Set([...met, ...Object.keys(expected)])) {
      const [part, share] = [met.filter((other) => other === one).length / met.length, expected[one] ?? 0];
      const noise = 4 * Math.sqrt((share * (1 - share)) / met.length);
      assert.ok(Math.abs(part - share) <= noise, `${one} of ${failure} at ${rate}: ${part}`);
    }
  }
});

test('a fate is the same for the same seed, id and count, and another for others; the latency is in its range', () => {
  const of = (/** */ seed, id, n) => fate({ seed, id, n, failureRate: 0.6, latencyMs: LATENCY_MS });
  // These numbers are in links and in screenshots: a change of the rule is a change of the page.
  assert.deepEqual(
    ['1', '2', '3', '4'].map((id) => [1, 2, 3].map((n) => of(42, id, n).kind).join()),
    ['ok,ok,limited', 'slow,dropped,unavailable', 'ok,ok,ok', 'unavailable,unavailable,unavailable'],
  );
  assert.deepEqual(of(42, '1', 1), of('42', '1', 1));
  const all = [42, 43].flatMap((seed) => ['1', '2'].flatMap((id) => [1, 2].map((n) => of(seed, id, n).latencyMs)));
  assert.equal(new Set(all).size, all.length);
  for (const { latencyMs } of IDS.map((id) => of(1, id, 1))) assert.ok(latencyMs >= 60 && latencyMs < 160);
});
