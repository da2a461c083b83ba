// No host switches retries off: where WebAssembly is refused, or traps, the core is JavaScript, and nobody hears of it.
// The suite is that of all hosts, without its servers and the lab; hosts.slow.test.mjs runs it on real ones.

import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { MARK, PRINT, resultsIn, suiteText } from './suite.mjs';
import { installed, project, runNode, withoutNode } from '../../package/lib/consumer.mjs';

/** Changes of WebAssembly that hosts make. */
const CHANGES = {
  'without WebAssembly': 'delete globalThis.WebAssembly;',
  'with a Content-Security-Policy': `WebAssembly.instantiate = async () => {
    throw new WebAssembly.CompileError("violates the following Content Security policy directive: 'unsafe-eval'");
  };`,
  'that throws at once': "WebAssembly.instantiate = () => { throw new RangeError('Out of memory'); };",
  'whose core traps': `WebAssembly.instantiate = async () => ({ instance: { exports: new Proxy({}, { get: () => () => {
    throw new WebAssembly.RuntimeError('unreachable');
  } }) } });`,
};
const REFUSES = 'Object.defineProperty(globalThis, "WebAssembly", { get() { throw new Error("asked for"); } });';

const PARTS = 'abefghi';
const OK = Object.fromEntries([...PARTS].map((part) => [part, 'ok']));

/** Runs the suite after a change of the host, and checks that it prints its results and nothing else. */
async function works(change, { ext = 'mjs', ...more } = {}) {
  const text = suiteText({ parts: PARTS, commonJs: ext === 'cjs', probe: false });
  const { code, stdout, stderr } = await runNode(`${text}${change}\n${PRINT}`, { ext, ...more });
  assert.equal(code, 0, stderr);
  assert.match(stdout, new RegExp(`^${MARK}.*\n$`));
  assert.equal(stderr, '');
  const { texts, ...results } = resultsIn(stdout);
  assert.deepEqual(results, OK);
}

for (const [host, change] of Object.entries(CHANGES)) test(`a host ${host} retries`, () => works(change));

test('where no condition of Node leads to the wasm, nothing names WebAssembly', async () => {
  const dir = project('named', {});
  cpSync(installed, join(dir, 'node_modules/rejitter'), { recursive: true });
  withoutNode(join(dir, 'node_modules/rejitter/package.json'));
  for (const [ext, ...flags] of [['mjs'], ['cjs'], ['cjs', '--no-experimental-require-module']])
    await works(REFUSES, { ext, flags, dir });
});

test("no class has a static block: React Native's bundler rejects them", () => {
  for (const file of ['index.js', 'index.cjs', 'fetch.js', 'testing.js'])
    assert.doesNotMatch(readFileSync(join(installed, file), 'utf8'), /\bstatic\s*\{/, file);
});
