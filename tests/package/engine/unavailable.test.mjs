// Without the core, an operation ends with the callback's own outcome.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { printed } from '../lib/consumer.mjs';

/** Changes of WebAssembly that hosts make, and the warning for each. */
const HOSTS = {
  'without WebAssembly': ['delete globalThis.WebAssembly;', /WebAssembly is not defined/],
  'with a Content-Security-Policy, Chromium': [
    'WebAssembly.Module = function () { throw new WebAssembly.CompileError(`WebAssembly.Module(): Compiling or ' +
      'instantiating WebAssembly module violates the following Content Security policy directive because ' +
      "'unsafe-eval' is not an allowed source of script`); };",
    /Add 'wasm-unsafe-eval' to the Content-Security-Policy's script-src\.$/,
  ],
  'with a Content-Security-Policy, Firefox': [
    "WebAssembly.Module = function () { throw new WebAssembly.CompileError('call to WebAssembly.Module() blocked " +
      "by CSP'); };",
    /Add 'wasm-unsafe-eval'/,
  ],
  'whose embedder forbids compiling': [
    "WebAssembly.Module = function () { throw new WebAssembly.CompileError('WebAssembly.Module(): Wasm code " +
      "generation disallowed by embedder'); };",
    /Wasm code generation disallowed by embedder$/,
  ],
  'that rejects instances': [
    "WebAssembly.Instance = function () { throw new RangeError('Out of memory'); };",
    /Out of memory$/,
  ],
  'whose core traps': [
    'WebAssembly.Instance = function () { this.exports = { draw() { throw new ' +
      "WebAssembly.RuntimeError('unreachable'); }, decide() { throw new WebAssembly.RuntimeError('unreachable'); } " +
      '}; };',
    /unreachable$/,
  ],
};
for (const [host, [change, remedy]] of Object.entries(HOSTS)) {
  test(`a host ${host}: errors and results keep their identity, one warning names the reason`, async () => {
    const stdout = await printed(`
      import { RetryError, RetryPolicy, permanent, retry, retryReport, retrySync } from 'rejitter';
      import { createFetch } from 'rejitter/fetch';
      ${change}
      const warnings = [];
      console.warn = (...args) => warnings.push(args.join(' '));
      const mine = new Error('mine');
      let calls = 0;
      const failing = () => { calls += 1; throw mine; };
      const ends = {};
      const note = (name, outcome, report, own = outcome === mine) => { ends[name] = [own, report?.reason, calls,
        report?.cause instanceof Error]; calls = 0; };
      const rejects = async (name, promise) => { const error = await promise.then(() => 'resolved', (e) => e);
        note(name, error, retryReport(error)); };
      await rejects('last attempt', retry(failing, { maxAttempts: 1 }));
      await rejects('permanent', retry(() => { calls += 1; throw permanent(mine); }));
      await rejects('not retryable', retry(failing, { retryIf: () => false }));
      console.log(warnings.length);
      await rejects('default', retry(failing));
      await rejects('seeded', retry(failing, { seed: 1 }));
      await rejects('watched', retry(failing, { totalTimeoutMs: 1000, retryIf: async () => true }));
      await rejects('demanded', retry(failing, { maxAttempts: 2, retryIf: () => ({ afterMs: 0 }) }));
      await rejects('policy', new RetryPolicy({ random: () => 0.5 }).run(failing));
      try { retrySync(failing); } catch (error) { note('sync', error, retryReport(error)); }
      const wrapped = await retry(failing, { finalError: 'wrap' }).catch((e) => e);
      note('wrapped', wrapped, wrapped.report, wrapped instanceof RetryError && wrapped.cause === mine);
      const pending = { state: 'pending' };
      const result = await retry(() => { calls += 1; return pending; }, { retryOnResult: () => true });
      note('result', result, retryReport(result), result === pending);
      const texts = [];
      const policy = new RetryPolicy();
      for (const ask of [() => policy.delays().next(), () => [...policy.delays({ seed: 1 })]]) try { ask();
        } catch (error) { texts.push(error.message); }
      console.log(JSON.stringify({ ends, warnings, texts }));
    `);
    const [before, line] = stdout.split('\n');
    assert.equal(before, '0', 'what needs no core warns of nothing');
    const { ends, warnings, texts } = JSON.parse(line);
    const unavailable = [true, 'unavailable', 1, true];
    assert.deepEqual(ends, {
      'last attempt': [true, 'exhausted', 1, false],
      permanent: [true, 'permanent', 1, false],
      'not retryable': [true, 'notRetryable', 1, false],
      default: unavailable,
      seeded: unavailable,
      watched: unavailable,
      // A wait that the caller demands needs no formula, but a core that loads.
      demanded: host === 'whose core traps' ? [true, 'exhausted', 2, false] : unavailable,
      policy: unavailable,
      sync: unavailable,
      wrapped: unavailable,
      result: unavailable,
    });
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0],
      /^rejitter: operations are not retried\. Error: rejitter: this host refused|^rejitter: operations are not retried\. R/,
    );
    assert.match(warnings[0], remedy);
    if (!host.includes('Content-Security-Policy'))
      assert.doesNotMatch(warnings[0], /Content-Security-Policy|unsafe-eval/);
    assert.equal(texts.length, 2);
    for (const text of texts) assert.match(text, remedy);
  });
}

test('a console.warn that throws, as some test set-ups make it, changes nothing', async () => {
  const stdout = await printed(`
    import { retry, retryReport } from 'rejitter';
    delete globalThis.WebAssembly;
    console.warn = () => { throw new Error('no warnings here'); };
    const mine = new Error('mine');
    const error = await retry(() => { throw mine; }).catch((e) => e);
    console.log(error === mine, retryReport(error).reason);
  `);
  assert.equal(stdout, 'true unavailable\n');
});
