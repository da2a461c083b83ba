// wasm-pack build, for each target: the suite of the hosts runs on a page, in Node, and in a bundle, and the types are
// complete.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { checkFiles } from '../lib/programs.mjs';
import { inFolder, onPage, serveFolder } from '../hosts/browser.mjs';
import { hosting } from '../hosts/origin.mjs';
import { printedBy, problemOf, row } from '../hosts/row.mjs';
import { MARK } from '../hosts/suite.mjs';

const out = (target, ...path) => join(process.env.REJITTER_TARGET_DIR, 'wasm-pack', target, ...path);

const project = hosting();

/** A user's project with the package of a target. */
async function projectWith(target, packages = {}) {
  const folder = project({ built: out(target) });
  await folder.install(packages);
  return folder;
}

/** The parts of the suite that need no other exports. */
const parts = 'acghij';
const expected = {
  exports:
    'HttpStatusError RetryError RetryPolicy TimeoutError createFetch fetchWithRetry isPermanent ' +
    'isProgrammingError isRetryAfter isTransientError permanent rateLimitHint retry retryAfter retryAfterMs retryReport ' +
    'retrySync retryWithDecorrelatedJitter retryWithEqualJitter retryWithExponentialBackoff retryWithFixedDelay ' +
    'retryWithFullJitter retryWithLinearBackoff retryWithTruncatedBackoff',
  blocking: 'done',
};

/** Runs the suite, prints its results and leaves them to a page; there are no subpaths. */
const source = (folder, commonJs = false) => `
${folder.suite({ parts, commonJs }).replaceAll(/'rejitter\/[\w/]+'/g, "'rejitter'")}
${commonJs ? "const api = require('rejitter');" : "import * as api from 'rejitter';"}
globalThis.results = suite().then((results) => {
  try {
    results.blocking = api.retrySync(({ attempt }) => (attempt < 3 ? [].missing() : 'done'), { baseMs: 1 });
  } catch ({ message }) {
    // In Node it runs; on a page it says why it does not.
    results.blocking = /^rejitter: retrySync .*Use retry instead/.test(message) ? 'done' : message;
  }
  // The others are additions of wasm-bindgen for the start, and of Node for CommonJS.
  const own = Object.keys(api).filter((name) => !/^(default|initSync|module\\.exports)$/.test(name));
  results.exports = own.sort().join(' ');
  console.log('${MARK}' + JSON.stringify(results));
  return results;
});
`;

const WEBPACK = `import webpack from 'webpack';
const output = { path: import.meta.dirname, filename: 'main.cjs' };
const options = { mode: 'production', entry: './source.mjs', target: 'node20', experiments: { asyncWebAssembly: true } };
webpack({ ...options, output }, (error, stats) => {
  if (error) throw error;
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString());
});
`;

/** An app that starts the package. What it warns of is a complaint. */
const STARTED = `import init from 'rejitter';
console.warn = console.error;
await init();
await import('./source.mjs');
`;
const COLD = `import { RetryPolicy, fetchWithRetry, retry } from 'rejitter';
const first = await retry(() => 'a first success needs no wasm');
const { message, cause } = await retry(() => Promise.reject('mine')).catch((error) => error);
const of = typeof fetchWithRetry;
try {
  new RetryPolicy().delays().next();
} catch (error) {
  globalThis.results = { first, message, cause, delays: error.message, of };
}
`;
const html = (code) => `<!doctype html><title>app</title>
<script type="importmap">{ "imports": { "rejitter": "./node_modules/rejitter/rejitter_wasm.js" } }</script>
<script type="module">${code}</script>
`;

for (const [target, where, results, { packages, page, commonJs, ...more } = {}] of [
  ['nodejs', 'when it is imported', printedBy('node source.mjs')],
  ['nodejs', 'when it is required', printedBy('node source.cjs'), { commonJs: true }],
  [
    'bundler',
    'in a bundle of webpack',
    printedBy('node main.cjs'),
    { packages: { webpack: '' }, build: 'node webpack.mjs' },
  ],
  ['web', 'on a page', inFolder('.'), { page: { complaints: 'none' } }],
])
  test(`${target}: the suite passes ${where}`, async () => {
    const files = (folder) => ({
      [commonJs ? 'source.cjs' : 'source.mjs']: source(folder, commonJs),
      ...{ 'webpack.mjs': WEBPACK, 'index.html': html(STARTED) },
    });
    const host = row(where, { ...more, parts, expected: { ...expected, ...page }, files, results });
    assert.equal(await problemOf(host, await projectWith(target, packages)), '');
  });

test('web: without init() it says so in words, and the failure is the cause', async () => {
  const folder = await projectWith('web');
  folder.write({ 'index.html': html(COLD) });
  const seen = await onPage(await serveFolder(folder));
  await folder.stop();
  const message = 'rejitter: call init() first, and await it: it loads the wasm file';
  const first = 'a first success needs no wasm';
  assert.deepEqual(seen, { first, message, cause: 'mine', delays: message, of: 'function', complaints: 'none' });
});

test('nodejs: its types are complete', async () => {
  const app = (statement) => `
    import { RetryPolicy, retry, retryWithFullJitter } from 'rejitter';
    import type { Attempt, FailureEvent, PolicyOptions, RetryReport } from 'rejitter';
    const options: PolicyOptions = { baseMs: 50, jitter: 'equal', onFailure: (event: FailureEvent) =>
      console.log(event.attempt) };
    const attemptsOf = (report: RetryReport | undefined) => report?.records.length;
    const text: Promise<string> =
      retryWithFullJitter(async ({ attempt }: Attempt) => \`\${attempt} \${attemptsOf(undefined)}\`, { capMs: 5 });
    const number: Promise<number> = new RetryPolicy(options).run(() => retry(() => 1));
    ${statement}
    export { number, text };
  `;
  const compiles = (statement) =>
    checkFiles({ 'main.mts': app(statement) }, '', { paths: { rejitter: [out('nodejs', 'rejitter_wasm.d.ts')] } });
  await compiles('');
  await assert.rejects(
    compiles("retry(() => 1, { baseMs: '5' });"),
    /TS2\d+: /,
    'the control: a wrong one is rejected',
  );
});
