// Runs the code in the READMEs and docs/: each code block against the packed package, and the tables of
// strategies against what the package computes. Also the examples in the declarations.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { OPTIONS } from '../../../xtask/npm/options.mjs';
import { importEntry, importPackage, installed, repo } from '../lib/consumer.mjs';
import {
  caught,
  declarations,
  documents,
  evaluate,
  literal,
  marked,
  oneOf,
  reference,
  tableIn,
} from '../lib/readers.mjs';
import { BLOCKS, EXAMPLES } from '../lib/samples.mjs';
import { BACKOFFS, JITTERS, SHORTCUTS } from '../lib/shortcuts.mjs';

const { RetryPolicy } = await importPackage();
const presets = await importEntry('presets');
const { limiter } = await importEntry('protection');
/** The names that an option can have. */
const namesOf = (option) => oneOf(caught(() => new RetryPolicy({ [option]: 'none of them' })).message).sort();

for (const { name, expected, run } of [...BLOCKS, ...EXAMPLES])
  test(`${name}: saved as a file it runs to its end, through retries`, async () => {
    const { code, stdout, stderr } = await run();
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.match(stdout, expected);
  });

const textOf = (path) => readFileSync(join(repo, path), 'utf8');

test('code of the package in a document is as it is in its file', () => {
  const shown = marked('src/\\S+');
  assert.ok(shown.length > 0);
  for (const [file, code] of shown) assert.ok(textOf(file).includes(code), `a document shows other code than ${file}`);
});

test('blocks of Rust have no hidden lines, which only rustdoc hides', () => {
  for (const [name, text] of [...documents, ["the crate's README.md", textOf('crates/rejitter/README.md')]])
    for (const [, code] of text.matchAll(/^```rust\n(.*?)^```$/gms)) assert.doesNotMatch(code, /^# /m, name);
});

test('links from elsewhere to the site and to the repository lead to pages and files', () => {
  const guide = readdirSync(join(repo, 'crates/rejitter/src/guide')).map((name) => `crates/rejitter/src/guide/${name}`);
  const crate = ['crates/rejitter/src/lib.rs', 'crates/rejitter/README.md', ...guide].map(textOf);
  const elsewhere = [...crate, ...documents.values()].join('\n');
  const own = readFileSync(join(installed, 'README.md'), 'utf8');
  const inPackage = own.matchAll(/(?:\]\(|(?:src|srcset|href)=")([^)"]+)/g);
  const SITE = 'https://rejitter.github.io/rejitter/';
  const PAGE = /^https:\/\/rejitter\.github\.io\/rejitter\/docs\/(.*)\.html(#.*)?$/;
  const FILE =
    /^https:\/\/(?:raw\.githubusercontent\.com\/rejitter\/rejitter|github\.com\/rejitter\/rejitter\/(?:blob|tree))\/main\//;
  const links = elsewhere.matchAll(/(https:\/\/(?:rejitter\.github\.io|github\.com)\/rejitter\/[^)#\s`"<>]+)/g);
  const all = [...inPackage, ...Array.from(links).filter(([link]) => PAGE.test(link) || FILE.test(link))];
  assert.ok(all.length > 35, `${all.length}`);
  for (const [, link] of all)
    if (link !== SITE) assert.ok(existsSync(join(repo, link.replace(PAGE, 'docs/$1.md').replace(FILE, ''))), link);
});

test('the README fits on two screens', () => {
  const text = documents.get('README.md');
  assert.ok(text.split('\n').length <= 86 && text.split(/\s+/).length <= 651);
});

test('samples of README, guide and recipes bind no `fetch`: pasted together, they would retry each other', () => {
  const pages = [...documents].filter(([name]) => !name.startsWith('docs/migration/'));
  const binding = pages.filter(([, text]) => /^\s*(?:export )?(?:const|let) fetch\b/m.test(text));
  assert.deepEqual(
    binding.map(([name]) => name),
    [],
  );
});

/** The rows of the Markdown table whose first heading is `heading`, as arrays of cells. */
const table = (heading) => {
  const pages = [...documents].filter(([name]) => name.startsWith('docs/')).map(([, text]) => text);
  return tableIn(pages.find((text) => text.includes(`\n| ${heading} |`)) ?? '', heading);
};

test('the page of limits names options that are accepted', () => {
  const rows = tableIn(documents.get('docs/guide/limits.md'), 'option');
  assert.ok(rows.length > 3);
  for (const [cell] of rows) {
    const [, options] = /^`(.*?)`/.exec(cell);
    assert.doesNotThrow(() => limiter({ limit: 50, ...evaluate(`{ ${options} }`) }), cell);
  }
});

/** The same, of a table that lists each of these names in its first column. */
function listed(heading, names) {
  const rows = table(heading);
  assert.deepEqual(rows.map(([name]) => literal(name)).sort(), names.sort());
  return rows;
}

const { floor, max, min } = Math;
/** The value of a formula of the table: 2·x and 2^(…) are written as JavaScript has them. */
const formula = (cell, variables) => {
  const code = literal(cell).replaceAll('·', '*').replaceAll('−', '-').replaceAll('^', '**');
  return evaluate(code, { floor, max, min, ...variables });
};
const fibonacci = (k) => (k <= 2 ? 1 : fibonacci(k - 1) + fibonacci(k - 2));
/** Polly's curve, in units of the base. */
const pollyCurve = (t) => (t < 0 ? 0 : 2 ** t * Math.tanh(Math.sqrt(4 * t)));

/** The options of the vectors, and what they lack: functions, lists, noise above the cap, growth that ends. */
const CASES = [
  ...JSON.parse(textOf('tests/vectors/delays.json')).map(({ options }) => options),
  ...[{ backoff: (k) => 10 * k * k }, { backoff: (k) => 3000 - k, capMs: 2990 }],
  ...[{ backoff: [5, 100, 20.5] }, { backoff: [20_000] }],
  ...[{ jitter: { type: 'additive', ratio: 1 } }, { jitter: { type: 'additive', maxMs: 12_000 } }],
  ...['none', 'slotted'].map((jitter) => ({ backoff: 'truncated', baseMs: 7, truncateAt: 5, jitter })),
];
const LISTED = { function: '(k) => ms', object: '[ms, …]' };
/** The kind of jitter of a row, or of an option. */
const kindOf = (jitter) =>
  typeof jitter === 'string' ? jitter : `${jitter.type} ${'maxMs' in jitter ? 'maxMs' : 'ratio'}`;

test('the tables of backoffs and jitters list each, and their formulas are what the package computes', () => {
  const curves = new Map(table('backoff').map(([name, curve]) => [literal(name), curve]));
  assert.deepEqual([...curves.keys()].sort(), [...namesOf('backoff'), ...Object.values(LISTED)].sort());
  const jitterIn = (cell) => evaluate(literal(cell).replace(/^(\w+)$/, "'$1'"), { ρ: 0, x: 0 });
  const draws = new Map(table('jitter').map(([cell, wait]) => [kindOf(jitterIn(cell)), wait]));
  assert.deepEqual([...draws.keys()].filter((name) => !name.includes(' ')).sort(), namesOf('jitter'));
  const left = new Set([...curves.keys(), ...draws.keys()]);
  for (const options of CASES) {
    // The formulas leave the floor out.
    if (options.minMs) continue;
    const { backoff = 'exponential', jitter = 'full', factor = 2, truncateAt: N = 10 } = options;
    const longest = Array.isArray(backoff) ? Math.max(...backoff) : 0;
    const { capMs: cap = typeof backoff === 'function' ? Infinity : Math.max(10_000, longest) } = options;
    const a = options.baseMs ?? cap / 2 ** (N - 1);
    const base = backoff === 'truncated' ? a : (options.baseMs ?? 100);
    const [curve, kind] = [LISTED[typeof backoff] ?? backoff, kindOf(jitter)];
    for (const name of [curve, kind]) left.delete(name);
    const known = {
      ...{ base, cap, factor, N, step: options.stepMs ?? base, a },
      ...{ F: fibonacci, g: pollyCurve, f: backoff, list: backoff, n: backoff.length },
      ...{ ρ: jitter.ratio, x: Math.min(jitter.maxMs, cap) },
    };
    for (const r of [0, 0.25, 0.7, 0.999]) {
      let prev = base;
      const policy = new RetryPolicy({ ...options, maxAttempts: 21, random: () => r });
      for (const [i, wait] of [...policy.delays()].entries()) {
        const c = Math.min(cap, formula(curves.get(curve), { ...known, k: i + 1 }));
        let expected = formula(draws.get(kind), { ...known, k: i + 1, c, r, q: r, prev });
        // The table says so in words.
        if (jitter === 'pollyV2' && expected > cap) expected = (1 + ((r * 2 ** 26) % 1)) * (cap / 2);
        // The core's powers are products and its tanh is its own: they differ from JavaScript's in the last digits.
        const near = wait === expected || Math.abs(wait - expected) <= 1e-11 * expected;
        assert.ok(near, `${JSON.stringify(options)} r = ${r} k = ${i + 1}: ${wait} instead of ${expected}`);
        prev = wait;
      }
    }
  }
  assert.deepEqual([...left], []);
});

/** The value that the cap bounds, in the words of the table and of toJSON. */
const CAP_RULES = { 'the wait': 'bound', 'the interval': 'ceiling', 'the draw': 'draw' };

test('the table of presets lists each, with its options and what its cap bounds', () => {
  const known = Object.keys(presets).filter((name) => typeof presets[name] === 'object');
  for (const [name, options, bounds] of listed('preset', known)) {
    const { capRule = 'bound', ...data } = new RetryPolicy(presets[literal(name)]).toJSON();
    assert.deepEqual(data, new RetryPolicy(evaluate(literal(options))).toJSON(), name);
    assert.equal(CAP_RULES[bounds], capRule, name);
  }
});

test('the table of functions lists each, with the strategy that it has', () => {
  // The random schedules compare the waits of each function with these strategies.
  for (const [cell, strategy] of listed('function', Object.keys(SHORTCUTS))) {
    const words = strategy.split(/[^a-z]+/);
    const said = {
      backoff: BACKOFFS.find((name) => words.includes(name)) ?? 'exponential',
      jitter: JITTERS.find((name) => words.includes(name)),
      ...(/without limit/.test(strategy) && { maxAttempts: Infinity }),
    };
    assert.deepEqual(said, SHORTCUTS[literal(cell)], strategy);
  }
});

test('the defaults that the formulas state are those of the options', () => {
  const [, sentence] = /^Defaults: (.*?)\.$/ms.exec(reference('formulas'));
  const stated = [...sentence.matchAll(/`(\w+)` ([\d,]*\d)/g)];
  assert.deepEqual(stated.map(([, name]) => name).join(), 'baseMs,capMs,factor,maxAttempts,minMs');
  for (const [, name, value] of stated)
    assert.equal(value.replace(',', '_'), OPTIONS.find((option) => option.name === name).standard, name);
});

test('the table of reasons lists each that the declarations know', () => {
  const [, union] = /type StopReason =([^;]*);/.exec(declarations('events.d.ts'));
  const declared = [...union.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  assert.ok(declared.length > 5);
  listed('reason', declared);
});

test('a page of the guide has at most 1,200 words, and the navigation has a place for each', async () => {
  const { PAGES } = await import('../../../xtask/site/typedoc.config.mjs');
  const guide = [...documents].filter(([name]) => name.startsWith('docs/guide/'));
  assert.ok(guide.length > 20);
  for (const [name, text] of guide) {
    assert.ok(text.trim().split(/\s+/).length <= 1200, name);
    assert.notEqual(PAGES.get(name.replace('docs/', '')), name.endsWith('/lab.md') ? undefined : 'More', name);
  }
});

test('each promise of SECURITY.md is held by tests that exist', () => {
  const rows = tableIn(textOf('SECURITY.md'), 'at stake');
  assert.ok(rows.length >= 14);
  for (const entry of rows.flatMap(([, , , tests]) => tests.split('<br>'))) {
    const [, file, title] = /^`([^`]+)`: (.+)$/.exec(entry) ?? [];
    assert.ok(file && existsSync(join(repo, file)), entry);
    assert.ok(textOf(file).replaceAll("\\'", "'").includes(title), entry);
  }
});
