// Tests changes of JavaScript without Rust: assembles the package again with the wasm files that the last
// `cargo xtask pkg` built, packs it, and runs test files. After each change, once more.
//
//   node xtask/npm/watch.mjs [--once] tests/package/engine/abort.test.mjs...

import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { execPath } from 'node:process';
import { parseArgs } from 'node:util';

import { inRoot, pkg, tarball } from '../run/places.mjs';
import { core, lab, machines, version } from '../steps/package.mjs';
import { assembleHere } from './assemble.mjs';
import { pack } from './pack.mjs';

const { values, positionals: tests } = parseArgs({
  options: { once: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const parts = { wasm: core.file, machines: machines().script, lab: lab.folder };
const missing = Object.values(parts).find((path) => !existsSync(path));
if (missing) throw new Error(`${missing} is not there: build the package once with \`cargo xtask pkg\``);

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

async function round(packed) {
  try {
    if (!packed) await repack();
    return await runTests();
  } catch (error) {
    console.error(error.message);
    return 1;
  }
}

const code = await round(false);
if (values.once) process.exit(code);

/** Changes that no round has taken up: of the package, of tests. */
const changed = { package: false, tests: false };
let running = false;
async function next() {
  if (running || !(changed.package || changed.tests)) return;
  running = true;
  const packed = !changed.package;
  Object.assign(changed, { package: false, tests: false });
  await round(packed);
  running = false;
  next();
}
for (const [folder, kind] of [
  ['src/js', 'package'],
  ['pkg-template', 'package'],
  ['tests/package', 'tests'],
  ['tests/vectors', 'tests'],
]) {
  watch(inRoot(folder), { recursive: true }, () => {
    changed[kind] = true;
    // An editor writes a file in several steps.
    setTimeout(next, 100);
  });
}
console.log('waiting for changes; Ctrl-C ends');
