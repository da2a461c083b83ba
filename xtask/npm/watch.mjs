// Tests changes of JavaScript without Rust: assembles the package again with the wasm files that the last
// `cargo xtask pkg` built, packs it, and runs test files. After each change, once more.
//
//   node xtask/npm/watch.mjs [--once] tests/package/engine/abort.test.mjs...

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { assembleHere } from './assemble.mjs';
import { pack } from './pack.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const target = env.REJITTER_TARGET_DIR || join(root, 'target');
const { values, positionals: tests } = parseArgs({
  options: { once: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const parts = {
  wasm: join(target, 'thin/shrink/core.wasm'),
  machines: join(target, 'thin-machines/shrink/machines.js'),
  lab: join(target, 'lab/bound'),
};
const missing = Object.values(parts).find((path) => !existsSync(path));
if (missing) throw new Error(`${missing} is not there: build the package once with \`cargo xtask pkg\``);
const [, version] = /^version = "(.*)"$/m.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'));

async function repack() {
  const started = performance.now();
  await assembleHere({ ...parts, version, out: join(target, 'pkg') });
  pack(join(target, 'pkg'), join(target, 'pkg-tarball'));
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
  watch(join(root, folder), { recursive: true }, () => {
    changed[kind] = true;
    // An editor writes a file in several steps.
    setTimeout(next, 100);
  });
}
console.log('waiting for changes; Ctrl-C ends');
