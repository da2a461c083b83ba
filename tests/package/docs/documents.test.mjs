// Runs the code in the READMEs and docs/: each code block against the packed package, and the tables of
// strategies against what the package computes. Also the examples in the declarations.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { transform } from 'esbuild';

import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, project, repo, run, tool } from '../lib/consumer.mjs';
import {
  blocks,
  caught,
  declarations,
  documents,
  literal,
  marked,
  oneOf,
  reference,
  runAsPasted,
  runBlock,
  tableIn,
} from '../lib/readers.mjs';
import { BACKOFFS, JITTERS, SHORTCUTS } from '../lib/shortcuts.mjs';

const api = await importPackage();
const presets = await importEntry('presets');
const { RetryPolicy } = api;
const messageOf = (options) => caught(() => new RetryPolicy(options)).message;

/** The module that the samples import as the reader's own, and its types. */
const [[, OWN]] = marked('api.mjs');
const OWN_TYPES =
  'export declare const callApi: (path: string, init?: { signal?: AbortSignal }) => Promise<{ status: number; ' +
  'name: string }>;\n';

for (const [name, text] of documents) {
  for (const { number, language, code } of blocks(text)) {
    test(`${name}, block ${number}: saved as a file it runs to its end, through retries`, async () => {
      assert.match(code, /from 'rejitter(?:\/\w+)?'|require\('rejitter'\)/, 'a block is copied whole, with its import');
      const source = /^m?ts$|^typescript$/.test(language) ? (await transform(code, { loader: 'ts' })).code : code;
      const {
        code: exit,
        stdout,
        stderr,
      } = await runAsPasted(source, code.includes('./api.mjs') ? { 'api.mjs': OWN } : {});
      assert.equal(stderr, '');
      assert.equal(exit, 0);
      // The lab computes; it calls nothing that could fail. The light entry has no channel that counts.
      const needed = /from 'rejitter\/(lab|light)'/.test(code) ? 0 : 1;
      assert.ok(Number(/^retries (\d+)$/m.exec(stdout)[1]) >= needed, `nothing was retried: ${stdout}`);
    });
  }
}

test('the READMEs and the guide have code to run', () => {
  for (const name of ['README.md', "the package's README.md", 'docs/guide/getting-started.md', 'docs/guide/fetch.md'])
    assert.ok(blocks(documents.get(name)).length >= 2, name);
});

test('all blocks type-check in a strict project', async () => {
  const files = {};
  for (const [name, text] of documents) {
    for (const { number, language, code } of blocks(text))
      files[`${name.replaceAll(/\W+/g, '-')}-${number}.${/ts/.test(language) ? 'mts' : 'mjs'}`] = code;
  }
  // JavaScript annotates no parameter; all else is strict.
  const compilerOptions = {
    strict: true,
    noImplicitAny: false,
    allowJs: true,
    checkJs: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: ['node'],
    typeRoots: [tool('@types')],
  };
  const dir = project('documents', {
    ...files,
    'api.d.mts': OWN_TYPES,
    'tsconfig.json': JSON.stringify({ compilerOptions, files: Object.keys(files) }),
  });
  const args = [tool('typescript/bin/tsc'), '-p', dir, '--pretty', 'false'];
  const { stdout, code } = await run(process.execPath, args, { cwd: dir });
  assert.equal(stdout, '');
  assert.equal(code, 0);
});

test('code of the package in a document is as it is in its file', () => {
  let shown = 0;
  for (const [name, text] of documents)
    for (const [, file, code] of text.matchAll(/^```js (src\/\S+)\n([^]*?)^```$/gm)) {
      assert.ok(readFileSync(join(repo, file), 'utf8').includes(code), `${name} shows other code than ${file} has`);
      shown++;
    }
  assert.ok(shown > 0);
});

test('links between the documents lead to files and headings', () => {
  const slug = (heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-');
  for (const [name, text] of documents) {
    if (name.startsWith('the package')) continue;
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [path, anchor] = target.split('#');
      const file = path === '' ? join(repo, name) : join(repo, dirname(name), path);
      assert.ok(existsSync(file), `${name} links to ${target}`);
      if (anchor === undefined) continue;
      const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) => slug(heading));
      assert.ok(headings.includes(anchor), `${name} links to ${target}; its headings are ${headings.join(', ')}`);
    }
  }
});

test('blocks of Rust have no hidden lines, which only rustdoc hides', () => {
  const crate = readFileSync(join(repo, 'crate-template/README.md'), 'utf8');
  for (const [name, text] of [...documents, ["the crate's README.md", crate]])
    for (const [, code] of text.matchAll(/^```rust\n(.*?)^```$/gms)) assert.doesNotMatch(code, /^# /m, name);
});

test('the documentation of the crate links to pages of the site', () => {
  const guide = readdirSync(join(repo, 'src/guide')).map((name) => `src/guide/${name}`);
  const pages = ['src/lib.rs', 'crate-template/README.md', ...guide].flatMap((name) => {
    const text = readFileSync(join(repo, name), 'utf8');
    return [...text.matchAll(/https:\/\/rejitter\.github\.io\/rejitter\/docs\/([\w/-]+)\.html/g)].map(
      ([, page]) => page,
    );
  });
  assert.ok(pages.length > 0);
  for (const page of pages) assert.ok(existsSync(join(repo, 'docs', `${page}.md`)), page);
});

test('the README fits on a few screens, and its table is part of the comparison', () => {
  const text = documents.get('README.md');
  assert.ok(text.replaceAll(/^\|.*/gm, '').split(/\s+/).length <= 1200);
  const all = documents.get('docs/comparison.md');
  const rows = text.split('\n').filter((line) => /^\| .* \| (yes|no) \| /.test(line));
  assert.ok(rows.length > 10);
  for (const row of rows) assert.ok(all.includes(row), row);
});

test('the examples in the declarations run', async () => {
  const found = ['index.d.ts', 'options.d.ts'].flatMap((name) => blocks(declarations(name)));
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
  assert.notEqual(
    (await runAsPasted(`import { retry } from 'rejitter'; await retry(() => callApi('/x'), { maxAttempts: 2 });`)).code,
    0,
  );
  assert.notEqual((await runAsPasted(`import { callApi } from './api.mjs';`)).code, 0);
  assert.match((await runAsPasted(`import { retry } from 'rejitter'; await retry(() => 1);`)).stdout, /retries 0/);
});

/** The rows of the Markdown table whose first heading is `heading`, as arrays of cells. */
const table = (heading) => {
  const pages = [...documents].filter(([name]) => name.startsWith('docs/')).map(([, text]) => text);
  return tableIn(pages.find((text) => text.includes(`\n| ${heading} |`)) ?? '', heading);
};

const KNOWN = [
  'min',
  'max',
  'floor',
  'base',
  'step',
  'factor',
  'cap',
  'a',
  'k',
  'n',
  'N',
  'c',
  'r',
  'q',
  'x',
  'ρ',
  'prev',
  'F',
  'f',
  'g',
  'list',
];

/** A formula of the table as a function of its variables. */
function formula(text) {
  // 2·x and 2^(…) as JavaScript has them.
  const source = text.replaceAll('·', '*').replaceAll('−', '-').replaceAll('^', '**');
  // Nothing but numbers, known names and arithmetic is evaluated.
  const words = source.match(/[\p{L}_$][\p{L}\d_$]*/gu) ?? [];
  assert.ok(words.every((word) => KNOWN.includes(word)) && /^[\p{L}\d.+\-*/(),[\] ]+$/u.test(source), text);
  return (variables) => {
    const given = { min: Math.min, max: Math.max, floor: Math.floor, ...variables };
    return new Function(...KNOWN, `return ${source};`)(...KNOWN.map((name) => given[name]));
  };
}

const fibonacci = (k) => (k <= 2 ? 1 : fibonacci(k - 1) + fibonacci(k - 2));
/** Polly's curve, in units of the base. */
const pollyCurve = (t) => (t < 0 ? 0 : 2 ** t * Math.tanh(Math.sqrt(4 * t)));

const waits = (n, options) => [...new RetryPolicy({ ...options, maxAttempts: n + 1 }).delays()];
// The core's powers are products and its tanh is its own: they differ from JavaScript's in the last digits.
const near = (actual, expected, label) =>
  assert.ok(
    actual === expected || Math.abs(actual - expected) <= 1e-11 * Math.abs(expected),
    `${label}: ${actual} instead of ${expected}`,
  );

const CURVES = {
  fixed: [{}, { baseMs: 7 }],
  linear: [{}, { baseMs: 7 }, { baseMs: 7, stepMs: 3 }],
  exponential: [{}, { baseMs: 7, factor: 3 }, { baseMs: 50, factor: 1.5, capMs: 333 }],
  truncated: [{}, { truncateAt: 4 }, { baseMs: 7, truncateAt: 5 }, { capMs: 640, truncateAt: 3 }],
  fibonacci: [{}, { baseMs: 7 }, { capMs: 333 }],
  '(k) => ms': [{ backoff: (k) => 10 * k * k }, { backoff: (k) => 3000 - k, capMs: 2990 }],
  '[ms, …]': [{ backoff: [5, 100, 20.5] }, { backoff: [20_000] }],
};

test('the table of backoffs lists each, and its formulas are what the package computes', () => {
  const rows = table('backoff');
  assert.deepEqual(
    rows.map(([name]) => literal(name)),
    Object.keys(CURVES),
  );
  const named = oneOf(messageOf({ backoff: 'none of them' }));
  assert.deepEqual(
    Object.keys(CURVES)
      .filter((name) => /^\w+$/.test(name))
      .sort(),
    named.sort(),
  );
  for (const [name, curve] of rows) {
    const evaluate = formula(literal(curve));
    for (const options of CURVES[literal(name)]) {
      const { baseMs: base = 100, backoff = literal(name), factor = 2, truncateAt: N = 10 } = options;
      const {
        capMs: cap = typeof backoff === 'function'
          ? Infinity
          : Math.max(10_000, ...(Array.isArray(backoff) ? backoff : [])),
      } = options;
      const variables = {
        base,
        cap,
        factor,
        N,
        step: options.stepMs ?? base,
        a: options.baseMs ?? cap / 2 ** (N - 1),
        F: fibonacci,
        f: backoff,
        list: backoff,
        n: backoff.length,
      };
      for (const [i, wait] of waits(20, { backoff, jitter: 'none', ...options }).entries()) {
        near(
          wait,
          Math.min(cap, evaluate({ ...variables, k: i + 1 })),
          `${name} ${JSON.stringify(options)} k = ${i + 1}`,
        );
      }
    }
  }
});

test('the table of jitters lists each, and its formulas are what the package computes', () => {
  const rows = table('jitter');
  const objects = rows.map(([name]) => literal(name)).filter((name) => !/^\w+$/.test(name));
  assert.deepEqual(objects, [
    "{ type: 'proportional', ratio: ρ }",
    "{ type: 'additive', ratio: ρ }",
    "{ type: 'additive', maxMs: x }",
  ]);
  assert.deepEqual(
    rows
      .map(([name]) => literal(name))
      .filter((name) => !objects.includes(name))
      .sort(),
    oneOf(messageOf({ jitter: 'none of them' })).sort(),
  );
  for (const [name, wait] of rows) {
    const evaluate = formula(literal(wait));
    for (const [ρ, x] of [
      [0.3, 70],
      [1, 12_000],
    ]) {
      const jitter = objects.includes(literal(name))
        ? new Function('ρ', 'x', `return (${literal(name)});`)(ρ, x)
        : literal(name);
      for (const r of [0, 0.25, 0.7, 0.999]) {
        let prev = 100;
        for (const [i, value] of waits(20, { jitter, random: () => r }).entries()) {
          const c = Math.min(10_000, 100 * 2 ** i);
          let expected = evaluate({
            base: 100,
            cap: 10_000,
            c,
            r,
            q: r,
            prev,
            k: i + 1,
            N: 10,
            ρ,
            x: Math.min(x, 10_000),
            g: pollyCurve,
          });
          // The table says so in words.
          if (jitter === 'pollyV2' && expected > 10_000) expected = 5000 + ((r * 2 ** 26) % 1) * 5000;
          near(value, expected, `${literal(name)} ρ = ${ρ} r = ${r} k = ${i + 1}`);
          prev = value;
        }
      }
    }
  }
});

/** The value that the cap bounds, in the words of the table and of toJSON. */
const CAP_RULES = { 'the wait': 'bound', 'the interval': 'ceiling', 'the draw': 'draw' };

test('the table of presets lists each, with its options and what its cap bounds', () => {
  const rows = table('preset');
  const known = Object.keys(presets).filter((name) => typeof presets[name] === 'object');
  assert.deepEqual(rows.map(([name]) => literal(name)).sort(), known.sort());
  for (const [name, options, bounds] of rows) {
    const { capRule = 'bound', ...data } = new RetryPolicy(presets[literal(name)]).toJSON();
    assert.deepEqual(data, new RetryPolicy(new Function(`return (${literal(options)});`)()).toJSON(), name);
    assert.equal(CAP_RULES[bounds], capRule, name);
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
    const { clock } = await underClock(() =>
      api[literal(cell)](
        () => {
          throw 0;
        },
        { maxAttempts: 13, random: () => 0.3 },
      ).catch(() => {}),
    );
    assert.deepEqual(clock.delays, waits(12, { backoff, jitter, random: () => 0.3 }).map(Math.ceil), literal(cell));
    assert.equal(/without limit/.test(strategy), SHORTCUTS[literal(cell)].maxAttempts === Infinity, strategy);
  }
});

test('the defaults that the formulas state are the defaults', () => {
  const [, sentence] = /^Defaults: (.*?)\.$/ms.exec(reference('formulas'));
  const stated = Object.fromEntries(
    [...sentence.matchAll(/`(\w+)` (\d[\d ,]*\d|\d)/g)].map(([, name, value]) => [
      name,
      Number(value.replaceAll(/[ ,]/g, '')),
    ]),
  );
  assert.deepEqual(Object.keys(stated).sort(), ['baseMs', 'capMs', 'factor', 'maxAttempts', 'minMs']);
  const plain = [...new RetryPolicy({ seed: 1, maxAttempts: 40 }).delays()];
  for (const [name, value] of Object.entries(stated)) {
    if (name === 'maxAttempts') assert.equal([...new RetryPolicy().delays()].length, value - 1);
    else assert.deepEqual([...new RetryPolicy({ seed: 1, maxAttempts: 40, [name]: value }).delays()], plain, name);
  }
});

test('the table of reasons lists each that the declarations know', () => {
  const [, union] = /type StopReason =([^;]*);/.exec(declarations('events.d.ts'));
  const declared = [...union.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  assert.ok(declared.length > 5);
  assert.deepEqual(
    table('reason').map(([name]) => literal(name)),
    declared,
  );
});

test('control: a wrong formula is seen', () => {
  assert.throws(() =>
    near(waits(5, { jitter: 'none' })[2], formula('base·factor^k')({ base: 100, factor: 2, k: 3 }), 'wrong'),
  );
  assert.throws(() => formula('globalThis.process.exit()'));
});
