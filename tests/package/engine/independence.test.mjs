// Operations do not touch each other: side by side, nested, re-entrant, under hostile randomness.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { importPackage, printed, project, run, runNode, tool } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryPolicy } = await importPackage();
const failing = fails(0);

test('seeds: a one-shot function is always operation 0, and kinds of seed are kept apart', async () => {
  const numbers = [0, 1, 2 ** 53 - 1, 2n ** 64n - 1n];
  const texts = ['a', 'b', '1', '', 'ä', 'a\u0000', 'x'.repeat(1000), '\ud800', '\udc00'];
  const seen = new Set();
  for (const seed of [...numbers, ...texts]) {
    const waits = [...new RetryPolicy({ seed }).delays()];
    for (let i = 0; i < 2; i += 1)
      assert.deepEqual((await operate(failing, { seed })).delays, waits.map(Math.ceil), String(seed));
    assert.ok(!seen.has(waits.join()), `${String(seed)} gives the waits of another seed`);
    seen.add(waits.join());
  }
  assert.ok(seen.has([...new RetryPolicy({ seed: 1n }).delays()].join()), 'one number, two spellings');
});

/** Sources of entropy that fail, before the import or after it. */
const STUBS = ['() => 0.5', '() => 0', '() => 1', '() => NaN', '() => undefined', "() => { throw new Error('stub'); }"];
const ENTROPY = {
  'as it is': ['', ''],
  ...Object.fromEntries(
    STUBS.map((stub) => [`Math.random = ${stub}, before the import`, [`Math.random = ${stub};`, '']]),
  ),
  ...Object.fromEntries(STUBS.map((stub) => [`Math.random = ${stub}`, ['', `Math.random = ${stub};`]])),
  'crypto throws, as in other hosts than Node': [
    `crypto.getRandomValues = () => { throw new Error('no entropy'); };
     Object.defineProperty(process, 'versions', { value: {} });`,
    '',
  ],
};
for (const [name, [before, after]] of Object.entries(ENTROPY))
  test(`N03 ${name}: waits in range, and distinct`, async () => {
    const stdout = await printed(`
      ${before}
      const { RetryPolicy, retry } = await import('rejitter');
      ${after}
      const policy = new RetryPolicy();
      const firsts = [policy, ...Array.from({ length: 200 }, () => new RetryPolicy())].map((each) => each.delays());
      firsts.push(policy.delays());
      const armed = [];
      const real = setTimeout;
      globalThis.setTimeout = (f, ms) => { armed.push(ms); return real(f, 0); };
      await Promise.allSettled(Array.from({ length: 50 }, () => retry(() => { throw 0; }, { baseMs: 1e9, capMs: 1e9,
        maxAttempts: 2 })));
      for (const [waits, below] of [[firsts.map((list) => list.next().value), 100], [armed.slice(0, 50), 1e9]])
        console.log(waits.every((ms) => ms >= 0 && ms <= below), waits.length, new Set(waits).size);
    `);
    assert.equal(stdout, 'true 202 202\ntrue 50 50\n');
  });

test('N01 a startup snapshot, taken after warm-up, gives each start different waits', async () => {
  const dir = project('snapshot', {
    'entry.cjs': `
      const { RetryPolicy, retry } = require('rejitter');
      // Warm-up, as far as it goes: Node has no WebAssembly while it builds a snapshot, but the
      // entropy of the process is taken before the first draw.
      const warm = [];
      try {
        warm.push(...new RetryPolicy().delays());
      } catch {
        warm.push(typeof WebAssembly);
      }
      const drawn = Math.random();
      require('node:v8').startupSnapshot.setDeserializeMainFunction(() => {
        console.log(JSON.stringify({ warm, drawn, now: [...new RetryPolicy().delays()].join() }));
      });`,
  });
  // A snapshot has one script and no module loader: the package is bundled into it.
  const flags = ['--bundle', '--platform=node', '--format=cjs', '--outfile=bundle.cjs', '--log-level=error'];
  const bundled = await run(process.execPath, [tool('esbuild/bin/esbuild'), 'entry.cjs', ...flags], { cwd: dir });
  assert.deepEqual({ code: bundled.code, stderr: bundled.stderr }, { code: 0, stderr: '' });
  const blob = join(dir, 'snapshot.blob');
  const built = await run(process.execPath, ['--snapshot-blob', blob, '--build-snapshot', join(dir, 'bundle.cjs')], {
    cwd: dir,
  });
  assert.equal(built.code, 0, built.stderr);
  const starts = await Promise.all([1, 2, 3].map(() => run(process.execPath, ['--snapshot-blob', blob], { cwd: dir })));
  const seen = starts.map(({ code, stdout, stderr }) => {
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  });
  assert.equal(new Set(seen.map(({ warm, drawn }) => `${warm} ${drawn}`)).size, 1, 'the snapshot is the same in each');
  assert.equal(new Set(seen.map(({ now }) => now)).size, 3);
});

test('N01 clones of a running machine, which share all entropy, differ by the clock', async () => {
  const clone = (now) =>
    runNode(`
    Math.random = () => 0.5;
    crypto.getRandomValues = (words) => words.fill(7);
    Date.now = () => 1e12;
    performance.now = () => ${now};
    Object.defineProperty(performance, 'timeOrigin', { value: 0 });
    const { RetryPolicy } = await import('rejitter');
    console.log([...new RetryPolicy().delays()].join());
  `);
  const [one, same, later] = (await Promise.all([1e6, 1e6, 1e6 + 1e-4].map(clone))).map(({ code, stdout, stderr }) => {
    assert.equal(code, 0, stderr);
    return stdout.split(',').map(Number);
  });
  assert.deepEqual(one, same, 'the control: nothing else differs');
  assert.ok(
    one.every((ms, i) => ms !== later[i]),
    `${one} and ${later}`,
  );
});

test('W01 100 first calls at once: one instance, all right', async () => {
  const stdout = await printed(`
    let modules = 0;
    const Module = WebAssembly.Module;
    WebAssembly.Module = function (...args) { modules += 1; return new Module(...args); };
    const { retry } = await import('rejitter');
    const values = await Promise.all(Array.from({ length: 100 }, (_, i) =>
      retry(({ attempt }) => { if (attempt < 3) throw 0; return i; }, { baseMs: 0 })));
    console.log(modules, values.every((v, i) => v === i));
  `);
  assert.equal(stdout, '1 true\n');
});

test('entropy is taken only for a draw: not with random, not with a seed, not where nothing is drawn', async () => {
  const stdout = await printed(`
    import { RetryPolicy, permanent, retry, retryAfter, retrySync } from 'rejitter';
    const taken = [];
    const { random } = Math;
    Math.random = () => { taken.push('Math.random'); return random(); };
    const { getRandomValues } = crypto;
    crypto.getRandomValues = (words) => { taken.push('crypto'); return getRandomValues.call(crypto, words); };
    const fails = () => { throw 0; };
    const end = (promise) => promise.catch(() => {});
    const fast = { baseMs: 0.5, maxAttempts: 3 };
    for (const options of [{ ...fast, random: () => 0.5 }, { ...fast, seed: 1 }, { ...fast, jitter: 'none' },
      { maxAttempts: 1 }, { retryIf: () => false }, { ...fast, retryIf: () => ({ afterMs: 0 }) }]) {
      await end(retry(fails, options));
      await end(new RetryPolicy(options).run(fails));
      try { retrySync(fails, options); } catch {}
    }
    await end(retry(() => { throw permanent(0); }));
    await end(retry(() => { throw retryAfter(0.5); }, { ...fast, random: () => 0 }));
    for (const options of [{ random: () => 0.5 }, { jitter: 'none' }, { seed: 1 }]) {
      const delays = new RetryPolicy(options).delays();
      delays.next();
      delays.reset();
      [...delays];
    }
    new RetryPolicy().delays();
    console.log(JSON.stringify(taken));
    await end(retry(() => { throw retryAfter(0.5); }, { ...fast, jitter: 'none' }));
    console.log([...new Set(taken)].sort().join());
  `);
  assert.equal(stdout, '[]\nMath.random\n');
});

test('crypto, which is slow at its first use: not in the first draw of a process, and in Node in none', async () => {
  const use = `
    import { retry } from 'rejitter';
    const taken = [];
    const { getRandomValues } = crypto;
    crypto.getRandomValues = (words) => { taken.push('crypto'); return getRandomValues.call(crypto, words); };
    const after = [];
    for (let i = 0; i < 3; i++) {
      await retry(({ attempt }) => { if (attempt < 2) throw 0; }, { baseMs: 0.5 });
      after.push(taken.length);
    }
    console.log(after.join());
  `;
  assert.equal(await printed(use), '0,0,0\n');
  assert.equal(await printed(`Object.defineProperty(process, 'versions', { value: {} });${use}`), '0,1,1\n');
});

test('the first waits of processes and workers differ, even where Math.random is the same in all', async () => {
  const draw = "import('rejitter').then(({ RetryPolicy }) => report(new RetryPolicy().delays().next().value))";
  const starts = await Promise.all(
    [1, 2].map(() =>
      runNode(
        `import { Worker } from 'node:worker_threads';
         const report = (ms) => console.log(ms);
         await ${draw};
         await Promise.all([1, 2].map(() => new Promise((done) => new Worker(
           "const report = (ms) => console.log(ms); ${draw}", { eval: true }).once('exit', done))));`,
        { flags: ['--random-seed=42'] },
      ),
    ),
  );
  const waits = starts.flatMap(({ stdout }) => stdout.trim().split('\n'));
  assert.equal(waits.length, 6);
  assert.equal(new Set(waits).size, 6, waits.join());
});
