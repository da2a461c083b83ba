// Scenarios from bug reports (bug-reports.md has the ids): lost errors, unhandled rejections, hooks that
// misbehave.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importPackage, runNode } from '../lib/consumer.mjs';

const { RetryError, retry, retryReport } = await importPackage();

const FAILURES = {
  'sync throw': `() => { throw E; }`,
  reject: `() => Promise.reject(E)`,
  'late reject': `() => new Promise((_, no) => setTimeout(no, 2, E))`,
  timeout: `() => new Promise((_, no) => setTimeout(no, 15, E))`,
  abort: `({ attempt }) => { if (attempt === 2) controller.abort(E); throw E; }`,
};
const HOOKS = {
  'a hook that throws': `() => { throw new Error('hook'); }`,
  'a hook that rejects': `async () => { throw new Error('hook'); }`,
  'a hook that rejects late': `() => new Promise((_, no) => setTimeout(no, 1, new Error('hook')))`,
};

for (const [how, hook] of Object.entries(HOOKS)) {
  test(`U01 U03 U05 ${how}, with every way to fail: one settlement, nothing unhandled`, async () => {
    const { code, stdout, stderr } = await runNode(
      `
      import { TimeoutError, retry } from 'rejitter';
      console.error = () => {};
      const E = new Error('expected');
      const names = ['onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp'];
      for (const [name, make] of Object.entries({ ${Object.entries(FAILURES)
        .map(([name, fn]) => `'${name}': (controller) => ${fn}`)
        .join(', ')} })) {
        const controller = new AbortController();
        const attemptTimeoutMs = name === 'timeout' ? 5 : 10_000;
        const options = { baseMs: 1, maxAttempts: 3, attemptTimeoutMs, signal: controller.signal };
        for (const each of names) options[each] = ${hook};
        let settled = 0;
        await retry(make(controller), options).then(() => { throw new Error(name + ' resolved'); }, (error) => {
          settled += 1;
          if (error === E || (name === 'timeout' && error instanceof TimeoutError)) return;
          throw new Error(name + ': ' + error);
        });
        if (settled !== 1) throw new Error(name + ' settled ' + settled + ' times');
      }
      await new Promise((go) => setTimeout(go, 40));
      console.log('end');
    `,
      { flags: ['--unhandled-rejections=strict', '--trace-warnings'] },
    );
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'end\n', stderr: '' });
  });
}

test('V09 three failures: the last error itself, or all three in the wrapper, in order', async () => {
  const errors = [1, 2, 3].map((n) => new Error(`failure ${n}`));
  const fn = ({ attempt }) => {
    throw errors[attempt - 1];
  };
  const { error: last } = await underClock(() => retry(fn, { maxAttempts: 3 }));
  assert.equal(last, errors[2]);
  assert.deepEqual(
    retryReport(last).records.map(({ error }) => error),
    errors,
  );
  const { error: wrapped } = await underClock(() => retry(fn, { maxAttempts: 3, finalError: 'wrap' }));
  assert.ok(wrapped instanceof RetryError && wrapped instanceof AggregateError);
  assert.equal(wrapped.cause, errors[2]);
  assert.deepEqual([...wrapped.errors], errors);
  assert.match(wrapped.message, /failure 3/);
  assert.deepEqual([wrapped.reason, wrapped.report], ['exhausted', retryReport(wrapped)]);
});

test('M01 a million failing attempts in one operation: the heap stays flat, the report is bounded', async () => {
  const { code, stdout, stderr } = await runNode(
    `
    import { retry, retryReport } from 'rejitter';
    // No real timer is that fast: each is a turn of the microtask queue and now and then of the loop.
    let armed = 0;
    const immediate = setImmediate;
    globalThis.setTimeout = (callback) => { if (++armed % 64 === 0) immediate(callback); else queueMicrotask(callback);
      return armed; };
    const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
    let before, after;
    const error = await retry(({ attempt }) => {
      if (attempt === 100_000) before = heap();
      if (attempt === 1_000_000) after = heap();
      throw new Error('failure ' + attempt);
    }, { baseMs: 0, maxAttempts: 1_000_000 }).catch((error) => error);
    const { attempts, dropped, records } = retryReport(error);
    const kept = records.map((record) => record.attempt);
    console.log(JSON.stringify({ grown: after - before, attempts, dropped, kept }));
  `,
    { flags: ['--expose-gc', '--stack-trace-limit=0'] },
  );
  assert.equal(code, 0, stderr);
  const { grown, ...counts } = JSON.parse(stdout);
  assert.deepEqual(counts, {
    attempts: 1_000_000,
    dropped: 999_990,
    kept: [1, ...Array.from({ length: 9 }, (_, i) => 999_992 + i)],
  });
  assert.ok(grown < 1_000_000, `${grown} bytes in 900,000 attempts`);
});
