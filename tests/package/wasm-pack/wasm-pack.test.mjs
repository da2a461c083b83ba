// wasm-pack build, for each target: the package retries on a page, in Node, and in a bundle, and its types are complete.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import webpack from 'webpack';

import { BROWSERS, html, serve } from '../lib/browsers.mjs';
import { expected, use } from './use.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(process.env.REJITTER_TARGET_DIR, 'wasm-pack');
const out = (target, ...path) => join(root, target, ...path);

/** An app's folder that has the package of a target. */
function appWith(target, files) {
  const folder = mkdtempSync(join(root, 'app-'));
  after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(out(target), join(folder, 'node_modules/rejitter'), 'dir');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('nodejs: retries when it is required, and when it is imported', async () => {
  const require = createRequire(import.meta.url);
  assert.deepEqual(await use(require(out('nodejs'))), expected);
  const { main } = require(out('nodejs', 'package.json'));
  const { default: api } = await import(pathToFileURL(out('nodejs', main)).href);
  assert.deepEqual(await use(api), expected);
});

test('nodejs: its types are complete', () => {
  const compiled = (statement) => {
    const code = `
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
    const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
    const flags = '--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom';
    const args = [tsc, ...flags.split(' '), '--pretty', 'false', '--types', '', 'main.ts'];
    const cwd = appWith('nodejs', { 'main.ts': code });
    return spawnSync(process.execPath, args, { cwd, encoding: 'utf8' }).stdout;
  };
  assert.equal(compiled(''), '');
  assert.match(compiled("retry(() => 1, { baseMs: '5' });"), /TS2\d+: /, 'the control: a wrong one is rejected');
});

test('bundler: retries in a bundle of webpack', async () => {
  const folder = appWith('bundler', { 'entry.mjs': "export * from 'rejitter';\n" });
  const options = {
    ...{ context: folder, entry: './entry.mjs', mode: 'production', target: 'node20' },
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
  assert.deepEqual(await use(api), expected);
});

const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

/** The page, what uses the package, and the package's files. */
function route(path) {
  if (path === '/') return html('');
  const file = path === '/use.mjs' ? join(here, path) : out('web', path);
  return existsSync(file) ? { type: TYPES[extname(file)], body: readFileSync(file) } : undefined;
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

  test('retries on a page', () =>
    browser.withPage(async (page) => {
      const complaints = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(server.origin);
      const seen = await page.evaluate(async () => {
        const { default: init, ...api } = await import('/rejitter_wasm.js');
        await init();
        const { use } = await import('/use.mjs');
        return use(api);
      });
      assert.deepEqual(seen, expected);
      assert.deepEqual(complaints, []);
    }));

  test('without init() it says so in words, and the failure is the cause', () =>
    browser.withPage(async (page) => {
      await page.goto(server.origin);
      const seen = await page.evaluate(async () => {
        const { retry, fetchWithRetry, RetryPolicy } = await import('/rejitter_wasm.js');
        const first = await retry(() => 'a first success needs no wasm');
        const error = await retry(() => Promise.reject('mine')).catch((error) => error);
        let thrown = '';
        try {
          new RetryPolicy().delays().next();
        } catch (error) {
          thrown = error.message;
        }
        return [first, error.message, error.cause, thrown, typeof fetchWithRetry];
      });
      const words = 'rejitter: call init() first, and await it: it loads the wasm file';
      assert.deepEqual(seen, ['a first success needs no wasm', words, 'mine', words, 'function']);
    }));
});
