// `cargo xtask crate`: what the registry of crates gets, assembled from the sources of this repository.
//
// The root is what wasm-pack takes: a library with a cdylib, all features, exports for JavaScript. A Rust program wants
// none of these, so they are cut out: between a line that starts with `#-` (in Rust `//-`) and the next that starts
// with `#+`. Text behind a `#+` replaces what was cut.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { Failure } from '../run/command.mjs';
import { fromRoot, inRoot, inTarget, root } from '../run/places.mjs';
import { version } from './package.mjs';
import { textOf } from './setup.mjs';

/** The crate and the programs that are built against it are assembled. */
export const CRATE = 'assemble the crate';
export const folder = inTarget('crate');
export const programs = inTarget('crate-programs');

/** Folders and files of the repository that are published, those cut included. */
const PUBLISHED = ['Cargo.toml', 'Cargo.lock', 'LICENSE-APACHE', 'LICENSE-MIT', 'src', 'tests'];

/** Not these parts of them: JavaScript, and tests of this repository as a whole. */
const LEFT_OUT = [
  'src/bindings',
  'src/js',
  'tests/crate',
  'tests/lab_explain.rs',
  'tests/layers',
  'tests/package',
  'tests/simulation/bindings.rs',
  'tests/ui',
  'tests/wasm',
  'tests/wasm_browser.rs',
  'tests/wasm_node.rs',
];

/** @type {import('../run/run.mjs').Step[]} */
export const steps = [
  {
    name: CRATE,
    setUp: (log) => {
      log.note = `${fromRoot(folder)}, ${assemble()} files`;
    },
  },
];

/** Writes the crate, its next version and the programs; returns how many files the crate has. */
function assemble() {
  const files = new Map([['README.md', readFileSync(inRoot('crate-template/README.md'), 'utf8')]]);
  for (const path of PUBLISHED.flatMap((each) => filesOf(root, each))) {
    files.set(path, published(readFileSync(inRoot(path), 'utf8'), path));
  }
  writeAll(folder, files);
  const next = (files.get('Cargo.toml') ?? '').replace(`version = "${version()}"`, 'version = "99.0.0"');
  writeAll(inTarget('crate-next'), new Map([...files, ['Cargo.toml', next]]));
  const sources = inRoot('tests/crate/programs');
  writeAll(programs, new Map(filesOf(sources).map((path) => [path, readFileSync(join(sources, path), 'utf8')])));
  return files.size;
}

/** A text without what is not published. @param {string} text @param {string} [path] */
export function published(text, path = '') {
  const [first, ...cuts] = text.split(/^[ \t]*(?:\/\/|#)-.*\n/m);
  const parts = [first];
  for (const cut of cuts) {
    const end = /^[ \t]*(?:\/\/|#)\+[ \t]*(.*)\n/m.exec(cut);
    if (end === null) throw new Failure(`${path}: a cut does not end`);
    parts.push(end[1] && `${end[1]}\n`, cut.slice(end.index + end[0].length));
  }
  const kept = parts.join('');
  if (/^[ \t]*(?:\/\/|#)\+/m.test(parts.filter((_, i) => i % 2 === 0).join(''))) {
    throw new Failure(`${path}: a cut ends that did not start`);
  }
  return kept;
}

/**
 * Makes the folder hold these files and no others. Files that are as they should be are left alone, so that cargo
 * builds nothing again.
 * @param {string} folder
 * @param {Map<string, string>} files
 */
function writeAll(folder, files) {
  for (const path of existsSync(folder) ? filesOf(folder) : []) {
    if (files.has(path)) continue;
    rmSync(join(folder, path));
    // Folders, too, as far as nothing is left in them: cargo would take one for a package.
    for (
      let above = dirname(path);
      above !== '.' && readdirSync(join(folder, above)).length === 0;
      above = dirname(above)
    ) {
      rmdirSync(join(folder, above));
    }
  }
  for (const [path, text] of files) {
    if (textOf(join(folder, path)) === text) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The files at and under a path, seen from a folder, in the order of their names. @returns {string[]} */
function filesOf(/** @type {string} */ folder, path = '') {
  const full = join(folder, path);
  if (folder === root && LEFT_OUT.includes(path)) return [];
  if (!statSync(full).isDirectory()) return [relative(folder, full)];
  return readdirSync(full)
    .sort()
    .flatMap((name) => filesOf(folder, join(path, name)));
}
