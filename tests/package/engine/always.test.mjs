// No host switches retries off: where WebAssembly is refused, or traps, the core is JavaScript, and nobody hears of it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { installed, runNode } from '../lib/consumer.mjs';

/** Hosts: changes of WebAssembly that they make, and flags of Node. */
const HOSTS = {
  'as it is': [''],
  'without WebAssembly': ['delete globalThis.WebAssembly;'],
  'with a Content-Security-Policy': [
    `WebAssembly.Module = function () {
    throw new WebAssembly.CompileError("violates the following Content Security policy directive: 'unsafe-eval'");
  };`,
  ],
  'that rejects instances': ["WebAssembly.Instance = function () { throw new RangeError('Out of memory'); };"],
  'whose core traps': [
    `WebAssembly.Instance = class { exports = new Proxy({}, { get: () => () => {
    throw new WebAssembly.RuntimeError('unreachable');
  } }); };`,
  ],
  'that is jitless': ['', '--jitless'],
};
const REFUSES = 'Object.defineProperty(globalThis, "WebAssembly", { get() { throw new Error("asked for"); } });';

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

/** Returns what the program prints. Node itself warns of what it leaves out without JIT. */
async function ends(source, options) {
  const { stdout, stderr } = await runNode(source, options);
  assert.doesNotMatch(stderr, /rejitter|Error/);
  return JSON.parse(stdout);
}
const expected = await ends(ESM + USE);

test('a host as it is: what is retried, and how it ends', () => {
  const { delays, ...others } = expected;
  assert.equal(delays.length, 5);
  const done = Object.fromEntries(['default', 'watched', 'demanded', 'sync'].map((name) => [name, ['done', 3]]));
  const stopped = { 'all attempts': [true, 'exhausted', 3], budget: [true, 'budget', 2] };
  assert.deepEqual(others, { ...done, ...stopped, fetch: [200, 3], said: [] });
});

for (const [host, [change, ...flags]] of Object.entries(HOSTS))
  test(`a host ${host}: the same`, async () => assert.deepEqual(await ends(ESM + change + USE, { flags }), expected));

for (const condition of ['browser', 'react-native', 'workerd', 'edge-light'])
  test(`under the condition ${condition}: the same, and nothing names WebAssembly`, async () => {
    const cjs = `${CJS}(async () => {${REFUSES + USE}})();`;
    for (const [source, ext, ...more] of [
      [ESM + REFUSES + USE, 'mjs'],
      [cjs, 'cjs'],
      [cjs, 'cjs', '--no-experimental-require-module'],
    ])
      assert.deepEqual(await ends(source, { ext, flags: ['-C', condition, ...more] }), expected);
  });

test("no class has a static block: React Native's bundler rejects them", () => {
  for (const file of ['index.js', 'index.cjs', 'fetch.js', 'testing.js'])
    assert.doesNotMatch(readFileSync(join(installed, file), 'utf8'), /\bstatic\s*\{/, file);
});
