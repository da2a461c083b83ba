// Operations do not resemble each other: seeds are kept apart, and without one, each operation, process and clone draws
// by itself, whatever the host's sources of randomness do.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { importPackage, printed, project, run, tool } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryPolicy } = await importPackage();

test('seeds: a one-shot function is always operation 0, and kinds of seed are kept apart', async () => {
  const texts = ['a', 'b', '1', '', 'ä', 'a\u0000', 'x'.repeat(1000), '\ud800', '\udc00'];
  const seen = new Set();
  for (const seed of [0, 1, 2 ** 53 - 1, 2n ** 64n - 1n, ...texts]) {
    const waits = [...new RetryPolicy({ seed }).delays()];
    for (let i = 0; i < 2; i += 1)
      assert.deepEqual((await operate(fails(0), { seed })).delays, waits.map(Math.ceil), String(seed));
    assert.ok(!seen.has(waits.join()), `${String(seed)} gives the waits of another seed`);
    seen.add(waits.join());
  }
  assert.ok(seen.has([...new RetryPolicy({ seed: 1n }).delays()].join()), 'one number, two spellings');
});

const CLIENTS = 100_000;
const BINS = 100;

/** The draws of a wait with full jitter, of many operations, between 0 and 1. */
function drawsOf(options, seedOf) {
  const policy = new RetryPolicy({ capMs: 400, ...options });
  const columns = [100, 200, 400].map(() => new Float64Array(CLIENTS));
  for (let i = 0; i < CLIENTS; i += 1) {
    const delays = policy.delays(seedOf && { seed: seedOf(i) });
    for (const [k, column] of columns.entries()) column[i] = delays.next().value / (100 * 2 ** k);
  }
  return columns;
}

/** How many standard deviations draws are from uniform ones, and from independent ones of another list. */
function deviations(draws, others) {
  const counts = Array(BINS).fill(0);
  let product = 0;
  for (const [i, draw] of draws.entries()) {
    counts[Math.floor(draw * BINS)] += 1;
    product += (draw - 0.5) * (others[i] - 0.5);
  }
  const expected = CLIENTS / BINS;
  const chi = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return [(chi - BINS + 1) / Math.sqrt(2 * (BINS - 1)), (12 * product) / Math.sqrt(CLIENTS)];
}

/** The largest deviation of all waits, of neighbouring operations, and of neighbouring waits. */
function largest(columns) {
  const rotated = (column) => [...column.subarray(1), column[0]];
  const pairs = columns.map((column, k) => [column, k === 0 ? columns[2] : columns[k - 1]]);
  const all = [...pairs, ...columns.map((column) => [column, rotated(column)])];
  return Math.max(...all.flatMap(([draws, others]) => deviations(draws, others)).map(Math.abs));
}

for (const [name, seedOf] of Object.entries({
  'no seed': undefined,
  'small numbers': (i) => i,
  'bigints that differ in their high bits': (i) => BigInt(i) << 46n,
  'strings that differ in their last characters': (i) => `client-${i}`,
}))
  test(`100,000 clients draw uniformly and do not resemble each other, seeded with ${name}`, () => {
    // Without a seed, each run is another one: more than this comes in one of a million.
    const found = largest(drawsOf({}, seedOf));
    assert.ok(found < (seedOf ? 4 : 6), `${found} standard deviations`);
  });

test('control: the draws of another jitter, or of one seed, are found out', () => {
  for (const [options, seedOf] of [
    [{ jitter: 'equal' }, undefined],
    [{}, (i) => i >> 1],
  ])
    assert.ok(largest(drawsOf(options, seedOf)) > 20);
});

/** Sources of entropy that fail, before the import or after it. */
const STUBS = ['() => 0.5', '() => 0', '() => 1', '() => NaN', '() => undefined', "() => { throw new Error('stub'); }"];
const ENTROPY = {
  'as it is': ['', ''],
  ...Object.fromEntries(
    STUBS.flatMap((stub) => {
      const change = `Math.random = ${stub};`;
      return [
        [`${change} before the import`, [change, '']],
        [change, ['', change]],
      ];
    }),
  ),
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
      const { RetryPolicy } = require('rejitter');
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
        console.log(JSON.stringify([[warm, drawn].join(), [...new RetryPolicy().delays()].join()]));
      });`,
  });
  const node = async (...args) => {
    const { code, stdout, stderr } = await run(process.execPath, args, { cwd: dir });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  // A snapshot has one script and no module loader: the package is bundled into it.
  const flags = ['--bundle', '--platform=node', '--format=cjs', '--outfile=bundle.cjs', '--log-level=error'];
  await node(tool('esbuild/bin/esbuild'), 'entry.cjs', ...flags);
  const blob = join(dir, 'snapshot.blob');
  await node('--snapshot-blob', blob, '--build-snapshot', join(dir, 'bundle.cjs'));
  const seen = (await Promise.all([1, 2, 3].map(() => node('--snapshot-blob', blob)))).map((text) => JSON.parse(text));
  assert.equal(new Set(seen.map(([of]) => of)).size, 1, 'the snapshot is the same in each');
  assert.equal(new Set(seen.map(([, waits]) => waits)).size, 3);
});

test('N01 clones of a running machine, which share all entropy, differ by the clock', async () => {
  const clone = async (now) => {
    const stdout = await printed(`
      Math.random = () => 0.5;
      crypto.getRandomValues = (words) => words.fill(7);
      Date.now = () => 1e12;
      performance.now = () => ${now};
      Object.defineProperty(performance, 'timeOrigin', { value: 0 });
      const { RetryPolicy } = await import('rejitter');
      console.log([...new RetryPolicy().delays()].join());`);
    return stdout.split(',').map(Number);
  };
  const [one, same, later] = await Promise.all([1e6, 1e6, 1e6 + 1e-4].map(clone));
  assert.deepEqual(one, same, 'the control: nothing else differs');
  assert.ok(
    one.every((ms, i) => ms !== later[i]),
    `${one} and ${later}`,
  );
});

/** Writes down which sources of entropy are asked. */
const SPY = `
  const { RetryPolicy, permanent, retry, retryAfter, retrySync } = await import('rejitter');
  const taken = [];
  const { random } = Math;
  Math.random = () => { taken.push('Math.random'); return random(); };
  const { getRandomValues } = crypto;
  crypto.getRandomValues = (words) => { taken.push('crypto'); return getRandomValues.call(crypto, words); };
  const fails = () => { throw 0; };
  const end = (promise) => promise.catch(() => {});
  const fast = { baseMs: 0.5, maxAttempts: 3 };
`;

test('entropy is taken only for a draw: not with random, not with a seed, not where nothing is drawn', async () => {
  const stdout = await printed(`${SPY}
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
  const use = `${SPY}
    const after = [];
    for (let i = 0; i < 3; i++) {
      await retry(({ attempt }) => { if (attempt < 2) throw 0; }, { baseMs: 0.5 });
      after.push(taken.filter((source) => source === 'crypto').length);
    }
    console.log(after.join());`;
  assert.equal(await printed(use), '0,0,0\n');
  assert.equal(await printed(`Object.defineProperty(process, 'versions', { value: {} });${use}`), '0,1,1\n');
});

test('the first waits of processes and workers differ, even where Math.random is the same in all', async () => {
  const draw = "import('rejitter').then(({ RetryPolicy }) => console.log(new RetryPolicy().delays().next().value))";
  const program = `
    import { Worker } from 'node:worker_threads';
    await ${draw};
    await Promise.all([1, 2].map(() => new Promise((done) => new Worker("${draw}", { eval: true }).once('exit', done))));`;
  const starts = await Promise.all([1, 2].map(() => printed(program, { flags: ['--random-seed=42'] })));
  const waits = starts.flatMap((stdout) => stdout.trim().split('\n'));
  assert.deepEqual([waits.length, new Set(waits).size], [6, 6], waits.join());
});
