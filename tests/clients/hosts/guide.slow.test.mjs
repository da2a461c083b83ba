// Programs of the guide on the hosts themselves, with each one's own WebSocket and fetch, and with garbage to collect.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Miniflare } from 'miniflare';
import { WebSocketServer } from 'ws';

import { freePort, onLoopback } from '../../package/lib/loopback.mjs';
import { until } from '../../package/lib/until.mjs';
import { bundled } from '../../package/lib/bundle.mjs';
import { project, repo } from '../../package/lib/consumer.mjs';
import { closedOrigin } from '../../package/lib/fetching.mjs';
import { documents } from '../../package/lib/readers.mjs';
import { pasted } from '../lib/pasted.mjs';
import { javaScript, program } from '../lib/programs.mjs';
import { BUN_PROGRAM, denoIn, nodes } from './groups/programs.mjs';

const out = join(process.env.REJITTER_TARGET_DIR || join(repo, 'target'), 'hosts');
const node = (major) => async () => [await nodes(out)(major)];
/** The versions that the package supports. */
const NODES = [20, 22, 24, 26];
const HOSTS = {
  'Node 22': node(22),
  'Node 24': node(24),
  'Node 26': node(26),
  Deno: async () => [await denoIn(out), 'run', '--allow-net', '--allow-env', '--no-prompt'],
  Bun: async () => [BUN_PROGRAM],
};

/** Prints what is heard of each address, and how connections end: three of them, or until it gives up. */
const KEEPER = `
import process from 'node:process';
import * as websocket from './websocket.mjs';
import * as events from './events.mjs';

const told = {};
for (const [name, url] of Object.entries(JSON.parse(process.env.URLS))) {
  const [keep] = Object.values(url.startsWith('ws') ? websocket : events);
  const controller = new AbortController();
  const seen = (told[name] = { heard: [], ends: [] });
  const note = (list, text) => {
    list.push(text);
    if (seen.ends.length === 3 || (url.startsWith('http') && seen.heard.length === 1)) controller.abort();
  };
  // A session whose end is not noticed hangs.
  const options = { baseMs: 1, capMs: 2, connectTimeoutMs: 600_000, signal: controller.signal };
  const onFailure = ({ error }) => note(seen.ends, error.message);
  await keep(url, (text) => note(seen.heard, text), { ...options, onFailure }).catch((error) => {
    seen.rejects = error.message;
  });
}
console.log(JSON.stringify(told));
process.exit(0);
`;

const running = new Set();
function start(command, args, env) {
  const child = spawn(command, args, {
    env: { ...process.env, NODE_OPTIONS: undefined, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

async function printedBy([command, ...args], file, env) {
  const { stdout } = start(command, [...args, file], env);
  let printed = '';
  for await (const text of stdout.setEncoding('utf8')) printed += text;
  return printed;
}

const closers = [];
async function serving(server) {
  const { port, close } = await onLoopback(server);
  closers.push(close);
  return port;
}

let urls;
let dir;
before(async () => {
  const full = createServer((_, response) => response.writeHead(503).end());
  full.on('upgrade', (_, socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n'));
  const working = createServer();
  const seen = new Map();
  new WebSocketServer({ server: working }).on('connection', (socket, { url }) => {
    const nth = (seen.get(url) ?? 0) + 1;
    seen.set(url, nth);
    socket.on('message', () => {
      if (nth === 2) return socket.close(4401, 'who');
      for (const text of ['welcome', 'hello']) socket.send(text);
      socket.close(1012);
    });
  });
  const asked = new Map();
  const streams = createServer(({ url }, response) => {
    asked.set(url, (asked.get(url) ?? 0) + 1);
    if (asked.get(url) === 1) return response.writeHead(503).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: a\n\n');
  });
  const [fullPort, workingPort, streamsPort] = await Promise.all([full, working, streams].map(serving));
  urls = (host) => ({
    refused: closed.replace('http', 'ws'),
    full: `ws://127.0.0.1:${fullPort}`,
    working: `ws://127.0.0.1:${workingPort}/${host}`,
    events: `http://127.0.0.1:${streamsPort}/${host}`,
  });
  const closed = await closedOrigin();
  dir = project('guide', {
    'keeper.mjs': KEEPER,
    'websocket.mjs': await javaScript(program('websocket')),
    'events.mjs': await javaScript(program('events')),
  });
});
after(() => {
  for (const child of running) child.kill('SIGKILL');
  return Promise.all(closers.map((close) => close()));
});

for (const [host, commandOf] of Object.entries(HOSTS))
  test(`${host}: the programs for connections, with its own WebSocket and fetch`, async () => {
    const addresses = urls(host.replace(' ', ''));
    const printed = await printedBy(await commandOf(), join(dir, 'keeper.mjs'), { URLS: JSON.stringify(addresses) });
    const { refused, full, working, events } = JSON.parse(printed);
    for (const { heard, ends, rejects } of [refused, full]) {
      assert.deepEqual([heard, rejects, ends.length], [[], undefined, 3]);
      for (const end of ends) assert.match(end, /^closed with 1006\b/);
    }
    assert.deepEqual(working, {
      heard: ['hello'],
      ends: ['closed with 1012', 'closed with 4401: who'],
      rejects: 'closed with 4401: who',
    });
    assert.deepEqual([events.heard, events.ends.length], [['a'], 1]);
  });

/** Prints what is left of errors that were cloned, as those that workers send are. */
const CLONES = `
import process from 'node:process';
const wrapper = new Error('outer', { cause: new Error('inner') });
const clones = [AbortSignal.abort().reason, wrapper].map((error) => structuredClone(error));
console.log(JSON.stringify(clones.map(({ name, cause }) => [name, cause?.message])));
process.exit(0);
`;

for (const [host, commandOf] of Object.entries({ 'Node 20': node(20), ...HOSTS }))
  test(`${host}: errors that were cloned are what the guide says of them`, async () => {
    const folder = project('clones', { 'main.mjs': CLONES });
    const [[abort], [, cause]] = JSON.parse(await printedBy(await commandOf(), join(folder, 'main.mjs')));
    assert.deepEqual([abort, cause], [host === 'Node 20' ? null : 'AbortError', host === 'Bun' ? null : 'inner']);
  });

/** What collects garbage now and then, as each service does. */
const GARBAGE = `
setInterval(() => { globalThis.garbage = Array.from({ length: 100_000 }, () => ({})); }, 5);
await import('./main.mjs');
`;

for (const major of NODES)
  test(`Node ${major}: the service answers in time, whatever stalls, and whatever is collected`, async () => {
    const upstream = createServer(({ url }, response) => {
      if (url === '/users/half') response.writeHead(200).write('half');
    });
    const [port, PORT] = [await serving(upstream), await freePort()];
    const folder = pasted(await javaScript(program('service')), { 'garbage.mjs': GARBAGE });
    const env = { PORT, API: `http://127.0.0.1:${port}` };
    const child = start((await node(major)())[0], [join(folder, 'garbage.mjs')], env);
    const get = (path) => fetch(`http://127.0.0.1:${PORT}${path}`).then(({ status }) => status);
    await until('the service', () => get('/live').catch(() => undefined));
    assert.deepEqual(await Promise.all(['/users/silent', '/users/half'].map(get)), [502, 502]);
    child.kill('SIGKILL');
  });

/** A server that is busy twice, and the text of a program that asks it. */
async function askingBusy(mark) {
  let requests = 0;
  const server = createServer((_, response) => response.writeHead(++requests < 3 ? 503 : 200).end('prices'));
  const port = await serving(server);
  const code = await javaScript(program(mark));
  assert.match(code, /https:\/\/example\.com/);
  return { code: code.replace('https://example.com', `http://127.0.0.1:${port}`), count: () => requests };
}

/** Resolves with what a worker of this code answers; it does nothing before. */
async function answerOf(code, path, count) {
  const script = await bundled(pasted(code), { conditions: ['workerd'] });
  const worker = new Miniflare({
    ...{ modules: true, script, compatibilityDate: '2026-01-01', compatibilityFlags: ['nodejs_compat'] },
  });
  closers.push(() => worker.dispose());
  await worker.ready;
  assert.equal(count(), 0);
  const response = await worker.dispatchFetch(`http://localhost${path}`);
  return [response.status, await response.text(), count()];
}

for (const major of NODES)
  test(`Node ${major}: undici's dispatcher under createFetch`, async () => {
    const { code, count } = await askingBusy('undici');
    const folder = pasted(`${code}\nconsole.log(response.status, await response.text());\nprocess.exit(0);\n`);
    assert.equal(await printedBy([await nodes(out)(major)], join(folder, 'main.mjs')), '200 prices\n');
    assert.equal(count(), 3);
  });

test('workerd: the handler of a worker answers after retries', async () => {
  const { code, count } = await askingBusy('worker');
  assert.deepEqual(await answerOf(code, '/', count), [200, 'prices', 3]);
});

test("workerd: Hono's app answers after retries", async () => {
  const { code, count } = await askingBusy('hono');
  assert.deepEqual(await answerOf(code, '/users/7', count), [200, 'prices', 3]);
});

/** Asks the app of the recipe in its own process. */
const ASKS = `
import process from 'node:process';
const response = await app.request('/users/7');
console.log(response.status, await response.text());
process.exit(0);
`;

for (const [host, commandOf] of Object.entries({ 'Node 20': node(20), ...HOSTS }))
  test(`${host}: Hono's app answers after retries`, async () => {
    const { code, count } = await askingBusy('hono');
    const folder = pasted(`${code}${ASKS}`);
    assert.equal(await printedBy(await commandOf(), join(folder, 'main.mjs')), '200 prices\n');
    assert.equal(count(), 3);
  });

/** Prints how many texts there were, once none of them needs more than to lose its types. */
const STRIP = `
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
const texts = JSON.parse(readFileSync(new URL('texts.json', import.meta.url), 'utf8'));
for (const text of texts) stripTypeScriptTypes(text, { mode: 'strip' });
console.log(texts.length);
`;

test('Node 22: it runs the TypeScript of all pages and programs as it is', async () => {
  const shown = [...documents.values()].flatMap((text) =>
    Array.from(text.matchAll(/^```ts(?: [^\n]+)?\n(.*?)^```$/gms), ([, code]) => code),
  );
  const folder = join(repo, 'tests/clients/programs');
  const programs = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const texts = [...shown, ...programs.map((name) => readFileSync(join(folder, name), 'utf8'))];
  assert.ok(shown.length >= 15 && programs.length >= 15);
  const dir = project('strip', { 'main.mjs': STRIP, 'texts.json': JSON.stringify(texts) });
  assert.equal(await printedBy(await node(22)(), join(dir, 'main.mjs')), `${texts.length}\n`);
});
