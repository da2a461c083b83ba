// Corners in which the engine was once wrong. The simulation found them; here each is by itself.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { VirtualClock, underClock } from '../lib/clock.mjs';
import { importPackage, installed, runNode, tool } from '../lib/consumer.mjs';

const { RetryError, TimeoutError, isPermanent, permanent, retry, retryAfter, retryReport } = await importPackage();
const E = new Error('failing');

/** An error that throws whatever is done with it. */
const hostile = () =>
  new Proxy(new Error('behind a proxy'), {
    get() {
      throw new Error('the proxy was read');
    },
    getPrototypeOf() {
      throw new Error('the proxy was read');
    },
  });

test('permanent() and retryAfter() around an error that cannot be read', async () => {
  const error = hostile();
  assert.ok(isPermanent(permanent(error)));
  const odd = Object.assign(new Error(), { message: Symbol('no text') });
  for (const each of [error, odd]) {
    const { error: rejected } = await underClock(() =>
      retry(() => {
        throw permanent(each);
      }),
    );
    assert.ok(Object.is(rejected, each));
    const { error: later } = await underClock(() =>
      retry(
        () => {
          throw retryAfter(5, each);
        },
        { maxAttempts: 2 },
      ),
    );
    assert.ok(Object.is(later, each));
  }
});

test("finalError 'wrap' around an error that cannot be read", async () => {
  const error = hostile();
  const { error: wrapped } = await underClock(() =>
    retry(
      () => {
        throw error;
      },
      { maxAttempts: 2, finalError: 'wrap' },
    ),
  );
  assert.ok(wrapped instanceof RetryError);
  assert.ok(Object.is(wrapped.cause, error));
  assert.equal(wrapped.message, 'rejitter: gave up after 2 attempts (exhausted)');
});

test('an onAttempt hook that blocks past the deadline: no attempt starts', async () => {
  for (const attempts of [1, 2]) {
    const { error, clock, calls } = await underBlocking(attempts);
    assert.equal(calls, attempts - 1);
    assert.equal(clock.pending.size, 0);
    assert.equal(retryReport(error).attempts, attempts - 1);
    if (attempts === 1) {
      assert.ok(error instanceof TimeoutError);
      assert.match(error.message, /before the first attempt/);
      assert.equal(retryReport(error).reason, 'timeout');
    } else {
      assert.equal(error, E);
      assert.equal(retryReport(error).reason, 'deadline');
    }
  }
});

/** An operation whose hook blocks the thread for 200 ms before attempt `n`, under a deadline of 100 ms. */
async function underBlocking(n) {
  let calls = 0;
  const outcome = await underClock((clock) =>
    retry(
      () => {
        calls += 1;
        throw E;
      },
      {
        baseMs: 1,
        totalTimeoutMs: 100,
        onAttempt: ({ attempt }) => {
          if (attempt === n) clock.now += 200;
        },
      },
    ),
  );
  return { ...outcome, calls };
}

test('a wait starts when random and backoff have returned, whatever they took', async () => {
  for (const slow of ['random', 'backoff']) {
    const ends = [];
    const clock = new VirtualClock().install();
    try {
      const starts = [];
      const promise = retry(
        () => {
          starts.push(clock.now);
          throw E;
        },
        {
          jitter: { type: 'additive', maxMs: 1 },
          maxAttempts: 2,
          capMs: Infinity,
          random: () => 0,
          backoff: () => 2 ** 32,
          [slow]: () => {
            clock.now += 500;
            ends.push(clock.now);
            return slow === 'random' ? 0 : 2 ** 32;
          },
        },
      );
      promise.catch(() => {});
      await clock.drain();
      assert.equal(starts[1] - ends[0], 2 ** 32, slow);
    } finally {
      clock.uninstall();
    }
  }
});

test('each timer of a long wait fires early: the wait is not cut short by what they add up to', async () => {
  const clock = new VirtualClock({ skew: () => -0.9 }).install();
  try {
    const starts = [];
    retry(
      () => {
        starts.push(clock.now);
        throw E;
      },
      { backoff: () => 2 ** 34, capMs: Infinity, jitter: 'none', maxAttempts: 2 },
    ).catch(() => {});
    await clock.drain();
    assert.equal(starts.length, 2);
    const missing = 2 ** 34 - (starts[1] - starts[0]);
    assert.ok(missing < 1, `${missing} ms too early`);
  } finally {
    clock.uninstall();
  }
});

test("no class has a static block: React Native's bundler rejects them", () => {
  for (const file of ['index.js', 'index.cjs', 'fetch.js', 'testing.js'])
    assert.doesNotMatch(readFileSync(join(installed, file), 'utf8'), /\bstatic\s*\{/, file);
});

test('as in React Native, without DOMException and with its polyfill of AbortController: an AbortError', async () => {
  const { code, stdout, stderr } = await runNode(
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
  assert.equal(stderr, '');
  assert.equal(code, 0);
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 7);
  for (const line of lines) assert.match(line, / true AbortError: This operation was aborted 20$/);
});
