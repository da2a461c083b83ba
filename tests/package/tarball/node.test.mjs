// The package in Node: imported, and by `require`, which gives the ES module where Node can, and the CommonJS file
// where it cannot. The entries share one instance of the driver: its brands, reports, listeners and channel.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { behaves, importPackage, installed, printed, project, requirePackage } from '../lib/consumer.mjs';
import { EXPORTS, publicNames } from '../lib/shortcuts.mjs';

const api = await importPackage();

test('require gives the same instance as import', () => {
  const required = requirePackage();
  for (const name of EXPORTS) assert.equal(required[name], api[name], name);
});

/** Records every use of what an import must not touch: compilation, randomness, time, timers, listeners. */
const SPIES = `
const used = [];
globalThis.used = used;
const spy = (holder, name, label = name) => {
  const original = holder[name];
  holder[name] = new Proxy(original, {
    apply(target, self, args) { used.push(label); return Reflect.apply(target, self, args); },
    construct(target, args, made) { used.push('new ' + label); return Reflect.construct(target, args,
      made === holder[name] ? target : made); },
  });
};
for (const name of ['Module', 'Instance', 'Memory', 'Table', 'compile', 'instantiate', 'validate']) spy(WebAssembly,
  name, 'WebAssembly.' + name);
for (const name of ['getRandomValues', 'randomUUID']) {
  const original = crypto[name];
  Object.defineProperty(Object.getPrototypeOf(crypto), name, {
    configurable: true, writable: true,
    value(...args) { used.push('crypto.' + name); return Reflect.apply(original, crypto, args); },
  });
}
for (const name of ['setTimeout', 'clearTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'AbortController',
  'MessageChannel', 'TextDecoder', 'TextEncoder', 'atob', 'fetch']) spy(globalThis, name);
for (const name of ['now', 'mark']) {
  const original = performance[name];
  Object.defineProperty(performance, name, { configurable: true, writable: true,
    value(...args) { used.push('performance.' + name); return Reflect.apply(original, performance, args); } });
}
spy(Date, 'now', 'Date.now');
spy(Math, 'random', 'Math.random');
spy(EventTarget.prototype, 'addEventListener', 'addEventListener');
spy(process, 'on', 'process.on');
`;

const ENTRIES = 'data engines fetch light light/fetch otel presets protection reconnect testing'.split(' ');

/** What a program sees whose `load` imports or requires. */
const PROGRAM = `
(async () => {
  const out = { names: {} };
  const main = await load('rejitter');
  for (const entry of ${JSON.stringify(ENTRIES)}) out.names[entry] = Object.keys(await load('rejitter/' + entry)).sort();
  out.atImport = [...used];
  await main.retry(() => 1);
  const first = await new main.RetryPolicy({ maxAttempts: 3, seed: 5 }).wrap(async (x) => x)(2);
  await new main.RetryPolicy().run(() => first);
  out.atSuccess = [...used];
  await Promise.all(Array.from({ length: 100 }, () =>
    main.retry(({ attempt }) => { if (attempt < 3) throw 0; return attempt; }, { baseMs: 0 })));
  // The control, too: what the first failures need is seen by the same spies.
  out.atFailure = used.filter((name) => name.includes('WebAssembly.'));
  out.seen = [...new Set(used)].sort();
  let calls = 0;
  out.sync = main.retrySync(() => { calls++; if (calls < 3) throw 0; return calls; }, { baseMs: 0 });
  out.delays = [...new main.RetryPolicy({ seed: 'x' }).delays()];
  out.names.index = Object.keys(main);

  const { createFetch } = await load('rejitter/fetch');
  const policy = new main.RetryPolicy({ metrics: true, baseMs: 0, maxAttempts: 2, finalError: 'wrap' });
  const refused = new TypeError('fetch failed');
  const broken = async () => { throw refused; };
  const error = await createFetch(policy, broken)('http://localhost/').catch((error) => error);
  const stop = async () => { throw main.permanent(refused); };
  const bare = await createFetch({ baseMs: 0 }, stop)('http://localhost/').catch((error) => error);
  out.fetch = [policy.metrics().attempts, error instanceof main.RetryError, main.retryReport(error)?.attempts,
    bare === refused, main.retryReport(bare)?.attempts];
  const [light, { TimeoutError, createFetch: lightFetch }] = [await load('rejitter/light'), await load('rejitter/light/fetch')];
  const hangs = (_, { signal }) => new Promise((_, no) => signal.addEventListener('abort', () => no(signal.reason)));
  const late = await lightFetch({ attemptTimeoutMs: 5, maxAttempts: 1 }, hangs)('http://x/').catch((error) => error);
  out.light = [light.TimeoutError === TimeoutError, late instanceof TimeoutError];

  const { signal } = new AbortController();
  const add = signal.addEventListener;
  let listeners = 0;
  signal.addEventListener = function (...args) { listeners++; return add.apply(this, args); };
  let open;
  const gate = new Promise((done) => { open = done; });
  const both = [
    main.retry(() => gate, { signal }),
    createFetch({ signal, totalTimeoutMs: 60_000 }, () => gate)('http://localhost/'),
  ];
  out.listeners = listeners;
  open(new Response(''));
  await Promise.all(both);

  let traced = 0;
  const channel = process.getBuiltinModule('node:diagnostics_channel').tracingChannel('rejitter:operation');
  channel.subscribe({ start() { traced++; } });
  await main.retry(() => 1);
  await createFetch({}, async () => new Response(''))('http://localhost/');
  out.traced = traced;

  // A protection of either form is one state for policies and fetch, whichever core they have.
  out.granted = [];
  for (const { budget, protect } of [await load('rejitter/protection'), await import(other)]) {
    const protection = protect(budget({ capacity: 2, perSuccess: 0 }));
    const options = { baseMs: 0, maxAttempts: 2, protection };
    await createFetch({ ...options, protectionKey: () => null }, broken)('http://localhost/').catch(() => {});
    await new main.RetryPolicy(options).run(broken).catch(() => {});
    await main.retry(broken, options).catch(() => {});
    const { granted, rejected } = protection.status().budget;
    out.granted.push([granted, rejected]);
  }
  console.log(JSON.stringify(out));
})();`;

const ESM = `const load = (name) => import(name);
const other = new URL('protection.js', import.meta.resolve('rejitter')).href;`;
const requiring = (file, form) => `const load = async (name) => require(name);
const path = require.resolve('rejitter');
if (!path.endsWith('/${file}')) throw new Error(path);
const other = require('node:url').pathToFileURL(path.replace('${file}', '${form}')).href;`;

const FLAG = '--no-experimental-require-module';
const COMPILED = ['WebAssembly.instantiate'];
for (const [how, form, atFailure, options] of [
  ['import', ESM, COMPILED, {}],
  ['require', requiring('index.node.js', 'protection.js'), COMPILED, { ext: 'cjs' }],
  [
    ...['require where it cannot load ES modules', requiring('index.cjs', 'protection.node.js'), []],
    { ext: 'cjs', flags: [FLAG] },
  ],
])
  test(`${how}: nothing is done before it is needed, and all entries share one instance`, async () => {
    const { names, seen, delays, ...found } = JSON.parse(await printed(`${SPIES}${form}${PROGRAM}`, options));
    assert.deepEqual(found, {
      atImport: [],
      // The clock, once per operation.
      atSuccess: Array(3).fill('performance.now'),
      // The module is compiled once, however many operations fail first, and never where the core is JavaScript.
      atFailure,
      sync: 3,
      fetch: [2, true, 2, true, 1],
      light: [true, true],
      listeners: 1,
      traced: 2,
      granted: Array(2).fill([2, 1]),
    });
    for (const name of ['Math.random', 'setTimeout', 'performance.now']) assert.ok(seen.includes(name), name);
    assert.deepEqual(delays, [...new api.RetryPolicy({ seed: 'x' }).delays()]);
    const { index, ...others } = names;
    assert.deepEqual(publicNames(Object.fromEntries(index.map((name) => [name]))), EXPORTS);
    for (const [entry, own] of Object.entries(others)) {
      const imported = await import(pathToFileURL(join(installed, `${entry.replace('/', '-')}.js`)));
      assert.ok(own.length > 0);
      assert.deepEqual(own, Object.keys(imported).sort());
    }
  });

test('the tests of behaviour pass on the CommonJS files', async () => {
  // Whether Node finds the names of a CommonJS module's exports is not the matter here: take them from it.
  const file = JSON.stringify(pathToFileURL(join(installed, 'index.cjs')).href);
  const entry = `import api from ${file};\nexport const { ${EXPORTS.join(', ')} } = api;\n`;
  await behaves(join(project('cjs', { 'entry.mjs': entry }), 'entry.mjs'));
});
