// Operations do not resemble each other: seeds are kept apart, and without one, each operation, process and clone draws
// by itself, whatever the host's sources of randomness do.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { bundled } from '../lib/bundle.mjs';
import { fails } from '../lib/callbacks.mjs';
import { replace, underClock } from '../lib/clock.mjs';
import { importPackage, installed, printed, project, run } from '../lib/consumer.mjs';

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
  test(`20,000 clients with ${name} wait each for itself: half of them short, a quarter as the one before`, () => {
    const policy = new RetryPolicy();
    const firsts = Array.from({ length: 20_000 }, (_, i) => policy.delays({ seed: seedOf(i) }).next().value);
    assert.ok(new Set(firsts).size > 19_998);
    const short = firsts.map((ms) => ms < 50);
    const both = short.filter((each, i) => each && short.at(i - 1));
    // Six standard deviations.
    for (const [list, expected] of [
      [short.filter(Boolean), 10_000],
      [both, 5_000],
    ])
      assert.ok(Math.abs(list.length - expected) < 430, `${list.length} instead of ${expected}`);
  });

/** Calls `body` while these names are replaced. */
async function replacing(names, body) {
  const saved = names.flatMap(([holder, values]) =>
    Object.entries(values).map(([name, value]) => replace(holder, name, value)),
  );
  try {
    return await body();
  } finally {
    for (const putBack of saved) putBack();
  }
}

let copies = 0;
/** The same with the package once more, which has entropy of its own, as that of another process. */
const withCopy = (names, body) =>
  replacing(names, async () => body(await import(`${pathToFileURL(join(installed, 'index.js'))}?${(copies += 1)}`)));

const cryptoThrows = [crypto, { getRandomValues: fails(new Error('no entropy')) }];
const otherHost = [process, { versions: {} }];
/** Sources of entropy that fail, before the import or after it. */
const ENTROPY = { 'as it is': [[], []], 'crypto throws, as in other hosts than Node': [[cryptoThrows, otherHost], []] };
for (const stub of [() => 0.5, () => 0, () => 1, () => NaN, () => undefined, fails(new Error('stub'))]) {
  const random = [Math, { random: stub }];
  ENTROPY[`Math.random = ${stub}, before the import`] = [[random], []];
  ENTROPY[`Math.random = ${stub}`] = [[], [random]];
}
for (const [name, [before, after]] of Object.entries(ENTROPY))
  test(`N03 ${name}: waits in range, and distinct`, () =>
    withCopy(before, ({ RetryPolicy, retry }) =>
      replacing(after, async () => {
        const policies = Array.from({ length: 201 }, () => new RetryPolicy());
        const firsts = [policies[0], ...policies].map((policy) => policy.delays().next().value / 100);
        const long = { baseMs: 1e9, capMs: 1e9, maxAttempts: 2 };
        const { clock } = await underClock(() => Promise.allSettled(firsts.map(() => retry(fails(0), long))));
        for (const shares of [firsts, clock.delays.map((ms) => ms / 1e9)])
          assert.ok(new Set(shares).size === 202 && shares.every((share) => share >= 0 && share <= 1));
      }),
    ));

/** Returns which sources of entropy a copy of the package asks: its calls, one after the other, and what they add. */
async function taken(calls, replaced = []) {
  const [asked, counts] = [[], []];
  const spy = (holder, name, real = holder[name].bind(holder)) => [
    holder,
    { [name]: (...args) => asked.push(name) && real(...args) },
  ];
  await withCopy([...replaced, spy(Math, 'random'), spy(crypto, 'getRandomValues')], async (copy) => {
    for (const call of calls) {
      await (async () => call(copy))().catch(() => {});
      counts.push(asked.splice(0).join());
    }
  });
  return counts;
}
const once = (options) => (copy) => copy.retry(fails(0), { baseMs: 0.5, maxAttempts: 2, ...options });
const listed = (options) => (copy) => {
  const delays = new copy.RetryPolicy(options).delays();
  delays.next();
  delays.reset();
  return [...delays];
};

test('entropy is taken only for a draw: not where nothing is drawn, nor by lists with random or a seed', async () => {
  const none = [{ jitter: 'none' }, { maxAttempts: 1 }, { retryIf: () => false }, { retryIf: () => ({ afterMs: 0 }) }];
  const lists = [{ random: () => 0.5 }, { jitter: 'none' }, { seed: 1 }];
  const calls = [...none.map(once), ...lists.map(listed), (copy) => new copy.RetryPolicy().delays()];
  assert.deepEqual(await taken(calls), Array(8).fill(''));
  const hinted = (copy) => copy.retry(fails(copy.retryAfter(0.5)), { jitter: 'none', maxAttempts: 2 });
  assert.deepEqual(await taken([hinted]), ['random,random']);
});

test('crypto, slow at its first use, is not asked in Node; on other hosts once, not in the first draw', async () => {
  const draws = Array(3).fill(once());
  assert.deepEqual(await taken(draws), Array(3).fill('random,random'));
  assert.deepEqual(await taken(draws, [otherHost]), [
    'random,random',
    'getRandomValues,random,random',
    'random,random',
  ]);
});

test('N01 clones of a running machine, which share all entropy, differ by the clock', async () => {
  const shared = [
    [Math, { random: () => 0.5 }],
    [crypto, { getRandomValues: (words) => words.fill(7) }],
    [Date, { now: () => 1e12 }],
  ];
  const clone = (now) =>
    withCopy([...shared, [performance, { now: () => now, timeOrigin: 0 }]], (copy) => [
      ...new copy.RetryPolicy().delays(),
    ]);
  const [one, same, later] = [await clone(1e6), await clone(1e6), await clone(1e6 + 1e-4)];
  assert.deepEqual(one, same, 'the control: nothing else differs');
  assert.ok(one.length === 5 && one.every((ms, i) => ms !== later[i]), `${one} and ${later}`);
});

/** Runs programs at once, and returns the lines that each prints. */
const linesOf = async (programs, options) =>
  (await Promise.all(programs.map((program) => printed(program, options)))).map((text) => text.trim().split('\n'));

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
  const text = await bundled(dir, { entry: 'entry.cjs', platform: 'node', format: 'cjs' });
  writeFileSync(join(dir, 'bundle.cjs'), text);
  const blob = join(dir, 'snapshot.blob');
  await node('--snapshot-blob', blob, '--build-snapshot', join(dir, 'bundle.cjs'));
  const seen = await Promise.all([1, 2, 3].map(async () => JSON.parse(await node('--snapshot-blob', blob))));
  const different = [0, 1].map((i) => new Set(seen.map((each) => each[i])).size);
  assert.deepEqual(different, [1, 3], 'the snapshot is the same in each, the waits are not');
});
