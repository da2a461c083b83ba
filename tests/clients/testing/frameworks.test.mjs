// F01 F03: fake timers of each kind drive the waits and the timeouts of a retry, although the package is imported
// before them, as in a user's tests, and the real ones do again once they are gone. The documented example of each
// framework.

import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';

import FakeTimers from '@sinonjs/fake-timers';

import { printed, project, run, runNode } from '../../package/lib/consumer.mjs';
import { importTesting } from '../../package/lib/fetching.mjs';
import { marked } from '../../package/lib/readers.mjs';
import { packaged } from '../lib/packages.mjs';

const { virtualClock } = await importTesting();

const ENV = { NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: '', NODE_ENV: 'test', CI: '1', FORCE_COLOR: undefined };
const JEST_CONFIG = JSON.stringify({ testEnvironment: 'node', transform: {}, testMatch: ['**/*.test.cjs'] });

/**
 * By framework: the extension of test files, the object of its fake timers, the arguments of Node, the imports, and the
 * kinds of its fake timers, by the arguments of `useFakeTimers`. What they do not fake is the clock.
 */
const FRAMEWORKS = {
  Vitest: {
    ...{ ext: 'mjs', object: 'vi' },
    kinds: { usual: '', onlyTimeouts: "{ toFake: ['setTimeout', 'clearTimeout'] }" },
    args: (dir) => [
      packaged('vitest/vitest.mjs'),
      'run',
      '--root',
      dir,
      '--globals',
      '--pool=threads',
      '--reporter=json',
    ],
    load: "import assert from 'node:assert/strict'; import { retry } from 'rejitter';",
  },
  Jest: {
    ...{ ext: 'cjs', object: 'jest' },
    kinds: { usual: '', notPerformance: "{ doNotFake: ['performance'] }", legacy: '{ legacyFakeTimers: true }' },
    args: (dir) => [
      ...[packaged('jest/bin/jest.js'), '--rootDir', dir, '--config', JEST_CONFIG],
      ...'--ci --runInBand --watchman=false --cacheDirectory cache --json'.split(' '),
    ],
    load: "const assert = require('node:assert/strict'); const { retry } = require('rejitter');",
  },
};

/**
 * Runs test files in a folder of their own, by their names. Both frameworks write the same JSON. Returns by these names
 * how each test ended.
 */
async function inFramework({ ext, args }, texts) {
  const files = Object.entries(texts).map(([name, text]) => [`${name}.test.${ext}`, text]);
  const dir = project('framework', { ...Object.fromEntries(files), 'package.json': '{ "private": true }' });
  const { stdout, stderr } = await run(process.execPath, args(dir), { cwd: dir, env: ENV });
  assert.ok(stdout.startsWith('{'), stdout + stderr);
  const ends = JSON.parse(stdout).testResults.map(({ name, assertionResults }) => [
    basename(name).split('.')[0],
    assertionResults.map(({ status, failureMessages: [message] }) => message ?? status),
  ]);
  return Object.fromEntries(ends);
}

/** The documented example for a framework, and the same with waits that are not those of the retry. */
function examplesOf(mark, ...edit) {
  const [[, documented], ...others] = marked(mark);
  assert.deepEqual(others, []);
  // The framework stands outside the folder; its globals are the same objects.
  const example = documented.replace(/^import .* from 'vitest';\n/m, '');
  assert.ok(example.includes(edit[0]));
  return { example, edited: example.replace(...edit) };
}
const EXAMPLES = {
  Vitest: examplesOf('vitest', "toBe('done')", "toBe('other')"),
  Jest: examplesOf('jest', "'broken')", "'fixed')"),
  'node:test': examplesOf('node:test', 'tick(5000)', 'tick(4999)'),
};

/** The tests of all kinds, which differ in `timers`: they install, move, count and remove the fake ones. */
const SUITE = `
const fixed = { backoff: 'fixed', jitter: 'none', capMs: 60_000 };
/** A retry that fails twice; the result has its progress. */
function start(options) {
  const state = { calls: 0 };
  const flaky = ({ attempt }) => { state.calls += 1; if (attempt < 3) throw new Error('flaky'); return attempt; };
  retry(flaky, { ...fixed, ...options }).then((value) => { state.end = value; }, (error) => { state.end = error; });
  return state;
}
const under = (name, body) => test(name, async () => {
  timers.install();
  await body();
  assert.equal(timers.left(), 0, 'a timer is left');
  timers.remove();
});
// Fakes differ in whether a timer of 0 ms, Node's 1 ms, needs a tick of 1.
for (const baseMs of [0, 1, 2, 100, 60_000]) under('waits of ' + baseMs, async () => {
  const state = start({ baseMs });
  for (const calls of [1, 2]) {
    await timers.tick(Math.max(0, baseMs - 1));
    if (baseMs > 0) assert.equal(state.calls, calls, 'early');
    await timers.tick(1);
    if (baseMs > 0) assert.equal(state.calls, calls + 1, 'late');
  }
  assert.deepEqual(state, { calls: 3, end: 3 });
});
under('all timers, one after the other', async () => {
  const state = start({ baseMs: 60_000 });
  await timers.all();
  assert.deepEqual(state, { calls: 3, end: 3 });
});
under('an abort in a wait', async () => {
  const controller = new AbortController();
  const state = start({ baseMs: 60_000, signal: controller.signal });
  await timers.tick(5);
  controller.abort('enough');
  await timers.tick(0);
  assert.deepEqual(state, { calls: 1, end: 'enough' });
});
under('an attempt timeout and a deadline', async () => {
  const [signals, ends] = [[], []];
  const hang = ({ signal }) => { signals.push(signal); return new Promise(() => {}); };
  const go = (options) => retry(hang, { ...fixed, baseMs: 10, maxAttempts: 2, ...options })
    .catch(({ message }) => ends.push(message));
  go({ attemptTimeoutMs: 5000 });
  await timers.tick(4999);
  assert.deepEqual([signals.length, signals[0].aborted], [1, false]);
  for (const ms of [1, 10, 5000]) await timers.tick(ms);
  assert.equal(signals[0].reason.name, 'TimeoutError');
  assert.match(ends.join(), /^rejitter: attempt 2 timed out after 5000 ms/);
  go({ totalTimeoutMs: 60_000 });
  await timers.tick(59_999);
  assert.equal(ends.length, 1);
  await timers.tick(1);
  assert.match(ends[1], /^rejitter: the operation timed out after 60000 ms/);
});
test('real timers afterwards; errors are of the classes of this realm', async () => {
  const began = performance.now();
  const state = start({ baseMs: 15, maxAttempts: 2 });
  while (state.end === undefined) await new Promise((go) => setImmediate(go));
  assert.ok(performance.now() - began >= 14);
  await assert.rejects(retry(() => 1, { baseMs: -1 }), RangeError);
});
`;

/**
 * A clock that is not faked has nothing to do with fake timers: it stands, as if the test took no time, or runs ahead,
 * as if the machine stopped between any two steps. Neither may matter.
 */
const CLOCKS = { stands: '() => stood', runsAhead: '() => (stood += 1e6)' };
const onClock = (clock) => `
  const { now } = performance;
  let stood = now.call(performance);
  const timers = { ...fake, install() { performance.now = ${CLOCKS[clock]}; fake.install(); },
    remove() { fake.remove(); performance.now = now; } };
  ${SUITE}`;

for (const [name, framework] of Object.entries(FRAMEWORKS))
  test(`F01 F03 ${name}: its fake timers drive the waits and the timeouts, as in the documented example`, async () => {
    const { object, load, kinds } = framework;
    const suites = Object.keys(kinds).flatMap((kind) => Object.keys(CLOCKS).map((clock) => [kind, clock]));
    const texts = suites.map(([kind, clock]) => {
      // The older timers of Jest are moved at once.
      const settled = kind === 'legacy' ? '; for (let i = 0; i < 50; i++) await undefined;' : ';';
      const moved = (call) =>
        `async (ms) => { await ${object}.${call}${kind === 'legacy' ? '' : 'Async'}(ms)${settled} }`;
      const all =
        kind === 'legacy'
          ? `async () => { for (let i = 0; i < 3; i++) await fake.tick(60_000); }`
          : moved('runAllTimers');
      const text = `${load}
        const fake = { install: () => ${object}.useFakeTimers(${kinds[kind]}), left: () => ${object}.getTimerCount(),
          tick: ${moved('advanceTimersByTime')}, all: ${all}, remove: () => ${object}.useRealTimers() };
        ${onClock(clock)}`;
      return [kind + clock, text];
    });
    const { edited, example, ...ends } = await inFramework(framework, {
      ...Object.fromEntries(texts),
      ...EXAMPLES[name],
    });
    assert.deepEqual(ends, Object.fromEntries(texts.map(([suite]) => [suite, Array(9).fill('passed')])));
    assert.deepEqual(example, ['passed']);
    // The control: other waits are seen.
    assert.match(edited.join(), /^\w*Error: /);
  });

test('node:test: the documented example passes, and fails when the waits are others', async () => {
  for (const [name, text] of Object.entries(EXAMPLES['node:test'])) {
    const { code, stdout } = await runNode(text);
    assert.equal(code === 0, name === 'example', stdout);
  }
});

const sinon = (...toFake) => `
  import { createRequire } from 'node:module';
  const FakeTimers = createRequire(${JSON.stringify(import.meta.url)})('@sinonjs/fake-timers');
  let clock;
  const fake = { install: () => (clock = FakeTimers.install(${toFake.length > 0 ? JSON.stringify({ toFake }) : ''})),
    left: () => clock.countTimers(), tick: (ms) => clock.tickAsync(ms), all: () => clock.runAllAsync(),
    remove: () => clock.uninstall() };`;
const timeouts = ['setTimeout', 'clearTimeout'];
/** Some of these move performance.now and some do not: the package must not wait for a clock that stands. */
const SCRIPTS = {
  'virtualClock of rejitter/testing': `
    import { virtualClock } from 'rejitter/testing';
    let clock;
    const fake = { install: () => (clock = virtualClock()), left: () => clock.pending, tick: (ms) => clock.advance(ms),
      all: () => clock.runAll(), remove: () => clock.uninstall() };`,
  'sinon, everything faked': sinon(),
  'sinon, only setTimeout faked': sinon(...timeouts),
  'sinon, all but performance and the microtasks faked': sinon(
    ...[...timeouts, 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'Date'],
  ),
  'node:test': `
    import { mock } from 'node:test';
    const turn = () => new Promise((go) => setImmediate(go));
    const tick = async (ms) => { if (ms > 0) mock.timers.tick(ms); await turn(); };
    const fake = { install: () => mock.timers.enable({ apis: ['setTimeout'] }), left: () => 0, tick,
      all: async () => { for (let i = 0; i < 2; i += 1) { mock.timers.runAll(); await turn(); } },
      remove: () => mock.timers.reset() };`,
};
// In a thread: what fakes process.nextTick would stop the test runner's output as well.
for (const [kind, code] of Object.entries(SCRIPTS))
  for (const clock of Object.keys(CLOCKS))
    test(`F01 F03 ${kind}, where the clock ${clock}: it drives the waits and the timeouts`, async () => {
      const program = `
        import assert from 'node:assert/strict';
        import { retry } from 'rejitter';
        ${code}
        const tests = [];
        const test = (name, body) => tests.push(body);
        ${onClock(clock)}
        for (const body of tests) await body();
        console.log('end');`;
      // That of node:test warns that it is experimental.
      const stdout = await printed(program, { flags: ['--disable-warning=ExperimentalWarning'] });
      assert.equal(stdout, 'end\n');
    });

test('rejects an installation next to fake timers of a test framework', () => {
  for (const options of [undefined, { toFake: ['setTimeout', 'clearTimeout', 'performance'] }]) {
    const fake = FakeTimers.install(options);
    try {
      assert.throws(() => virtualClock(), /^Error: rejitter: fake timers are installed already\. Remove them first/);
      assert.equal(performance.now(), 0, 'nothing was replaced');
    } finally {
      fake.uninstall();
    }
  }
});
