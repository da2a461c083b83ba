// The programs of the guides for logs, metrics, services, command lines and pages: each is saved as a file and run as a
// process of its own, against a server that misbehaves. And the tables of events, beside their types.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { importEntry, importPackage, installed } from '../../package/lib/consumer.mjs';
import { listen } from '../../package/lib/fetching.mjs';
import { readDeclarations } from '../lib/dts.mjs';
import { importPasted, pasted, still } from '../lib/pasted.mjs';
import { javaScript, program, serve } from '../lib/programs.mjs';
import { freePort } from '../../package/lib/loopback.mjs';
import { until } from '../../package/lib/until.mjs';
import { blocks, declarations, documents, marked, tableIn } from '../../package/lib/readers.mjs';

const { RetryPolicy, permanent, retryAfter } = await importPackage();
const { breaker, budget, cooldown, limiter, protect } = await importEntry('protection');

/** What the server does with each request, in turn: a status, or nothing. Then it answers. */
let misbehaves = [];
let seen = [];
/** The process that was started last. */
let latest;
const server = await serve(({ method, url }) => {
  seen.push(`${method} ${url}`);
  const next = misbehaves.shift() ?? 200;
  if (next === 'times out') latest.kill('SIGUSR2');
  if (next === 'hangs' || next === 'times out') return new Promise(() => {});
  return { text: '{"name":"Ada"}', ...(typeof next === 'number' ? { status: next } : next) };
});
after(server.close);

/**
 * Attempts have no limit of time, which a process that gets little of a busy machine would reach while the server
 * answers. The limit of the last one ends at SIGUSR2.
 */
const HELD = `data:text/javascript,
  const { setTimeout: start } = globalThis;
  let end;
  process.on('SIGUSR2', () => end());
  globalThis.setTimeout = (callback, ms, ...rest) => {
    if (ms !== 500 && ms !== 2000) return start(callback, ms, ...rest);
    end = () => callback(...rest);
    return start(end, 1e9);
  };`.replaceAll('\n', '');

/** Starts a program as a process in a folder of its own, edited, with more code behind it. */
async function starts(mark, { args = [], env, edit = (code) => code, more = '' } = {}) {
  const dir = pasted(edit(await javaScript(program(mark))) + more);
  const child = spawn(process.execPath, ['--import', HELD, 'main.mjs', ...args], {
    cwd: dir,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, API: server.url, ...env },
  });
  latest = child;
  const said = { stdout: '', stderr: '' };
  for (const name of Object.keys(said)) child[name].on('data', (chunk) => (said[name] += chunk));
  after(() => child.kill('SIGKILL'));
  return { dir, child, said, ended: once(child, 'close').then(([code]) => code) };
}

/** Runs a program to its end while the server answers so. Returns what it printed. */
async function runs(mark, answers, more) {
  [misbehaves, seen] = [[...answers], []];
  const { ended, said } = await starts(mark, { more });
  assert.deepEqual([await ended, said.stderr], [0, '']);
  return said.stdout;
}

test('pino: each retry is a line with the name, method and origin, and without path and query', async () => {
  const lines = (await runs('pino', [503, 'times out', 200])).trim().split('\n');
  assert.deepEqual(seen, Array(3).fill('GET /users/7?token=secret'));
  const [first, second, ...others] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(others, []);
  const labels = { msg: 'retry', name: 'GET /users/:id', method: 'GET', origin: server.url };
  for (const [i, event] of [first, second].entries()) {
    for (const [key, value] of Object.entries({ ...labels, attempt: i + 1 })) assert.equal(event[key], value, key);
    assert.ok(event.delayMs >= 0);
  }
  assert.equal(first.status, 503);
  assert.match(second.err.message, new RegExp(`timed out after 500 ms .*\\(GET ${server.url}\\)$`));
  assert.ok(!lines.join().includes('secret'));
});

test('prom-client: attempts and operations have the names that the alert divides', async () => {
  const more = `\nimport { register } from 'prom-client';\nconsole.log(await register.metrics());`;
  const text = await runs('prom-client', [503, 503, 200], more);
  assert.match(text, /^rejitter_attempts_total\{rejitter_name="load user"\} 3$/m);
  assert.match(text, /^rejitter_operations_total\{rejitter_name="load user",rejitter_outcome="success"\} 1$/m);
  const [, alert] = /expr: >\n(.*?)\n {2}for:/s.exec(documents.get('docs/guide/logs-and-metrics.md'));
  const named = [...alert.matchAll(/\w+_total/g)].map(([name]) => name);
  assert.deepEqual(named, ['rejitter_attempts_total', 'rejitter_operations_total']);
  for (const name of named) assert.ok(text.includes(`# TYPE ${name} counter`));
});

const PAGE = documents.get('docs/guide/logs-and-metrics.md');
const namesIn = (cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);

/** The names in the first cells of a table's rows. */
const listedIn = (rows) => rows.flatMap(([cell]) => namesIn(cell)).sort();

test('the table of events lists each member of each hook, and no others', () => {
  const [index, fetch] = ['index.d.ts', 'fetch.d.ts'].map(readDeclarations);
  const membersOf = (type) => [...(index.exports.has(type) ? index : fetch).options(type).keys()];
  const HOOK = /^ *(\w+)\?: \(\(event: ([\w &]+)\) => unknown\) \| undefined;$/gm;
  const hooks = [...declarations('fetch.d.ts').matchAll(HOOK)];
  assert.deepEqual(hooks.map(([, hook]) => hook).sort(), listedIn(tableIn(PAGE, 'hook')));
  const rows = tableIn(PAGE, 'member');
  for (const [, hook, types] of hooks) {
    const declared = new Set(types.split(' & ').flatMap(membersOf));
    // A type has it for the hooks before an outcome, too.
    if (!['onAttempt', 'onFailure'].includes(hook)) declared.delete('hedge');
    const ofHook = rows.filter(([, events]) => events.startsWith('all') || namesIn(events).includes(hook));
    assert.deepEqual(listedIn(ofHook), [...declared].sort(), hook);
  }
});

test('the table of a report lists each of its members and those of its records', () => {
  const { options } = readDeclarations('index.d.ts');
  const rows = tableIn(PAGE, 'report');
  const records = rows.find(([cell]) => cell === '`records`').slice(1);
  const declared = ['RetryReport', 'AttemptRecord'].flatMap((type) => [...options(type).keys()]);
  assert.deepEqual(listedIn([...rows, records]), declared.sort());
});

test('the table of events of a protection has the members that they have', async () => {
  const found = {};
  const onEvent = ({ type, key, ...members }) => Object.assign((found[type] ??= {}), members);
  const parts = [budget({ capacity: 1, perSuccess: 1 }), breaker({ consecutiveFailures: 3, openMs: 10 }), cooldown()];
  const policy = new RetryPolicy({ maxAttempts: 2, baseMs: 1, protection: protect(...parts, { onEvent }) });
  await still(async () => {
    const call = (fn) => policy.run(fn).catch((error) => error);
    const fails = (error) => call(() => Promise.reject(error));
    for (let i = 0; i < 5; i += 1) await fails(new Error('down'));
    await new Promise((done) => setTimeout(done, 20)); // the clock's
    for (let i = 0; i < 3; i += 1) await call(() => 1);
    await fails(permanent(retryAfter(1000, new Error('busy'))));
    await Promise.all([1, 2, 3].map(() => call(() => 1)));
    const limited = new RetryPolicy({ protection: protect(limiter({ limit: 1000 }), { onEvent }) });
    await Promise.all([1, 2].map(() => limited.run(() => 1)));
  });
  const rows = tableIn(PAGE, 'event of a protection');
  assert.deepEqual(Object.keys(found).sort(), listedIn(rows));
  for (const [types, members] of rows)
    for (const type of namesIn(types)) assert.deepEqual(Object.keys(found[type]).sort(), namesIn(members).sort(), type);
});

/** Sends half of a file, and no more. */
async function halfOfAFile() {
  const { origin, close } = await listen((_, response) => {
    response.writeHead(200, { 'content-length': 200_000 }).write('x'.repeat(100_000));
  });
  after(close);
  return `${origin}/file`;
}

test('command-line tool: Ctrl-C and a 404 end it, without a part of the file', async () => {
  const { dir, child, ended, said } = await starts('cli', { args: [await halfOfAFile(), 'file'] });
  await until('a part of the file', () => /\r100000 of 200000 bytes/.test(said.stderr));
  child.kill('SIGINT');
  assert.equal(await ended, 130);
  assert.match(said.stderr, /interrupted/);
  misbehaves = [404];
  const missing = await starts('cli', { args: [server.url, 'file'] });
  assert.equal(await missing.ended, 1);
  for (const folder of [dir, missing.dir]) assert.ok(!readdirSync(folder).some((name) => name.startsWith('file')));
});

/** Its limits are reached in hosts/guide.slow.test.mjs. Here all is answered, on the busiest machine. */
function withoutLimits(code) {
  const edited = code.replaceAll(/\b(?:1500|[45]e3)\b/g, '6e5');
  assert.equal(edited.split('6e5').length, 4, 'of an attempt, of all, and of the request');
  return edited;
}

test('service: answers through retries, hands waits on, spares a server that is down, and ends at SIGTERM', async () => {
  const PORT = await freePort();
  const origin = `http://127.0.0.1:${PORT}`;
  const hinted = { status: 503, headers: { 'retry-after': '100' } };
  [misbehaves, seen] = [[503, 503], []];
  const { child, ended, said } = await starts('service', { env: { PORT }, edit: withoutLimits });
  const get = (path, init) => fetch(origin + path, { headers: { connection: 'close' }, ...init });
  await until('the service', () => get('/live').catch(() => undefined));

  const response = await get('/users/a%2Fb');
  assert.deepEqual(
    [response.status, await response.text(), seen],
    [200, '{"name":"Ada"}', Array(3).fill('GET /users/a%2Fb')],
  );
  misbehaves = [hinted];
  assert.deepEqual(await get('/users/7').then((r) => [r.status, r.headers.get('retry-after')]), [503, '100']);

  misbehaves = Array(30_000).fill(500);
  const statuses = await Promise.all(Array.from({ length: 60 }, () => get('/users/7').then((r) => r.status)));
  assert.ok(statuses.every((status) => status === 500 || status === 503));
  await until('the circuit is open', async () => {
    const { status, headers } = await get('/users/7');
    return status === 503 && /^[1-5]$/.test(headers.get('retry-after') ?? '');
  });
  assert.deepEqual(await Promise.all(['/live', '/ready'].map((path) => get(path).then((r) => r.status))), [200, 200]);

  // When the opening is over, a call hangs until the end.
  [misbehaves, seen] = [Array(9).fill('hangs'), []];
  const last = (async () => {
    for (;;) {
      const { status, headers } = await get('/users/7');
      if (!headers.has('retry-after')) return status;
      await delay(100);
    }
  })();
  await until('the request', () => seen.length > 0);
  child.kill('SIGTERM');
  assert.deepEqual([await last, await ended, said.stderr], [503, 0, '']);
});

test('library: its client takes a policy of another copy of the package, and hands the signal on', async () => {
  const [{ code }] = blocks(documents.get('docs/guide/library-authors.md'));
  const [[, api]] = marked('api.mjs');
  const { Client } = await importPasted(await javaScript(code), { 'api.mjs': api });
  const copy = await import(pathToFileURL(join(installed, 'index.js')));
  assert.notEqual(copy.RetryPolicy, RetryPolicy);
  const retried = new Client({ retry: new copy.RetryPolicy({ maxAttempts: 3, baseMs: 1 }) });
  assert.equal((await retried.user(7)).name, 'Ada');
  await assert.rejects(new Client({ retry: false }).user(7), { status: 503 });
  const stop = new AbortController();
  const run = (work) => work({ signal: stop.signal });
  stop.abort(new Error('stopped'));
  await assert.rejects(async () => new Client({ retry: { run } }).user(7), /stopped/);
});
