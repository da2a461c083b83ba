// The hosts of the daily run in real browsers; and what only a page has.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { BROWSERS, html, inBrowsers, packageFile, serve } from '../lib/browsers.mjs';
import { testDaily } from './daily.mjs';

testDaily(({ browser }) => browser in BROWSERS);

const FRAME = `<script type="module">
import { retry } from '/rejitter/index.js';
const frame = document.createElement('iframe');
document.body.append(frame);
const { AbortController: Foreign, AbortSignal: ForeignSignal } = frame.contentWindow;
const controller = new Foreign();
const promise = retry(() => { throw 0; }, { baseMs: 60000, capMs: 60000, signal: controller.signal });
setTimeout(() => controller.abort('from the frame'), 5);
const error = await promise.catch((e) => e);
const before = await retry(() => 1, { signal: ForeignSignal.abort('before') }).catch((e) => e);
frame.remove();
globalThis.finished = { foreign: !(controller.signal instanceof AbortSignal), error, before };
</script>`;
const COMPLAINS = `<script>
console.error('complaint');
setTimeout(() => { globalThis.finished = 1; }, 50);
throw new Error('uncaught');
</script>`;
const pages = { '/frame': html(FRAME), '/complaining': html(COMPLAINS) };
const server = await serve((path) => pages[path] ?? packageFile(path));
after(() => server.close());

inBrowsers((open) => {
  test('A13 a signal of an iframe ends a wait', async () => {
    const { result, complaints } = await open(`${server.origin}/frame`);
    assert.deepEqual(result, { foreign: true, error: 'from the frame', before: 'before' });
    assert.deepEqual(complaints, []);
  });

  test('control: a complaint of a page is seen', async () => {
    const { complaints } = await open(`${server.origin}/complaining`);
    assert.equal(complaints.length, 2, complaints.join());
  });
});
