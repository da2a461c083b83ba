// Aborts in a host that has neither DOMException nor an AbortController of its own, but a polyfill: React Native.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { printed } from '../../package/lib/consumer.mjs';
import { IMPORT, whole } from '../../package/lib/processes.mjs';
import { packaged } from '../lib/packages.mjs';

const POLYFILL = pathToFileURL(packaged('abort-controller/dist/abort-controller.mjs')).href;

test('without DOMException, and with a polyfill of AbortController: an abort is an AbortError', async () => {
  const program = `
    const polyfill = await import(${JSON.stringify(POLYFILL)});
    delete globalThis.DOMException;
    Object.assign(globalThis, polyfill);
    ${IMPORT}
    const { createFetch } = await import('rejitter/fetch');
    const light = await import('rejitter/light');
    let abort;
    for (const call of [
      (signal) => retry(fails, { ...long, signal }),
      (signal) => retry(hangs, { signal, attemptTimeoutMs: 60_000 }),
      (signal) => light.retry(fails, { ...long, signal }),
      (signal) => new RetryPolicy().run(hangs, { signal }),
      async (signal) => retrySync(() => { abort(); fails(); }, { signal }),
      (signal) => createFetch({ attemptTimeoutMs: 60_000 }, hangs)('http://localhost/', { signal }),
      (signal) => createFetch({ prepare() { abort(); } }, hangs)('http://localhost/', { signal }),
      (signal) => (abort(), retry(fails, { signal })),
      async (signal) => (abort(), light.retry(fails, { signal })),
    ]) {
      const each = new AbortController();
      abort = () => each.abort();
      setTimeout(abort, 0);
      const error = await end(call(each.signal));
      console.log(error instanceof Error, String(error), error.code);
    }`;
  const stdout = await printed(whole(program));
  assert.equal(stdout.trimEnd(), Array(9).fill('true AbortError: This operation was aborted 20').join('\n'));
});
