// The program for Cloudflare Workflows, in miniflare: an engine that would lay a backoff of its own over ours.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Miniflare } from 'miniflare';

import { bundled } from '../../package/lib/bundle.mjs';
import { pasted } from '../lib/pasted.mjs';
import { javaScript, program, serve } from '../lib/programs.mjs';

const WAIT_MS = 100;

/** Starts an instance of the address's name, and answers with its end. */
const WORKER = `
export { ChargeWorkflow } from './workflow.mjs';
const RUNNING = ['queued', 'running', 'waiting'];
export default {
  async fetch({ url }, { WORKFLOW }) {
    const instance = await WORKFLOW.create({ id: new URL(url).pathname.slice(1), params: { orderId: '7' } });
    let now;
    while (RUNNING.includes((now = await instance.status()).status)) await scheduler.wait(10);
    return Response.json(now);
  },
};`;

/** The guide's own, with short waits. */
const CHARGE = `
import { policy as own } from './real.mjs';
export { charge } from './real.mjs';
export const policy = own.with({ backoff: 'fixed', baseMs: ${WAIT_MS}, jitter: 'none' });`;

let answers = [];
const requests = [];
const api = await serve(({ url, headers }) => {
  requests.push({ at: performance.now(), line: `${url} ${headers['idempotency-key']}` });
  return answers.shift() ?? { text: 'paid' };
});
const files = { 'charge.mjs': CHARGE };
for (const [file, mark] of Object.entries({ 'workflow.mjs': 'cloudflare-workflow', 'real.mjs': 'charge' }))
  files[file] = await javaScript(program(mark));
const script = await bundled(pasted(WORKER, files), {
  conditions: ['workerd'],
  external: ['cloudflare:*'],
  define: { 'process.env.PAYMENTS': JSON.stringify(api.url) },
});
const workflows = { WORKFLOW: { name: 'charge', className: 'ChargeWorkflow' } };
const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01', workflows });
after(() => Promise.all([miniflare.dispose(), api.close()]));

/** Runs a workflow to its end. Returns that, and the times between its requests. */
async function run(id, ...next) {
  answers = next;
  requests.length = 0;
  const { status, output } = await (await miniflare.dispatchFetch(`http://localhost/${id}`)).json();
  for (const { line } of requests) assert.equal(line, '/charges/7 order-7');
  return { status, output, gaps: requests.slice(1).map(({ at }, i) => at - requests[i].at) };
}

test('Cloudflare Workflows: each wait is that of the policy, without the exponential backoff of the engine', async () => {
  const { status, output, gaps } = await run('paid', ...Array(7).fill({ status: 503 }));
  assert.deepEqual([status, output, gaps.length], ['complete', 'paid', 7]);
  for (const gap of gaps) assert.ok(gap >= WAIT_MS - 1, `${gaps}`);
  // Of an exponential backoff each would be twice as long as the one before. On a busy machine, a few may be.
  assert.ok(!gaps.every((gap, i) => gap >= 2 ** i * WAIT_MS - 1), `${gaps}`);
});

test('Cloudflare Workflows: a permanent failure ends it, and so does the last attempt', async () => {
  const missing = await run('missing', { status: 404 });
  assert.deepEqual([missing.status, missing.gaps.length], ['errored', 0]);
  const down = await run('down', ...Array(9).fill({ status: 503 }));
  assert.deepEqual([down.status, down.gaps.length], ['errored', 7]);
});
