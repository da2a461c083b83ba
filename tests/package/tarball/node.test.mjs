// The package in Node: imported, and by `require`, which gives the ES module where Node can, and the CommonJS file where
// it cannot.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { underClock } from '../lib/clock.mjs';
import { behaves, importPackage, installed, printed, project, requirePackage } from '../lib/consumer.mjs';
import { EXPORTS, SHORTCUTS, publicNames } from '../lib/shortcuts.mjs';
import { expectedWaits } from '../schedules/waits.mjs';
import { SPIES } from '../lib/spies.mjs';

const api = await importPackage();

test('the exports are these and no others', () => {
  assert.deepEqual(publicNames(api), EXPORTS);
});

test('require gives the same instance as import', () => {
  const required = requirePackage();
  for (const name of EXPORTS) assert.equal(required[name], api[name], name);
});

for (const [name, options] of Object.entries(SHORTCUTS))
  test(`${name}: ${options.backoff} backoff, ${options.jitter} jitter, ${options.maxAttempts ?? 6} attempts`, async () => {
    let calls = 0;
    const fails = (times) => () => {
      calls += 1;
      if (calls <= times) throw new Error('not yet');
      return 'done';
    };
    const { clock, value } = await underClock(() => api[name](fails(5), { random: () => 0.5, maxAttempts: 10 }));
    assert.deepEqual([value, calls], ['done', 6]);
    assert.deepEqual(clock.delays, expectedWaits(5, 0.5, options).map(Math.ceil));
    calls = 0;
    const { rejected } = await underClock(() => api[name](fails(2000)));
    assert.deepEqual([rejected, calls], options.maxAttempts === Infinity ? [false, 2001] : [true, 6]);
  });

test('import, new RetryPolicy and a first success touch no wasm, randomness or timer, and the clock once', async () => {
  const stdout = await printed(`${SPIES}
    const { retryWithFullJitter, retry, RetryPolicy } = await import('rejitter');
    const atImport = [...used];
    const policy = new RetryPolicy({ maxAttempts: 3, seed: 5 });
    const unseeded = new RetryPolicy();
    const results = [
      await retryWithFullJitter(() => 1), await retry(async () => 2, { maxAttempts: 9 }),
      await policy.run(() => 3), await unseeded.run(async () => 4), await policy.wrap((x) => x)(5),
    ];
    const atSuccess = [...used];
    // The control: what the first failures need is seen by the same spies.
    await retryWithFullJitter((attempt) => { if (attempt.attempt < 3) throw 1; }, { baseMs: 0 });
    console.log(JSON.stringify({ atImport, atSuccess, results, atFailure: [...new Set(used)] }));
  `);
  const seen = JSON.parse(stdout);
  assert.deepEqual(seen.atImport, [], 'at import');
  assert.deepEqual(
    seen.atSuccess,
    seen.results.map(() => 'performance.now'),
    'until the first failure',
  );
  assert.deepEqual(seen.results, [1, 2, 3, 4, 5]);
  for (const name of [
    'new WebAssembly.Module',
    'new WebAssembly.Instance',
    'Math.random',
    'setTimeout',
    'performance.now',
  ]) {
    assert.ok(seen.atFailure.includes(name), `the spies do not see ${name}, so they prove nothing: ${seen.atFailure}`);
  }
});

test('the module is compiled once, however many operations fail first', async () => {
  const stdout = await printed(`${SPIES}
    const { retry } = await import('rejitter');
    await Promise.all(Array.from({ length: 100 }, () => retry(({ attempt }) => { if (attempt < 3) throw 0;
      return attempt; }, { baseMs: 0 })));
    console.log(used.filter((name) => name.startsWith('new WebAssembly.')).join());
  `);
  assert.equal(stdout.trim(), 'new WebAssembly.Module,new WebAssembly.Instance');
});

const EACH = `
  const api = require('rejitter');
  (async () => {
    const out = { api: Object.fromEntries(Object.keys(api).map((name) => [name, true])), results: {},
      file: require.resolve('rejitter').split(/[\\\\/]/).pop() };
    for (const name of ${JSON.stringify(Object.keys(SHORTCUTS))}) {
      let calls = 0;
      out.results[name] = await api[name](() => { calls += 1; if (calls < 3) throw new Error('no'); return calls; },
        { baseMs: 0 });
    }
    let calls = 0;
    out.results.retrySync = api.retrySync(() => { calls += 1; if (calls < 3) throw new Error('no'); return calls; },
      { baseMs: 0 });
    out.delays = [...new api.RetryPolicy({ seed: 'cjs' }).delays()];
    console.log(JSON.stringify(out));
  })();
`;

for (const [host, flags, file] of [
  ['where require loads ES modules', [], 'index.js'],
  ['where require cannot load ES modules', ['--no-experimental-require-module'], 'index.cjs'],
]) {
  test(`each export works ${host}, with the same waits`, async () => {
    const out = JSON.parse(await printed(EACH, { ext: 'cjs', flags }));
    assert.equal(out.file, file);
    assert.deepEqual(publicNames(out.api), EXPORTS);
    assert.deepEqual(Object.keys(out.results), [...Object.keys(SHORTCUTS), 'retrySync']);
    for (const [name, calls] of Object.entries(out.results)) assert.equal(calls, 3, name);
    assert.deepEqual(out.delays, [...new api.RetryPolicy({ seed: 'cjs' }).delays()]);
  });

  test(`require touches nothing ${host}, and a first success the clock alone, once`, async () => {
    const stdout = await printed(
      `${SPIES} const { retry } = require('rejitter'); const atImport = [...used];
       retry(() => 1).then(() => console.log(JSON.stringify({ atImport, atSuccess: [...used] })));`,
      { ext: 'cjs', flags },
    );
    assert.deepEqual(JSON.parse(stdout), { atImport: [], atSuccess: ['performance.now'] });
  });
}

test('the tests of behaviour pass on the CommonJS files', async () => {
  // Whether Node finds the names of a CommonJS module's exports is not the matter here: take them from it.
  const dir = project('cjs', {
    'entry.mjs':
      `import api from ${JSON.stringify(pathToFileURL(join(installed, 'index.cjs')).href)};\nexport const ` +
      `{ ${EXPORTS.join(', ')} } = api;\n`,
  });
  await behaves(join(dir, 'entry.mjs'));
});
