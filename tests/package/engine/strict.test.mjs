// The package leaves no promise without a handler. Each case runs in a process of its own
// under --unhandled-rejections=strict, where such a promise ends the process.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runNode } from '../lib/consumer.mjs';

const CASES = {
  'synchronous throws until the attempts run out': `await expect(retry(() => { throw E; }, fast), E);`,
  'rejections until the attempts run out': `await expect(retry(() => Promise.reject(E), fast), E);`,
  'late rejections': `await expect(retry(() => new Promise((_, no) => setTimeout(no, 1, E)), fast), E);`,
  'an attempt that rejects after the abort': `
    const c = new AbortController();
    let reject;
    const p = retry(() => new Promise((_, no) => { reject = no; }), { ...fast, signal: c.signal });
    c.abort(E);
    await expect(p, E);
    reject(new Error('late'));`,
  'a later attempt that rejects after the abort': `
    const c = new AbortController();
    const late = [];
    const p = retry(({ attempt }) => attempt < 3 ? Promise.reject(1) : new Promise((_, no) => { late.push(no);
      setTimeout(() => c.abort(E), 1); }), { ...fast, signal: c.signal });
    await expect(p, E);
    late[0](new Error('late'));`,
  'an abort inside the callback, which then throws': `
    const c = new AbortController();
    await expect(retry(() => { c.abort(E); throw 1; }, { ...fast, signal: c.signal }), E);`,
  'an abort during the wait': `
    const c = new AbortController();
    const p = retry(() => Promise.reject(1), { ...fast, baseMs: 60000, capMs: 60000, jitter: 'none',
      signal: c.signal });
    setTimeout(() => c.abort(E), 1);
    await expect(p, E);`,
  'an aborted signal from the start': `await expect(retry(() => 1, { signal: AbortSignal.abort(E) }), E);`,
  'a predicate that throws': `await expect(retry(() => Promise.reject(1), { ...fast, retryIf() { throw E; } }), E);`,
  'a predicate that rejects': `
    await expect(retry(() => Promise.reject(1), { ...fast, retryIf: async () => { throw E; } }), E);`,
  'a predicate that rejects after the abort': `
    const c = new AbortController();
    let reject;
    const p = retry(() => Promise.reject(1), { ...fast, signal: c.signal, retryIf: () =>
      new Promise((_, no) => { reject = no; }) });
    await new Promise((go) => setTimeout(go, 2));
    c.abort(E);
    await expect(p, E);
    reject(new Error('late'));`,
  'bad options': `await expect(retry(() => 1, { baseMs: -1 }), undefined);`,
  'a random source that throws': `
    await expect(retry(() => Promise.reject(1), { ...fast, random() { throw E; } }), undefined);`,
  'hooks that throw, reject, or reject late, with every way to fail': `
    console.error = () => {};
    const late = (ms, error) => new Promise((_, no) => setTimeout(no, ms, error));
    for (const hook of [() => { throw 1; }, async () => { throw 1; }, () => late(1, 1)]) {
      const c = new AbortController();
      const options = { ...fast, signal: c.signal, attemptTimeoutMs: 10_000 };
      for (const name of ['onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp']) options[name] = hook;
      for (const fn of [() => { throw E; }, () => Promise.reject(E), () => late(2, E)])
        await expect(retry(fn, options), E);
      await expect(retry(() => late(15, E), { ...options, attemptTimeoutMs: 5 }), undefined);
      await expect(retry(({ attempt }) => { if (attempt === 2) c.abort(E); throw 1; }, options), E);
    }
    await late(20).catch(() => {});`,
  'a thenable that rejects twice and then throws': `
    await expect(retry(() => ({ then(ok, no) { no(E); no(2); ok(3); throw 4; } }), fast), E);`,
};

const PRELUDE = `
  import { retry } from 'rejitter';
  const E = new Error('expected');
  const fast = { baseMs: 0, maxAttempts: 3 };
  const expect = (promise, error) => promise.then(
    () => { console.log('resolved'); },
    (e) => { if (error !== undefined && e !== error) console.log('rejected with', e); },
  );
`;
// A few turns of the loop: an unhandled rejection is reported after the microtasks of its turn.
const EPILOGUE = `\nawait new Promise((go) => setTimeout(go, 20)); console.log('end');`;
const strict = (body) =>
  runNode(`${PRELUDE}${body}${EPILOGUE}`, { flags: ['--unhandled-rejections=strict', '--trace-warnings'] });

test('the guard itself: a promise without a handler ends such a process', async () => {
  const { code, stdout, stderr } = await strict(
    `await new Promise((onGiveUp) => void retry(() => { throw E; }, { ...fast, onGiveUp }));`,
  );
  assert.notEqual(code, 0);
  assert.equal(stdout, '');
  assert.match(stderr, /expected/);
});

for (const [name, body] of Object.entries(CASES)) {
  test(`no unhandled rejection: ${name}`, async () => {
    assert.deepEqual(await strict(body), { code: 0, stdout: 'end\n', stderr: '' });
  });
}
