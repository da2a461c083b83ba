// Programs that change their host before they send requests, or watch it. Each prints what is expected of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { printed } from '../lib/consumer.mjs';

const IMPORT = "const { HttpStatusError, createFetch, fetchWithRetry, retryAfterMs } = await import('rejitter/fetch');";
const PRELUDE = `
  const statuses = (...list) => Object.assign(async (...args) => {
    const { sent } = statuses;
    return new Response('x', { status: list[Math.min(sent.push(args), list.length) - 1] });
  }, statuses.sent = []);
  const caught = (promise) => promise.catch((error) => error);
  const collect = async () => {
    for (let i = 0; i < 10; i += 1) { await new Promise((go) => setTimeout(go, 5)); gc(); }
  };
`;
const GC = { flags: ['--expose-gc'] };
/** Program, what it prints, and how it runs. */
const PROGRAMS = {
  'the first thing a program does may be to replace the global fetch': [
    `${IMPORT} globalThis.fetch = fetchWithRetry; console.log(await (await fetch('data:,hello')).text());`,
    'hello',
  ],
  'without a global fetch the error says what to do': [
    `delete globalThis.fetch; ${IMPORT}
    console.log(String(await caught(fetchWithRetry('http://x/'))));
    console.log((await createFetch({}, async () => ({ status: 200 }))('http://x/')).status);`,
    'TypeError: rejitter: no global fetch; pass one to createFetch(options, fetch)\n200',
  ],
  'light says so at once, too': [
    `const { createFetch } = await import('rejitter/light/fetch'); const { fetch } = globalThis;
    const ours = createFetch(); globalThis.fetch = undefined;
    console.log(String(await caught(ours('data:,x'))));
    globalThis.fetch = fetch; console.log((await ours('data:,x')).status);`,
    'TypeError: rejitter: fetch must be a function, got undefined\n200',
  ],
  'without a global fetch, under a wrapper that leads back to ours: a TypeError, and never undefined': [
    `globalThis.fetch = undefined; ${IMPORT}
    const ours = createFetch({ maxAttempts: 1 });
    globalThis.fetch = (...args) => ours(...args);
    console.log((await caught(ours('http://x/'))).name);`,
    'TypeError',
  ],
  'throwOnStatus under a frozen Error.prototype': [
    `${IMPORT} Object.freeze(Error.prototype);
    const error = await caught(createFetch({ throwOnStatus: true }, statuses(404))('http://x/'));
    console.log(error.name, error.status, await error.response.text(), Object.keys(error).join());`,
    'HttpStatusError 404 x name,status,method,origin',
  ],
  // Node loads its fetch when it is first used, and reads the versions then.
  'B11 408 is retried in browsers, too': [
    `${IMPORT} new Request('http://x/'); new Response();
    Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Mozilla/5.0 (X11)' }, configurable: true });
    Object.defineProperty(process, 'versions', { value: {} });
    console.log((await createFetch({ baseMs: 1 }, statuses(408, 200))('http://x/')).status);`,
    '200',
  ],
  'a response that is not retried enters no wasm': [
    `let compiled = 0;
    const { instantiate } = WebAssembly;
    // Node's own fetch has a wasm of its own, with imports.
    WebAssembly.instantiate = (...args) => { compiled += args.length === 1; return instantiate(...args); };
    ${IMPORT}
    const fetch = createFetch({}, statuses(200, 200, 404, 503));
    await fetch('http://x/'); await fetch('http://x/', { method: 'POST', body: 'x' });
    await fetch('http://x/');
    const before = compiled;
    await fetch('http://x/', { retry: { baseMs: 1, maxAttempts: 4 } });
    console.log(before, compiled);`,
    '0 1',
  ],
  'idempotencyKey auto where there is no crypto: rejected before anything is sent, with the remedy': [
    `${IMPORT} delete globalThis.crypto;
    const send = (idempotencyKey) => createFetch({ idempotencyKey }, statuses(200))('http://x/', { method: 'POST' });
    const { name, message } = await caught(send('auto'));
    console.log(statuses.sent.length, name, /^rejitter: idempotencyKey 'auto' .*crypto.*function/.test(message));
    console.log((await send(() => 'mine')).status);`,
    '0 TypeError true\n200',
  ],
  'R03 the time zone changes nothing': [
    `${IMPORT} Date.now = () => Date.UTC(2023, 10, 14, 22, 13, 20);
    const dates = ['Tue, 14 Nov 2023 22:14:20 GMT', 'Tuesday, 14-Nov-23 22:14:20 GMT', 'Tue Nov 14 22:14:20 2023'];
    console.log(new Date(0).getTimezoneOffset(), ...dates.map(retryAfterMs));`,
    '300 60000 60000 60000',
    { env: { TZ: 'America/New_York' } },
  ],
  'an aborted call ends with the reason where a mock took the place of the global fetch, whatever it takes': [
    `${IMPORT} globalThis.fetch = async () => new Response();
    console.log(String(await createFetch()('/api', { signal: AbortSignal.abort('enough') }).catch(String)));`,
    'enough',
  ],
  "a wrapper's own request, for a token, is retried, and leaves the wrapper in its place": [
    `${IMPORT}
    const answered = [];
    let failures = 2;
    const real = async (url, init) => {
      answered.push(url.slice(9) + ' ' + init?.headers?.authorization);
      return new Response('token', { status: url === 'http://x/token' && failures-- > 0 ? 503 : 200 });
    };
    globalThis.fetch = real;
    const ours = createFetch({ baseMs: 0 });
    let token;
    globalThis.fetch = async (url, init) => {
      token ??= await (await ours('http://x/token')).text();
      return real(url, { ...init, headers: { authorization: token } });
    };
    for (const path of ['a', 'b', 'c']) await ours('http://x/' + path);
    console.log(answered.join());`,
    `${'token undefined,'.repeat(3)}a token,b token,c token`,
  ],
  'where the host does not follow asynchronous calls, many at once are retried through the wrapper': [
    `process.getBuiltinModule = undefined; ${IMPORT}
    let sent = 0;
    const busy = globalThis.fetch = statuses(503);
    const ours = createFetch({ baseMs: 0, maxAttempts: 3 });
    globalThis.fetch = (...args) => (sent++, busy(...args));
    await Promise.all(Array.from({ length: 500 }, () => ours('http://x/graphql')));
    console.log(sent);`,
    '1500',
  ],
  'A01 with timeouts: one weak listener for all responses with a body, gone when they are': [
    `${IMPORT}
    const { getEventListeners } = await import('node:events');
    const { signal } = new AbortController();
    const fetch = createFetch({ attemptTimeoutMs: 60000 }, statuses(200));
    for (let i = 0; i < 300; i += 1) await (await fetch('http://x/', { signal })).text();
    const held = [await fetch('http://x/', { signal }), await fetch('http://x/', { signal })];
    statuses.sent.length = 0;
    await collect();
    const during = getEventListeners(signal, 'abort').length;
    held.length = 0;
    await collect();
    console.log(during, getEventListeners(signal, 'abort').length);`,
    '1 0',
    GC,
  ],
  'Node does not warn of listeners when the attempts of many calls with one signal fail': [
    `${IMPORT}
    process.on('warning', (warning) => console.log(warning.name));
    const { signal } = new AbortController();
    // It makes a Request with the signal, as fetch does, without a network.
    const inner = async (url, init) => new Response(null, { status: new Request(url, init) && 503 });
    const fetch = createFetch({ baseMs: 0, maxAttempts: 4 }, inner);
    const call = async () => (await fetch('http://x/', { signal })).status;
    console.log(...new Set(await Promise.all(Array.from({ length: 700 }, call))));`,
    '503',
  ],
};
const PUT = "new Request(url, { signal, method: 'PUT', body: 'x' })";
/** How a caller that can abort makes its call. */
const CALLS = ['url, { signal }', 'new Request(url, { signal })', PUT].flatMap((args) =>
  ['{ attemptTimeoutMs: 60000 }', '{}', '{ maxAttempts: 1 }'].map((options) => `createFetch(${options})(${args})`),
);
// Node forgets with the next garbage what the signal of a Request, or of its copy, follows. All calls share a process
// and its collections, which take most of the time.
PROGRAMS['the headers and the body of each call can be aborted after a collection of garbage'] = [
  `
  const entries = {};
  for (const entry of ['fetch', 'light/fetch']) entries[entry] = (await import('rejitter/' + entry)).createFetch;
  const makers = { ${CALLS.map((call) => `${JSON.stringify(call)}: (createFetch, url, signal) => ${call}`).join()} };
  const rows = Object.keys(entries).flatMap((entry) => Object.keys(makers).flatMap((call) =>
    ['headers', 'body'].map((waits) => ({ entry, call, waits, name: [entry, call, waits].join() }))));
  const server = (await import('node:http')).createServer(({ url }, response) => {
    const row = rows[url.slice(1)];
    response.once('close', row.close);
    if (row.waits === 'body') response.writeHead(200).write('begin');
    row.ask();
  });
  await new Promise((go) => server.listen(0, '127.0.0.1', go));
  const late = new Set(rows.map(({ name }) => name));
  setTimeout(() => { console.log('late:', ...late); process.exit(); }, 120_000).unref();
  let waiting = rows.length;
  let collected;
  const allWait = new Promise((go) => (collected = () => collect().then(go)));
  await Promise.all(rows.map(async (row, i) => {
    const asked = new Promise((ask) => (row.ask = ask));
    const closed = new Promise((close) => (row.close = close));
    const controller = new AbortController();
    const { signal } = controller;
    const url = 'http://127.0.0.1:' + server.address().port + '/' + i;
    // Only the reader is kept.
    const answer = async () => (await makers[row.call](entries[row.entry], url, signal)).body.getReader();
    const reader = caught(answer());
    await asked;
    if (row.waits === 'body') await (await reader).read();
    if (--waiting === 0) collected();
    await allWait;
    const reason = new Error('enough');
    controller.abort(reason);
    const said = row.waits === 'body' ? await caught((await reader).read()) : await reader;
    await closed;
    if (said === reason) late.delete(row.name);
  }));
  server.close();
  console.log(rows.length, ...late);`,
  '36',
  GC,
];

for (const [name, [program, says, options]] of Object.entries(PROGRAMS))
  test(name, async () => assert.equal((await printed(PRELUDE + program, options)).trimEnd(), says));
