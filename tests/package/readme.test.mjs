// What the READMEs show, run: each code block against the packed package, and the table of strategies
// against what the package computes. Also the examples in the declarations.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { transform } from 'esbuild';

import { underClock } from './lib/clock.mjs';
import { importPackage, installed, project, repo, run, tool } from './lib/consumer.mjs';
import { DECLARED, blocks, declarations, runBlock } from './lib/readers.mjs';
import { BACKOFFS, JITTERS, SHORTCUTS } from './lib/shortcuts.mjs';

const api = await importPackage();
const { RetryPolicy } = api;
const README = readFileSync(join(repo, 'README.md'), 'utf8');
const TEXTS = {
  'README.md': README,
  'the package\'s README.md': readFileSync(join(installed, 'README.md'), 'utf8'),
};

for (const [name, text] of Object.entries(TEXTS)) {
  const found = blocks(text);

  test(`${name} has code to run`, () => {
    assert.ok(found.length >= 1);
    assert.ok(found.every(({ code }) => /from 'rejitter(?:\/\w+)?'|require\('rejitter'\)/.test(code)), 'each block shows its import, so that it can be copied whole');
  });

  for (const { number, language, code } of found) {
    test(`${name}, block ${number}: runs to its end, through failures`, async () => {
      const source = /^m?ts$|^typescript$/.test(language) ? (await transform(code, { loader: 'ts' })).code : code;
      const { code: exit, stdout, stderr } = await runBlock(source);
      assert.equal(stderr, '');
      assert.equal(exit, 0);
      assert.ok(Number(/failures (\d+)$/m.exec(stdout)[1]) >= 2, `nothing failed, so nothing was retried: ${stdout}`);
    });
  }

  test(`${name}: the blocks type-check in a strict project`, async () => {
    const files = Object.fromEntries(found.map(({ number, code }) => [`block${number}.mts`, code]));
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'], types: [] };
    const dir = project('readme', { ...files, 'callers.d.ts': DECLARED, 'tsconfig.json': JSON.stringify({ compilerOptions, files: [...Object.keys(files), 'callers.d.ts'] }) });
    const { stdout, code } = await run(process.execPath, [tool('typescript/bin/tsc'), '-p', dir, '--pretty', 'false'], { cwd: dir });
    assert.equal(stdout, '');
    assert.equal(code, 0);
  });
}

test('the examples in the declarations run', async () => {
  const found = blocks(declarations('index.d.ts'));
  assert.ok(found.length >= 3);
  for (const { code } of found) {
    const { code: exit, stdout, stderr } = await runBlock(code);
    assert.equal(stderr, '', code);
    assert.equal(exit, 0, code);
    assert.match(stdout, /failures [2-9]/, code);
  }
});

test('control: a block that does not work is seen', async () => {
  assert.notEqual((await runBlock(`import { retryWithJitter } from 'rejitter';`)).code, 0);
  assert.notEqual((await runBlock(`await retry(() => callApi('/x'), { maxAttempts: 2 });`)).code, 0);
  assert.match((await runBlock(`import { retry } from 'rejitter'; await retry(() => 1);`)).stdout, /failures 0/);
});

/** The rows of the Markdown table whose first heading is `heading`, as arrays of cells. */
function table(heading) {
  const lines = README.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  assert.ok(start >= 0, `no table begins with ${heading}`);
  const rows = [];
  for (let i = start + 2; lines[i]?.startsWith('|'); i += 1) rows.push(lines[i].split('|').slice(1, -1).map((cell) => cell.trim()));
  return rows;
}

const literal = (cell) => /^`([^`]+)`$/.exec(cell)?.[1];

/** A formula of the table as a function of its variables. */
function formula(text) {
  const source = text.replaceAll('·', '*').replaceAll('−', '-').replaceAll('^', '**');
  // Nothing but numbers, known names and arithmetic is evaluated.
  assert.match(source, /^(?:[\d.]+|\b(?:min|max|base|step|factor|cap|[akNcr]|prev)\b|[-+*/(), ])+$/, text);
  return ({ base, step, factor, cap, a, k, N, c, r, prev }) =>
    new Function('min', 'max', 'base', 'step', 'factor', 'cap', 'a', 'k', 'N', 'c', 'r', 'prev', `return ${source};`)(Math.min, Math.max, base, step, factor, cap, a, k, N, c, r, prev);
}

const waits = (n, options) => [...new RetryPolicy({ ...options, maxAttempts: n + 1 }).delays()];
const near = (actual, expected, label) => assert.ok(Math.abs(actual - expected) <= 1e-12 * Math.abs(expected), `${label}: ${actual} instead of ${expected}`);

test('the table of backoffs lists each, and its formulas are what the package computes', () => {
  const rows = table('backoff');
  assert.deepEqual(rows.map(([name]) => literal(name)).sort(), [...BACKOFFS].sort());
  for (const [name, curve] of rows) {
    const backoff = literal(name);
    const evaluate = formula(literal(curve));
    const settings = {
      fixed: [{}, { baseMs: 7 }],
      linear: [{}, { baseMs: 7 }, { baseMs: 7, stepMs: 3 }],
      exponential: [{}, { baseMs: 7, factor: 3 }, { baseMs: 50, factor: 1.5, capMs: 333 }],
      truncated: [{}, { truncateAt: 4 }, { baseMs: 7, truncateAt: 5 }, { capMs: 640, truncateAt: 3 }],
    }[backoff];
    for (const options of settings) {
      const { baseMs: base = 100, capMs: cap = 10_000, factor = 2, truncateAt: N = 10 } = options;
      const variables = { base, cap, factor, N, step: options.stepMs ?? base, a: options.baseMs ?? cap / 2 ** (N - 1) };
      for (const [i, wait] of waits(20, { backoff, jitter: 'none', ...options }).entries()) {
        near(wait, Math.min(cap, evaluate({ ...variables, k: i + 1 })), `${backoff} ${JSON.stringify(options)} k = ${i + 1}`);
      }
    }
  }
});

test('the table of jitters lists each, and its formulas are what the package computes', () => {
  const rows = table('jitter');
  assert.deepEqual(rows.map(([name]) => literal(name)).sort(), [...JITTERS].sort());
  for (const [name, wait] of rows) {
    const jitter = literal(name);
    const evaluate = formula(literal(wait));
    for (const r of [0, 0.25, 0.7, 0.999]) {
      let prev = 100;
      for (const [i, value] of waits(20, { jitter, random: () => r }).entries()) {
        near(value, evaluate({ base: 100, cap: 10_000, c: Math.min(10_000, 100 * 2 ** i), r, prev }), `${jitter} r = ${r} k = ${i + 1}`);
        prev = value;
      }
    }
  }
});

test('the table of functions lists each, with the strategy that it has', async () => {
  const rows = table('function');
  assert.deepEqual(rows.map(([name]) => literal(name)).sort(), Object.keys(SHORTCUTS).sort());
  for (const [cell, strategy] of rows) {
    const words = strategy.split(/[^a-z]+/);
    const backoff = BACKOFFS.find((name) => words.includes(name));
    const jitter = JITTERS.find((name) => words.includes(name));
    assert.ok(jitter, strategy);
    const { clock } = await underClock(() => api[literal(cell)](() => { throw 0; }, { maxAttempts: 13, random: () => 0.3 }).catch(() => {}));
    assert.deepEqual(clock.delays, waits(12, { backoff, jitter, random: () => 0.3 }).map(Math.ceil), literal(cell));
    assert.equal(/without limit/.test(strategy), SHORTCUTS[literal(cell)].maxAttempts === Infinity, strategy);
  }
});

test('the defaults that the README states are the defaults', () => {
  const [, sentence] = /^Defaults: (.*?)\.$/ms.exec(README);
  const stated = Object.fromEntries([...sentence.matchAll(/`(\w+)` (\d[\d ,]*\d|\d)/g)].map(([, name, value]) => [name, Number(value.replaceAll(/[ ,]/g, ''))]));
  assert.deepEqual(Object.keys(stated).sort(), ['baseMs', 'capMs', 'factor', 'maxAttempts', 'minMs']);
  const plain = [...new RetryPolicy({ seed: 1, maxAttempts: 40 }).delays()];
  for (const [name, value] of Object.entries(stated)) {
    if (name === 'maxAttempts') assert.equal([...new RetryPolicy().delays()].length, value - 1);
    else assert.deepEqual([...new RetryPolicy({ seed: 1, maxAttempts: 40, [name]: value }).delays()], plain, name);
  }
});

test('control: a wrong formula is seen', () => {
  assert.throws(() => near(waits(5, { jitter: 'none' })[2], formula('base·factor^k')({ base: 100, factor: 2, k: 3 }), 'wrong'));
  assert.throws(() => formula('globalThis.process.exit()'));
});
