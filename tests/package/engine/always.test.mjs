// No host switches retries off: where WebAssembly is refused, or traps, the core is JavaScript, and nobody hears of it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { installed, printed, runNode } from '../lib/consumer.mjs';

/** Changes of WebAssembly that hosts make. */
const HOSTS = {
  'as it is': '',
  'without WebAssembly': 'delete globalThis.WebAssembly;',
  'with a Content-Security-Policy': `WebAssembly.Module = function () {
    throw new WebAssembly.CompileError("violates the following Content Security policy directive: 'unsafe-eval'");
  };`,
  'that rejects instances': "WebAssembly.Instance = function () { throw new RangeError('Out of memory'); };",
  'whose core traps': `WebAssembly.Instance = class { exports = new Proxy({}, { get: () => () => {
    throw new WebAssembly.RuntimeError('unreachable');
  } }); };`,
};

const USE = `
  const said = [];
  for (const name of ['log', 'warn', 'error']) console[name] = (...args) => said.push(args.join(' '));
  const mine = new Error('mine');
  const ends = {};
  let calls = 0;
  const failing = (times) => { calls = 0; return () => { calls += 1; if (calls > times) return 'done'; throw mine; }; };
  const end = async (name, use) => {
    ends[name] = await Promise.resolve().then(use).then((value) => value?.status ?? value, (error) =>
      [error === mine, main.retryReport(error)?.reason]);
    ends[name] = [ends[name], calls].flat();
  };
  await end('default', () => main.retry(failing(2), { baseMs: 0 }));
  await end('all attempts', () => main.retry(failing(9), { baseMs: 0, maxAttempts: 3 }));
  await end('watched', () => main.retry(failing(2), { baseMs: 0, totalTimeoutMs: 10_000, retryIf: async () => true }));
  await end('demanded', () => main.retry(failing(2), { retryIf: () => ({ afterMs: 0 }) }));
  await end('sync', () => main.retrySync(failing(2), { baseMs: 0 }));
  ends.delays = [...new main.RetryPolicy({ seed: 'always', jitter: 'pollyV2' }).delays()];
  // Node's own Response, Headers and fetch are WebAssembly, too.
  const send = async () => ({ status: failing.n++ ? 200 : 503, headers: { 'retry-after-ms': '1' } });
  failing.n = 0;
  await end('fetch', () => createFetch({ baseMs: 0 }, send)('https://a.test/'));
  const protection = parts.protect(parts.budget({ capacity: 1, perSuccess: 0 }), parts.cooldown());
  await end('budget', () => main.retry(failing(9), { baseMs: 0, protection }));
  const slowed = parts.protect(parts.cooldown({ maxHoldMs: 0 }));
  const limited = createFetch({ protection: slowed, maxAttempts: 1 }, async () => ({ status: 429, headers: {} }));
  await limited('https://a.test/');
  ends.said = said;
  process.stdout.write(JSON.stringify(ends) + '\\n');
`;
const ENTRIES = { main: 'rejitter', '{ createFetch }': 'rejitter/fetch', parts: 'rejitter/protection' };
const imported = (form) =>
  Object.entries(ENTRIES)
    .map(([name, entry]) => form(name, entry))
    .join('\n');
const ESM = imported((name, entry) => `import ${name.replace(/^\w/, '* as $&')} from '${entry}';`);
const CJS = imported((name, entry) => `const ${name} = require('${entry}');`);

const expected = JSON.parse(await printed(ESM + USE));

test('a host as it is: what is retried, and how it ends', () => {
  const { delays, ...ends } = expected;
  assert.equal(delays.length, 5);
  assert.deepEqual(ends, {
    default: ['done', 3],
    'all attempts': [true, 'exhausted', 3],
    watched: ['done', 3],
    demanded: ['done', 3],
    sync: ['done', 3],
    fetch: [200, 3],
    budget: [true, 'budget', 2],
    said: [],
  });
});

for (const [host, change] of Object.entries(HOSTS))
  test(`a host ${host}: the same`, async () => {
    assert.deepEqual(JSON.parse(await printed(ESM + change + USE)), expected);
  });

for (const condition of ['browser', 'react-native', 'workerd', 'edge-light'])
  test(`under the condition ${condition}: the same, and nothing names WebAssembly`, async () => {
    const refuses = 'Object.defineProperty(globalThis, "WebAssembly", { get() { throw new Error("asked for"); } });';
    const flags = ['-C', condition];
    assert.deepEqual(JSON.parse(await printed(ESM + refuses + USE, { flags })), expected);
    const cjs = `${CJS}(async () => {${refuses + USE}})();`;
    for (const more of [[], ['--no-experimental-require-module']])
      assert.deepEqual(JSON.parse(await printed(cjs, { ext: 'cjs', flags: [...flags, ...more] })), expected);
  });

test("no class has a static block: React Native's bundler rejects them", () => {
  for (const file of ['index.js', 'index.cjs', 'fetch.js', 'testing.js'])
    assert.doesNotMatch(readFileSync(join(installed, file), 'utf8'), /\bstatic\s*\{/, file);
});

test('--jitless: the same', async () => {
  // Node itself warns of what it leaves out.
  const { stdout } = await runNode(ESM + USE, { flags: ['--jitless'] });
  assert.deepEqual(JSON.parse(stdout), expected);
});
