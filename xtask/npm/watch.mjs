// Tests changes of JavaScript without Rust: assembles the package again with the wasm files that the last
// `cargo xtask pkg` built, or where nothing was built with those that are committed, packs it, and runs test files. The
// same of rejitter-lab, if it was built. After each change, once more.
//
//   node xtask/npm/watch.mjs [--once] tests/package/engine/vectors.test.mjs...

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { execPath } from 'node:process';
import { parseArgs } from 'node:util';

import { inRoot, labPkg, labTarball, pkg, tarball } from '../run/places.mjs';
import { PARTS, lab, version } from '../steps/package.mjs';
import { assemble } from './assemble.mjs';
import { assembleLab } from './lab.mjs';
import { pack } from './pack.mjs';

const { values, positionals: tests } = parseArgs({
  options: { once: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const generated = (name) => inRoot('src/generated', name);
const committed = { wasm: generated('core.wasm'), light: generated('light.js'), machines: generated('machines.js') };
const parts = Object.values(PARTS).every((path) => existsSync(path)) ? PARTS : committed;

if (values.once) {
  const started = performance.now();
  await assemble({ ...parts, version: version(), out: pkg });
  pack(pkg, dirname(tarball));
  if (existsSync(lab.file)) {
    await assembleLab({ bound: lab.folder, version: version(), out: labPkg });
    pack(labPkg, dirname(labTarball));
  }
  console.log(`packed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  if (tests.length > 0) process.exitCode = node('--test', ...tests);
} else {
  const paths = ['src/js', 'pkg-template', 'tests/package', 'tests/clients', 'tests/vectors', 'lab'];
  node(...paths.map((path) => `--watch-path=${inRoot(path)}`), import.meta.filename, '--once', ...tests);
}

/** Runs Node, and returns its exit code. */
function node(...line) {
  return spawnSync(execPath, line, { stdio: 'inherit' }).status ?? 1;
}
