// retrySync in real browsers: pages may not block, workers may if they have shared memory.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { BROWSERS, serve } from '../lib/browsers.mjs';
import { installed } from '../lib/consumer.mjs';

const JOB = `
import { retrySync } from './rejitter/index.js';
export const job = () => {
  let calls = 0;
  const began = performance.now();
  try {
    const value = retrySync(({ attempt }) => { calls += 1; if (attempt < 3) throw new Error('flaky'); return 'done'; },
      { baseMs: 40, backoff: 'fixed', jitter: 'none' });
    return { value, calls, ms: performance.now() - began };
  } catch (error) {
    return { message: error.message, cause: String(error.cause), calls };
  }
};
`;

const PAGE = `<!doctype html><script type="module">
import { job } from './job.js';
const page = job();
const worker = new Worker('./worker.js', { type: 'module' });
worker.onmessage = ({ data }) => { globalThis.result = { page, worker: data, isolated: crossOriginIsolated }; };
worker.onerror = (event) => { globalThis.result = { error: event.message ?? 'error' }; };
</script>`;

const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const TYPES = { js: 'text/javascript', html: 'text/html' };

/** Everything twice: below /isolated/ with the headers that give a page shared memory, below /plain/ without. */
function route(path) {
  const [, folder, name] = /^\/(isolated|plain)\/(.*)$/.exec(path) ?? [];
  if (!folder) return undefined;
  const headers = folder === 'isolated' ? ISOLATED : {};
  const own = {
    'index.html': PAGE,
    'job.js': JOB,
    'worker.js': "import { job } from './job.js';\npostMessage(job());\n",
  };
  const inside = /^rejitter\/((?:lib\/)?[\w.-]+\.js)$/.exec(name)?.[1];
  const body = own[name] ?? (inside && readFileSync(join(installed, normalize(inside))));
  return body && { type: TYPES[name.split('.').pop()], body, headers };
}

const server = await serve(route);
after(() => server.close());

for (const [name, launch] of Object.entries(BROWSERS)) {
  describe(name, () => {
    let browser;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());

    function visit(folder) {
      return browser.withPage(async (page) => {
        await page.goto(`${server.origin}/${folder}/index.html`);
        return (await page.waitForFunction(() => globalThis.result)).jsonValue();
      });
    }

    test('a page of its own origin: its worker blocks and retries, itself says that it may not', async () => {
      const { page, worker, isolated } = await visit('isolated');
      assert.equal(isolated, true);
      assert.match(page.message, /^rejitter: .*cannot block this thread.*Use retry instead, or a worker$/);
      assert.match(page.cause, /TypeError/);
      assert.equal(page.calls, 0);
      assert.deepEqual([worker.value, worker.calls], ['done', 3]);
      assert.ok(worker.ms >= 78, `${worker.ms} ms`);
    });

    test('any other page: both name the shared memory that they lack', async () => {
      const { page, worker, isolated } = await visit('plain');
      assert.equal(isolated, false);
      for (const { message, calls } of [page, worker]) {
        assert.match(message, /^rejitter: .*SharedArrayBuffer.*cross-origin isolated.*Use retry instead$/);
        assert.equal(calls, 0);
      }
    });
  });
}
