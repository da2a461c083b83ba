// Tests changes of JavaScript without Rust: assembles the package again with the wasm files that the last
// `cargo xtask pkg` built, packs it, and runs test files. After each change, once more. Where nothing was built, it takes
// what is committed of the core, and the package has no lab.
//
//   node xtask/npm/watch.mjs [--once] tests/package/engine/abort.test.mjs...

import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { execPath } from 'node:process';
import { parseArgs } from 'node:util';

import { inRoot, pkg, tarball } from '../run/places.mjs';
import { parts as partsBuilt, version } from '../steps/package.mjs';
import { assembleHere } from './assemble.mjs';
import { pack } from './pack.mjs';

const { values, positionals: tests } = parseArgs({
  options: { once: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const built = partsBuilt();
const generated = (name) => inRoot('src/generated', name);
const committed = { wasm: generated('core.wasm'), light: generated('light.js'), machines: generated('machines.js') };
const parts = Object.values(built).every((path) => existsSync(path)) ? built : committed;
if (parts === committed) console.log('the package without rejitter/lab, which `cargo xtask pkg` builds');

async function repack() {
  const started = performance.now();
  await assembleHere({ ...parts, version: version(), out: pkg });
  pack(pkg, dirname(tarball));
  console.log(`packed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** Resolves with the exit code. */
const runTests = () =>
  new Promise((done) => {
    if (tests.length === 0) return done(0);
    const runner = spawn(execPath, ['--test', ...tests], { stdio: 'inherit' });
    runner.once('close', done);
  });

async function round(repacks) {
  try {
    if (repacks) await repack();
    return await runTests();
  } catch (error) {
    console.error(error.message);
    return 1;
  }
}

const code = await round(true);
if (values.once) process.exit(code);

/** What no round has taken up: changes of the package, or of tests alone. */
let changed;
let running = false;
async function next() {
  if (running || changed === undefined) return;
  running = true;
  const repacks = changed === 'package';
  changed = undefined;
  await round(repacks);
  running = false;
  next();
}
for (const folder of ['src/js', 'pkg-template', 'tests/package', 'tests/vectors']) {
  watch(inRoot(folder), { recursive: true }, () => {
    if (changed !== 'package') changed = folder.startsWith('tests/') ? 'tests' : 'package';
    // An editor writes a file in several steps.
    setTimeout(next, 100);
  });
}
console.log('waiting for changes; Ctrl-C ends');
