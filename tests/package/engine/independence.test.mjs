// Operations do not resemble each other: seeds are kept apart, and without one, each operation, process and clone draws
// by itself, whatever the host's sources of randomness do.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { importPackage, printed, project, run, tool } from '../lib/consumer.mjs';

const { RetryPolicy } = await importPackage();

test('kinds of seed are kept apart; one number has one meaning in two spellings', () => {
  const texts = ['a', 'b', '1', '', 'ä', 'a\u0000', 'x'.repeat(1000), '\ud800', '\udc00'];
  const waits = (seed) => [...new RetryPolicy({ seed }).delays()].join();
  const seen = new Set([0, 1, 2 ** 53 - 1, 2n ** 64n - 1n, ...texts].map(waits));
  assert.equal(seen.size, texts.length + 4);
  assert.ok(seen.has(waits(1n)));
});

for (const [name, seedOf] of Object.entries({
  'no seed': () => undefined,
  'small numbers': (i) => i,
  'bigints that differ in their high bits': (i) => BigInt(i) << 46n,
  'strings that differ in their last characters': (i) => `client-${i}`,
}))
  test(`100,000 clients with ${name} wait each for itself: half of them short, a quarter as the one before`, () => {
    const policy = new RetryPolicy();
    const firsts = Array.from({ length: 100_000 }, (_, i) => policy.delays({ seed: seedOf(i) }).next().value);
    assert.ok(new Set(firsts).size > 99_990);
    const short = firsts.map((ms) => ms < 50);
    const both = short.filter((each, i) => each && short.at(i - 1));
    // Six standard deviations.
    for (const [list, expected] of [
      [short.filter(Boolean), 50_000],
      [both, 25_000],
    ])
      assert.ok(Math.abs(list.length - expected) < 1000, `${list.length} instead of ${expected}`);
  });

const NO_CRYPTO = "crypto.getRandomValues = () => { throw new Error('no entropy'); };";
const OTHER_HOST = "Object.defineProperty(process, 'versions', { value: {} });";
/** Sources of entropy that fail, before the import or after it. */
const ENTROPY = {
  'as it is': ['', ''],
  'crypto throws, as in other hosts than Node': [NO_CRYPTO + OTHER_HOST, ''],
};
for (const stub of ['0.5', '0', '1', 'NaN', 'undefined', "{ throw new Error('stub'); }"]) {
  const change = `Math.random = () => ${stub};`;
  ENTROPY[`${change} before the import`] = [change, ''];
  ENTROPY[change] = ['', change];
}

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
const CRYPTO = `${SPY}
  const after = [];
  for (let i = 0; i < 3; i++) {
    await end(retry(fails, { baseMs: 0.5, maxAttempts: 2 }));
    after.push(taken.filter((source) => source === 'crypto').length);
  }
  console.log(after.join());`;

/** Programs, and what they print. */
const PROGRAMS = {
  ...Object.fromEntries(
    Object.entries(ENTROPY).map(([name, [before, after]]) => [
      `N03 ${name}: waits in range, and distinct`,
      [
        `${before}
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
          console.log(waits.every((ms) => ms >= 0 && ms <= below), waits.length, new Set(waits).size);`,
        'true 202 202\ntrue 50 50\n',
      ],
    ]),
  ),
  'entropy is taken only for a draw: not with random, not with a seed, not where nothing is drawn': [
    `${SPY}
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
    console.log([...new Set(taken)].sort().join());`,
    '[]\nMath.random\n',
  ],
  'crypto, which is slow at its first use, is not asked in Node': [CRYPTO, '0,0,0\n'],
  'on other hosts, crypto is asked once, and not in the first draw of a process': [OTHER_HOST + CRYPTO, '0,1,1\n'],
};
for (const [name, [program, output]] of Object.entries(PROGRAMS))
  test(name, async () => assert.equal(await printed(program), output));

/** Runs programs at once, and returns the lines that each prints. */
const linesOf = async (programs, options) =>
  (await Promise.all(programs.map((program) => printed(program, options)))).map((text) => text.trim().split('\n'));

test('N01 clones of a running machine, which share all entropy, differ by the clock', async () => {
  const clone = (now) => `
    Math.random = () => 0.5;
    crypto.getRandomValues = (words) => words.fill(7);
    Date.now = () => 1e12;
    performance.now = () => ${now};
    Object.defineProperty(performance, 'timeOrigin', { value: 0 });
    const { RetryPolicy } = await import('rejitter');
    console.log([...new RetryPolicy().delays()].join('\\n'));`;
  const [one, same, later] = await linesOf([1e6, 1e6, 1e6 + 1e-4].map(clone));
  assert.deepEqual(one, same, 'the control: nothing else differs');
  assert.ok(one.length === 5 && one.every((ms, i) => ms !== later[i]), `${one} and ${later}`);
});

test('the first waits of processes and workers differ, even where Math.random is the same in all', async () => {
  const draw = "import('rejitter').then(({ RetryPolicy }) => console.log(new RetryPolicy().delays().next().value))";
  const program = `
    import { Worker } from 'node:worker_threads';
    await ${draw};
    await Promise.all([1, 2].map(() => new Promise((done) => new Worker("${draw}", { eval: true }).once('exit', done))));`;
  const waits = (await linesOf([program, program], { flags: ['--random-seed=42'] })).flat();
  assert.deepEqual([waits.length, new Set(waits).size], [6, 6], waits.join());
});

test('N01 a startup snapshot, taken after warm-up, gives each start different waits', async () => {
  // Warm-up, as far as it goes: Node has no WebAssembly while it builds a snapshot, but the entropy of the process is
  // taken before the first draw.
  const entry = `
    const { RetryPolicy } = require('rejitter');
    const warm = [Math.random()];
    try { warm.push(...new RetryPolicy().delays()); } catch { warm.push(typeof WebAssembly); }
    require('node:v8').startupSnapshot.setDeserializeMainFunction(() => {
      console.log(JSON.stringify([warm.join(), [...new RetryPolicy().delays()].join()]));
    });`;
  const dir = project('snapshot', { 'entry.cjs': entry });
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
  const seen = await Promise.all([1, 2, 3].map(async () => JSON.parse(await node('--snapshot-blob', blob))));
  const different = [0, 1].map((i) => new Set(seen.map((each) => each[i])).size);
  assert.deepEqual(different, [1, 3], 'the snapshot is the same in each, the waits are not');
});
