// The simulations in real browsers, in a worker: the numbers of Node, and between two slices messages come in.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { html, inBrowsers, js, packageFile, serve } from '../lib/browsers.mjs';
import { installed } from '../lib/consumer.mjs';

const JOB = `
export const job = async ({ simulateContention, simulateLoad, simulateOutage }) => {
  const policy = { maxAttempts: Infinity, jitter: 'pollyV2' };
  const simulations = [
    simulateOutage(policy, { clients: 200, spreadMs: 500, capacityPerS: 50, seed: 'browser' }),
    simulateContention({ figure: 'decorrelated' }, { clients: 30, runs: 10, seed: 'browser' }),
    simulateLoad(policy, { arrivals: { type: 'poisson', perS: 280 }, horizonMs: 30_000, seed: 'browser' }),
  ];
  const results = [];
  for (const simulation of simulations) results.push(await simulation.run({ sliceEvents: 10_000 }));
  // Text has all the digits of a number, and Infinity and NaN as well.
  return results.map((result) => JSON.stringify(result, (_, value) =>
    (typeof value === 'number' ? String(value) : value)));
};
`;

const WORKER = `
import * as lab from './rejitter/lab.js';
import { job } from './job.js';
const results = await job(lab);
const controller = new AbortController();
onmessage = ({ data }) => controller.abort(data);
let posted = false;
const onProgress = () => {
  if (!posted) postMessage('running');
  posted = true;
};
const endless = lab.simulateContention({ figure: 'none' }, { clients: 1000, runs: 1_000_000 });
const end = await endless.run({ signal: controller.signal, onProgress, sliceEvents: 1000 }).then(() => 'the end',
  (reason) => reason);
postMessage({ results, end });
`;

const PAGE = `<script type="module">
const worker = new Worker('./worker.js', { type: 'module' });
worker.onmessage = ({ data }) => {
  if (data === 'running') worker.postMessage('stopped by the page');
  else globalThis.finished = data;
};
worker.onerror = (event) => { globalThis.finished = { error: event.message ?? 'error' }; };
</script>`;

const ROUTES = { '/index.html': html(PAGE), '/job.js': js(JOB), '/worker.js': js(WORKER) };

const { job } = await import(`data:text/javascript,${encodeURIComponent(JOB)}`);
const expected = await job(await import(pathToFileURL(join(installed, 'lab.js')).href));
const server = await serve((path) => ROUTES[path] ?? packageFile(path));
after(() => server.close());

inBrowsers((visit) => {
  test('a worker gets the numbers of Node, and stops when the page says so', async () => {
    const { error, results, end } = (await visit(`${server.origin}/index.html`)).result;
    assert.equal(error, undefined);
    assert.equal(end, 'stopped by the page');
    assert.ok(expected.every((text) => text.length > 500));
    assert.deepEqual(results, expected);
  });
});
