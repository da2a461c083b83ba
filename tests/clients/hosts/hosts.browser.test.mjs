// The hosts of the daily run in real browsers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BROWSERS, html, serve } from '../lib/browsers.mjs';
import { onPage } from './browser.mjs';
import { testDaily } from './daily.mjs';

testDaily(({ browser }) => browser in BROWSERS);

const COMPLAINS = `<script>
console.error('complaint');
setTimeout(() => { globalThis.results = {}; }, 50);
throw new Error('uncaught');
</script>`;
for (const name of Object.keys(BROWSERS))
  test(`control: complaints of a page are seen in ${name}`, async (t) => {
    const server = await serve(() => html(COMPLAINS));
    t.after(() => server.close());
    assert.match((await onPage(`${server.origin}/`, name)).complaints, /^complaint; .*uncaught/);
  });
