// Values that cannot be read, and a host without DOMException.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { fails } from '../lib/callbacks.mjs';
import { importPackage, installed, printed, tool } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryError, isPermanent, permanent, retryAfter } = await importPackage();

/** An error that throws whatever is done with it. */
const hostile = () => {
  const unreadable = fails(new Error('the proxy was read'));
  return new Proxy(new Error('behind a proxy'), { get: unreadable, getPrototypeOf: unreadable });
};

test('permanent(), retryAfter() and finalError wrap around an error that cannot be read', async () => {
  const error = hostile();
  assert.ok(isPermanent(permanent(error)));
  for (const each of [error, Object.assign(new Error(), { message: Symbol('no text') })])
    for (const marked of [permanent(each), retryAfter(5, each)])
      assert.ok(Object.is((await operate(fails(marked), { maxAttempts: 2 })).error, each));
  const { error: wrapped } = await operate(fails(error), { maxAttempts: 2, finalError: 'wrap' });
  assert.ok(wrapped instanceof RetryError && Object.is(wrapped.cause, error));
  assert.equal(wrapped.message, 'rejitter: gave up after 2 attempts (exhausted)');
});

test("no class has a static block: React Native's bundler rejects them", () => {
  for (const file of ['index.js', 'index.cjs', 'fetch.js', 'testing.js'])
    assert.doesNotMatch(readFileSync(join(installed, file), 'utf8'), /\bstatic\s*\{/, file);
});

test('as in React Native, without DOMException and with its polyfill of AbortController: an AbortError', async () => {
  const stdout = await printed(
    `
    import * as polyfill from ${JSON.stringify(pathToFileURL(tool('abort-controller/dist/abort-controller.mjs')).href)};
    delete globalThis.DOMException;
    Object.assign(globalThis, polyfill);
    const { RetryPolicy, retry, retrySync } = await import('rejitter');
    const { createFetch } = await import('rejitter/fetch');
    const down = () => { throw new Error('down'); };
    const hangs = () => new Promise(() => {});
    const ways = {
      'the wait': (signal) => retry(down, { signal, baseMs: 60_000, jitter: 'none' }),
      'an attempt': (signal) => retry(hangs, { signal, attemptTimeoutMs: 60_000 }),
      'a run': (signal) => new RetryPolicy().run(hangs, { signal }),
      'a blocking call': async (signal) => retrySync(() => { abort(); down(); }, { signal }),
      'a fetch': (signal) => createFetch({ attemptTimeoutMs: 60_000 }, hangs)('http://localhost/', { signal }),
      'a fetch with prepare': (signal) =>
        createFetch({ prepare() { abort(); } }, hangs)('http://localhost/', { signal }),
      'an aborted signal': (signal) => (abort(), retry(down, { signal })),
    };
    let abort;
    for (const [name, call] of Object.entries(ways)) {
      const controller = new AbortController();
      abort = () => controller.abort();
      setTimeout(abort, 0);
      const error = await call(controller.signal).catch((error) => error);
      console.log(name, error instanceof Error, String(error), error?.code);
    }
    `,
  );
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 7);
  for (const line of lines) assert.match(line, / true AbortError: This operation was aborted 20$/);
});
