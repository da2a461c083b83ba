// What is committed of the build, for who has no Rust, is what a build makes. REJITTER_WRITE_GENERATED=1 renews it.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { answer } from '../run/command.mjs';
import { inRoot } from '../run/places.mjs';
import { thin } from '../steps/package.mjs';
import { versionIn } from '../steps/setup.mjs';

/** Another compiler may write the same functions in other words. */
const COMPILER = 'src/generated/compiler';
const compiler = versionIn(answer(['rustc', '--version']) ?? '');
const FILES = {
  'core.wasm': thin('core').file,
  'core.js': thin('core').made,
  'light.js': thin('light').made,
  'machines.js': thin('machines').made,
};

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
