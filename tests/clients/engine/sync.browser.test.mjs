// retrySync in real browsers: pages may not block, workers may if they have shared memory.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { html, inBrowsers, js, packageFile, serve } from '../lib/browsers.mjs';

const JOB = `
import { retrySync } from '/rejitter/index.js';
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

const PAGE = `<script type="module">
import { job } from './job.js';
const page = job();
const worker = new Worker('./worker.js', { type: 'module' });
worker.onmessage = ({ data }) => { globalThis.results = { page, worker: data, isolated: crossOriginIsolated }; };
worker.onerror = (event) => { globalThis.results = { error: event.message ?? 'error' }; };
</script>`;

const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/** Everything twice: below /isolated/ with the headers that give a page shared memory, below /plain/ without. */
function route(path) {
  const [, folder, name] = /^\/(isolated|plain)\/(.*)$/.exec(path) ?? [];
  const headers = folder === 'isolated' ? ISOLATED : {};
  const own = {
    'index.html': html(PAGE, headers),
    'job.js': js(JOB, headers),
    'worker.js': js("import { job } from './job.js';\npostMessage(job());\n", headers),
  };
  return folder ? own[name] : packageFile(path, ISOLATED);
}

const server = await serve(route);
after(() => server.close());

inBrowsers((visit) => {
  test('a page of its own origin: its worker blocks and retries, itself says that it may not', async () => {
    const { page, worker, isolated } = (await visit(`${server.origin}/isolated/index.html`)).results;
    assert.equal(isolated, true);
    assert.match(page.message, /^rejitter: .*cannot block this thread.*Use retry instead, or a worker$/);
    assert.match(page.cause, /TypeError/);
    assert.equal(page.calls, 0);
    assert.deepEqual([worker.value, worker.calls], ['done', 3]);
    assert.ok(worker.ms >= 78, `${worker.ms} ms`);
  });

  test('any other page: both name the shared memory that they lack', async () => {
    const { page, worker, isolated } = (await visit(`${server.origin}/plain/index.html`)).results;
    assert.equal(isolated, false);
    for (const { message, calls } of [page, worker]) {
      assert.match(message, /^rejitter: .*SharedArrayBuffer.*cross-origin isolated.*Use retry instead, or a worker$/);
      assert.equal(calls, 0);
    }
  });
});
