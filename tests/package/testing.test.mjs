// rejitter/testing: what users' own tests lean on, and the examples for each framework.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import FakeTimers from '@sinonjs/fake-timers';

import { consumer, importPackage, project, repo, run, runNode, tool } from './lib/consumer.mjs';
import { blocks, declarations, runBlock } from './lib/readers.mjs';

const { RetryPolicy, retry, retryReport, retrySync } = await importPackage();
const dir = project('testing', { 'testing.mjs': "export * from 'rejitter/testing';\n" });
const { constantRandom, scriptedRandom, virtualClock } = await import(pathToFileURL(join(dir, 'testing.mjs')).href);

const flaky = ({ attempt }) => {
  if (attempt < 3) throw new Error('flaky');
  return attempt;
};

let clock;
afterEach(() => clock?.uninstall());

test('a clock drives an operation that was imported before: nothing happens until it is moved, and then in order', async () => {
  clock = virtualClock();
  const seen = [];
  const result = retry((attempt) => {
    seen.push([clock.now, attempt.attempt]);
    return flaky(attempt);
  }, { random: constantRandom(0.5), totalTimeoutMs: 60_000 });
  await clock.advance(0);
  assert.deepEqual([clock.pending, clock.now], [2, 0], 'the deadline and the wait');
  await clock.advance(49);
  assert.equal(seen.length, 1);
  await clock.advance(1);
  assert.deepEqual(seen, [[0, 1], [50, 2]]);
  await clock.advance(10_000);
  assert.equal(await result, 3);
  assert.deepEqual(seen, [[0, 1], [50, 2], [150, 3]]);
  assert.deepEqual([clock.now, clock.pending], [10_050, 0]);
});

test('runAll ends an operation of hours at once, and fails when one has no end', async () => {
  clock = virtualClock();
  const began = process.hrtime.bigint();
  const result = retry(() => { throw new Error('down'); }, { baseMs: 3_600_000, maxAttempts: 5, jitter: 'none' });
  const refused = assert.rejects(result, /down/);
  await clock.runAll();
  await refused;
  assert.equal(clock.now, 4 * 3_600_000);
  assert.ok(process.hrtime.bigint() - began < 5_000_000_000n);
  const stop = new AbortController();
  const endless = retry(() => { throw 0; }, { maxAttempts: Infinity, signal: stop.signal });
  await assert.rejects(clock.runAll(50), /50 timers have fired.*endless/);
  stop.abort('enough');
  await assert.rejects(endless, (reason) => reason === 'enough');
  assert.equal(clock.pending, 0);
});

test('timers as hosts have them: order, arguments, clearing, overflow, handles', async () => {
  clock = virtualClock();
  const seen = [];
  setTimeout((...args) => seen.push(['b', clock.now, ...args]), 10, 1, 2);
  setTimeout(() => seen.push(['c', clock.now]), 10);
  setTimeout(() => { seen.push(['a', clock.now]); setTimeout(() => seen.push(['nested', clock.now]), 2); }, 5);
  const cleared = setTimeout(() => seen.push(['never']), 5);
  assert.equal(cleared.unref().ref(), cleared);
  assert.equal(cleared.hasRef(), true);
  clearTimeout(cleared);
  clearTimeout(undefined);
  clearTimeout(setTimeout(() => seen.push(['by number']), 1) * 1);
  setTimeout(() => seen.push(['overflow', clock.now]), 2 ** 31);
  setTimeout(() => seen.push(['NaN', clock.now]), NaN);
  assert.throws(() => setTimeout('code', 1), TypeError);
  await clock.advance(10);
  assert.deepEqual(seen, [['overflow', 1], ['NaN', 1], ['a', 5], ['nested', 7], ['b', 10, 1, 2], ['c', 10]]);
});

test('util.promisify(setTimeout) waits on the clock', async () => {
  clock = virtualClock();
  const sleep = promisify(setTimeout);
  let got;
  const slept = sleep(1000, 'value').then((value) => { got = value; });
  await clock.advance(999);
  assert.equal(got, undefined);
  await clock.advance(1);
  await slept;
  assert.equal(got, 'value');
});

test('a timer that was armed before the clock is cleared as before, and clears none of the clock\'s', async () => {
  let late = 0;
  const before = setTimeout(() => { late += 1; }, 0);
  const number = setTimeout(() => { late += 1; }, 0);
  clock = virtualClock();
  // As many as it takes to meet the numbers of the two, were they counted from 1.
  for (let id = 0; id <= Number(number); id++) setTimeout(() => {}, 10);
  const armed = clock.pending;
  clearTimeout(before);
  clearTimeout(Number(number));
  assert.equal(clock.pending, armed);
  clock.uninstall();
  await new Promise((done) => { setTimeout(done, 5); });
  assert.equal(late, 0);
});

test('performance.now moves as far, Date.now only on demand', async () => {
  const before = performance.now();
  clock = virtualClock();
  const [monotonic, wall] = [performance.now(), Date.now()];
  assert.ok(monotonic >= before);
  await clock.advance(86_400_000);
  assert.equal(performance.now() - monotonic, 86_400_000);
  assert.ok(Date.now() - wall < 3_600_000, 'the real date');
  clock.uninstall();
  clock = virtualClock({ date: true });
  const dated = Date.now();
  await clock.advance(86_400_000.5);
  assert.equal(Date.now() - dated, 86_400_000);
});

test('beside fake timers of a test framework there is no clock; afterwards there is', async () => {
  const fake = FakeTimers.install();
  try {
    assert.throws(() => virtualClock(), /^Error: fake timers are installed already: remove them first/);
    assert.equal(performance.now(), 0, 'nothing was replaced');
  } finally {
    fake.uninstall();
  }
  clock = virtualClock();
  await clock.advance(5);
  assert.equal(clock.now, 5);
});

test('blocking: retrySync waits on it, and nothing fires meanwhile', async () => {
  clock = virtualClock({ blocking: true });
  let fired = 0;
  setTimeout(() => { fired += 1; }, 1);
  assert.equal(retrySync(flaky, { jitter: 'none' }), 3);
  assert.deepEqual([clock.now, fired], [300, 0]);
  await clock.advance(0);
  assert.equal(fired, 1, 'late, as after any blocking');
});

test('uninstall puts everything back, once, and leaves what others have put there since', async () => {
  const originals = () => [globalThis.setTimeout, globalThis.clearTimeout, performance.now, Date.now, Atomics.wait].map((f) => f);
  const before = originals();
  const owned = Object.hasOwn(performance, 'now');
  clock = virtualClock({ date: true, blocking: true });
  assert.ok(originals().every((f, i) => f !== before[i]));
  assert.throws(() => virtualClock(), /installed already/);
  setTimeout(() => assert.fail('a timer of an uninstalled clock'), 1);
  clock.uninstall();
  clock.uninstall();
  assert.deepEqual(originals(), before);
  assert.equal(Object.hasOwn(performance, 'now'), owned);
  assert.equal(clock.pending, 0);

  clock = virtualClock();
  const theirs = () => 7;
  const { setTimeout: real } = Object.fromEntries([['setTimeout', before[0]]]);
  globalThis.setTimeout = theirs;
  clock.uninstall();
  assert.equal(globalThis.setTimeout, theirs);
  globalThis.setTimeout = real;
  const began = performance.now();
  assert.equal(await retry(flaky, { baseMs: 5, backoff: 'fixed', jitter: 'none' }), 3);
  assert.ok(performance.now() - began >= 9);
});

test('Symbol.dispose uninstalls: using clock = virtualClock()', () => {
  const before = globalThis.setTimeout;
  const disposable = virtualClock();
  disposable[Symbol.dispose]();
  assert.equal(globalThis.setTimeout, before);
});

test('mistakes are told: a forgotten await, a bad argument, a callback that throws', async () => {
  clock = virtualClock();
  const first = clock.advance(5);
  await assert.rejects(clock.advance(5), /await each/);
  await first;
  for (const ms of [-1, NaN, Infinity, '5', undefined]) await assert.rejects(clock.advance(ms), RangeError);
  for (const limit of [-1, NaN, 1.5, Infinity, '5', null]) await assert.rejects(clock.runAll(limit), /^RangeError: runAll\(\) takes a whole number/);
  setTimeout(() => { throw new Error('in a timer'); }, 1);
  await assert.rejects(clock.advance(1), /in a timer/);
  await clock.advance(1);
  clock.uninstall();
  for (const options of [null, 5, { dates: true }, { date: 1 }]) assert.throws(() => virtualClock(options), TypeError);
  clock = virtualClock({ date: undefined });
});

test('a script gives its draws, then says that it has run out; the operation ends with that', async () => {
  clock = virtualClock();
  const random = scriptedRandom([0, 0.5, 1 - 2 ** -53]);
  assert.equal(random.left, 3);
  const waits = [];
  const result = retry(() => { throw new Error('down'); }, { maxAttempts: 9, random, onRetry: ({ delayMs }) => waits.push(delayMs) });
  const refused = assert.rejects(result, (error) => {
    assert.ok(error instanceof RangeError);
    assert.match(error.message, /script of 3 draws has run out/);
    assert.deepEqual([retryReport(error).reason, retryReport(error).attempts], ['callback', 4]);
    return true;
  });
  await clock.runAll();
  await refused;
  assert.deepEqual(waits, [0, 100, 400 * (1 - 2 ** -53)]);
  assert.equal(random.left, 0);
});

test('draws that are none are refused when the script is written', () => {
  for (const draws of [[1], [-0.1], [NaN], [0.5, 2]]) assert.throws(() => scriptedRandom(draws), RangeError);
  for (const draws of [['0.5'], [undefined], 0.5, undefined, new Float64Array(2)]) assert.throws(() => scriptedRandom(draws), TypeError);
  assert.throws(() => scriptedRandom([0.5, 2]), /draw 2/);
  assert.throws(() => constantRandom(1), RangeError);
  assert.throws(() => constantRandom('0'), TypeError);
  const draws = [0.5];
  const random = scriptedRandom(draws);
  draws[0] = 7;
  assert.equal(random(), 0.5);
  assert.deepEqual([...new RetryPolicy({ random: constantRandom(0.25), maxAttempts: 4 }).delays()], [25, 50, 100]);
});

test('CommonJS has the same', () => {
  const required = createRequire(join(consumer, 'package.json'))('rejitter/testing');
  assert.deepEqual(Object.keys(required).sort(), ['constantRandom', 'scriptedRandom', 'virtualClock']);
});

test('nothing is taken at import: a host without setImmediate, Symbol.dispose and Atomics is fine', async () => {
  const { stdout, stderr, code } = await runNode(`
    const dispose = Symbol.dispose;
    delete globalThis.setImmediate;
    delete globalThis.Atomics;
    const { virtualClock } = await import('rejitter/testing');
    const { retry } = await import('rejitter');
    const clock = virtualClock();
    const result = retry(({ attempt }) => { if (attempt < 3) throw 0; return attempt; });
    await clock.runAll();
    clock.uninstall();
    console.log(await result);
  `);
  assert.equal(stderr, '');
  assert.deepEqual([code, stdout], [0, '3\n']);
});

test('the examples in the declarations run', async () => {
  const found = blocks(declarations('testing.d.ts'));
  assert.equal(found.length, 3);
  const expected = [/^\{ status: 200, name: 'Ada' \} 150$/m, /^\[ 0, 100, 100 \]\n.*has run out/m, /failures 2/];
  for (const [i, { code }] of found.entries()) {
    const { code: exit, stdout, stderr } = await runBlock(code);
    assert.equal(stderr, '', code);
    assert.equal(exit, 0, code);
    assert.match(stdout, expected[i]);
  }
});

/** The README's examples for frameworks, marked by the name after the language. */
const EXAMPLES = Object.fromEntries([...readFileSync(join(repo, 'README.md'), 'utf8').matchAll(/^```js (vitest|jest|node:test)\n(.*?)^```$/gms)].map(([, name, code]) => [name, code]));

const FRAMEWORKS = {
  vitest: { file: 'example.test.mjs', args: (at) => [tool('vitest/vitest.mjs'), 'run', '--root', at, '--globals', '--no-color', '--pool=threads'], passed: /Tests +1 passed \(1\)/ },
  jest: {
    file: 'example.test.cjs',
    args: (at) => [
      tool('jest/bin/jest.js'), '--rootDir', at, '--ci', '--runInBand', '--watchman=false', '--cacheDirectory', join(at, 'cache'),
      '--config', JSON.stringify({ testEnvironment: 'node', transform: {}, testMatch: ['**/example.test.cjs'] }),
    ],
    passed: /Tests: +1 passed, 1 total/,
  },
  'node:test': { file: 'example.test.mjs', args: (at) => ['--test', join(at, 'example.test.mjs')], passed: /pass 1\n/ },
};

test('the README has an example for each framework', () => {
  assert.deepEqual(Object.keys(EXAMPLES).sort(), Object.keys(FRAMEWORKS).sort());
});

for (const [name, { file, args, passed }] of Object.entries(FRAMEWORKS)) {
  test(`the README's example for ${name} passes, and fails when the waits are others`, async () => {
    // The framework stands outside the folder; its globals are the same objects.
    const code = EXAMPLES[name].replace(/^import .* from 'vitest';\n/m, '');
    const env = { NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: '', NODE_ENV: 'test', CI: '1', NO_COLOR: '1', FORCE_COLOR: undefined };
    const go = async (text) => {
      const at = project('frameworks', { [file]: text, 'package.json': '{ "private": true }' });
      const { code: exit, stdout, stderr } = await run(process.execPath, args(at), { cwd: at, env });
      return { exit, text: stdout + stderr };
    };
    const good = await go(code);
    assert.equal(good.exit, 0, good.text);
    assert.match(good.text, passed);
    const broken = { vitest: ["toBe('done')", "toBe('other')"], jest: ["'broken')", "'fixed')"], 'node:test': ['tick(50)', 'tick(49)'] }[name];
    assert.ok(code.includes(broken[0]));
    assert.notEqual((await go(code.replace(...broken))).exit, 0);
  });
}
