// wasm-pack build, for each target: the package retries on a page, in Node, and in a bundle, and its types are complete.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import webpack from 'webpack';

import { BROWSERS, html, js, serve } from '../lib/browsers.mjs';
import { project } from '../lib/consumer.mjs';
import { checkFiles } from '../lib/programs.mjs';

const root = join(process.env.REJITTER_TARGET_DIR, 'wasm-pack');
const out = (target, ...path) => join(root, target, ...path);

/** Uses a package as an app would. Its text runs on pages, too. Returns all that a test wants to know, as plain values. */
async function use(api) {
  const attempts = [];
  const flaky = async ({ attempt }) => {
    attempts.push(attempt);
    if (attempt < 4) throw new Error(`attempt ${attempt}`);
    return 'done';
  };
  const result = await api.retryWithFullJitter(flaky, { baseMs: 1, capMs: 2 });
  const rejection = (fn, options) => api.retryWithFullJitter(fn, options).catch((error) => error);
  const thrown = { any: 'object' };
  const caught = await rejection(() => Promise.reject(thrown), { baseMs: 1, maxAttempts: 2 });
  let sent = 0;
  const fetch = api.createFetch({ baseMs: 1 }, async () => new Response('found', { status: ++sent < 3 ? 503 : 200 }));
  let blocking;
  try {
    blocking = api.retrySync(({ attempt }) => (attempt < 3 ? [].missing() : 'done'), { baseMs: 1 });
  } catch ({ message }) {
    // In Node it runs; on a page it says why it does not.
    blocking = /^rejitter: retrySync .*Use retry instead/.test(message) ? 'done' : message;
  }
  return {
    ...{ result, attempts, blocking },
    identity: caught === thrown,
    rejection: (await rejection(() => 1, { baseMs: -1 })).name,
    delays: [...new api.RetryPolicy({ maxAttempts: 3, jitter: 'none' }).delays()],
    fetched: [await (await fetch('http://localhost/')).text(), sent],
    // The others are additions of wasm-bindgen for the start, and of Node for CommonJS.
    exports: Object.keys(api)
      .filter((name) => !/^(default|initSync|module\.exports)$/.test(name))
      .sort()
      .join(' '),
  };
}

const EXPECTED = {
  result: 'done',
  attempts: [1, 2, 3, 4],
  blocking: 'done',
  identity: true,
  rejection: 'RangeError',
  delays: [100, 200],
  fetched: ['found', 3],
  exports:
    'HttpStatusError RetryError RetryPolicy TimeoutError createFetch fetchWithRetry isPermanent ' +
    'isProgrammingError isTransientError permanent rateLimitHint retry retryAfter retryAfterMs retryReport ' +
    'retrySync retryWithDecorrelatedJitter retryWithEqualJitter retryWithExponentialBackoff retryWithFixedDelay ' +
    'retryWithFullJitter retryWithLinearBackoff retryWithTruncatedBackoff',
};

test('nodejs: retries when it is required, and when it is imported', async () => {
  const require = createRequire(import.meta.url);
  assert.deepEqual(await use(require(out('nodejs'))), EXPECTED);
  const { main } = require(out('nodejs', 'package.json'));
  const { default: api } = await import(pathToFileURL(out('nodejs', main)).href);
  assert.deepEqual(await use(api), EXPECTED);
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

test('bundler: retries in a bundle of webpack', async () => {
  const folder = project('wasm-pack', { 'node_modules/entry.mjs': "export * from 'rejitter';\n" });
  symlinkSync(out('bundler'), join(folder, 'node_modules/rejitter'), 'dir');
  const options = {
    ...{ context: folder, entry: './node_modules/entry.mjs', mode: 'production', target: 'node20' },
    experiments: { asyncWebAssembly: true, outputModule: true },
    output: { path: join(folder, 'dist'), filename: 'app.mjs', library: { type: 'module' } },
    // Here all exports are kept, whatever a user's app would keep.
    optimization: { usedExports: false },
  };
  const stats = await new Promise((done, failed) => {
    webpack(options, (error, result) => (error ? failed(error) : done(result)));
  });
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  assert.deepEqual([errors, warnings], [[], []]);
  const api = await import(pathToFileURL(join(folder, 'dist/app.mjs')).href);
  assert.deepEqual(await use(api), EXPECTED);
});

/** An empty page, what uses the package, and the package's files. */
function route(path) {
  if (path === '/') return html('');
  if (path === '/use.js') return js(`export ${use}`);
  const type = extname(path) === '.wasm' ? 'application/wasm' : 'text/javascript';
  return existsSync(out('web', path)) && { type, body: readFileSync(out('web', path)) };
}

describe('web', () => {
  let server;
  let browser;
  before(async () => {
    server = await serve(route);
    browser = await BROWSERS.Chromium();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  /** What a function returns on the page, which has no complaints. */
  const onPage = (body) =>
    browser.withPage(async (page) => {
      const complaints = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(server.origin);
      const seen = await page.evaluate(body);
      assert.deepEqual(complaints, []);
      return seen;
    });

  test('retries on a page', async () => {
    const seen = await onPage(async () => {
      const { default: init, ...api } = await import('/rejitter_wasm.js');
      await init();
      return (await import('/use.js')).use(api);
    });
    assert.deepEqual(seen, EXPECTED);
  });

  test('without init() it says so in words, and the failure is the cause', async () => {
    const seen = await onPage(async () => {
      const { retry, fetchWithRetry, RetryPolicy } = await import('/rejitter_wasm.js');
      const first = await retry(() => 'a first success needs no wasm');
      const error = await retry(() => Promise.reject('mine')).catch((error) => error);
      try {
        new RetryPolicy().delays().next();
      } catch ({ message }) {
        return [first, error.message, error.cause, message, typeof fetchWithRetry];
      }
    });
    const words = 'rejitter: call init() first, and await it: it loads the wasm file';
    assert.deepEqual(seen, ['a first success needs no wasm', words, 'mine', words, 'function']);
  });
});
