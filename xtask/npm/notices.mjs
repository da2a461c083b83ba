// Writes the licences of the code by others in the npm package: the crates that are compiled into its wasm files, and
// wasm-bindgen's glue.
//
//   node notices.mjs THIRD-PARTY-NOTICES

import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { argv, env } from 'node:process';

import { inRoot } from '../run/places.mjs';
import { LAB } from './artefacts.mjs';

const LINE = `${'-'.repeat(80)}\n`;

const INTRO = `The wasm files of this package, and the modules that carry them as text, contain code of the
crates below. lib/wasm/lab-glue.js and .cjs were written by wasm-bindgen, one of them.
Where a crate has a choice of licences, it is used under the MIT licence.

They also contain parts of the Rust Standard Library and of the crates that it is made of,
such as dlmalloc (Alex Crichton) and hashbrown (Amanieu d'Antras). Licence: MIT or Apache-2.0.
Copyright: The Rust Project Developers (see https://thanks.rust-lang.org).
`;

/**
 * What cargo prints about the crate of the lab, for the target and the feature of its wasm file. In the other wasm
 * files nothing is by others.
 */
function cargo(line) {
  const args = `${line} wasm32-unknown-unknown --locked --no-default-features --features ${LAB.feature}`.split(' ');
  return execFileSync(env.CARGO ?? 'cargo', args, { cwd: inRoot('lab'), encoding: 'utf8', maxBuffer: 2 ** 28 });
}

/** Returns the crates that the package is linked with. Macros run at compile time: none of their code is in it. */
export function linkedCrates() {
  const tree = cargo('tree --edges normal,no-proc-macro --prefix none --target');
  const linked = new Set(tree.split('\n').map((line) => line.split(' ').slice(0, 2).join(' ')));
  const { packages } = JSON.parse(cargo('metadata --format-version 1 --filter-platform'));
  return packages
    .filter(({ name, version }) => !name.startsWith('rejitter') && linked.has(`${name} v${version}`))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the licence texts in a crate's folder that its users have to pass on. */
function licencesIn(folder) {
  const files = readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
    .sort();
  const mit = files.some((name) => /^licen[cs]e-mit/i.test(name));
  const needed = files.filter((name) => !mit || !/apache/i.test(name));
  if (needed.length === 0) throw new Error(`${folder} has no licence file`);
  return needed
    .map((name) =>
      readFileSync(join(folder, name), 'utf8')
        .replaceAll('\r\n', '\n')
        .replaceAll(/[ \t]+$/gm, '')
        .trim(),
    )
    .join('\n\n');
}

/** The whole file. Crates with the same text share it. */
export function noticesOf(crates) {
  const byText = new Map();
  for (const crate of crates) {
    // Any other kind is for a person to read first.
    if (!/\bMIT\b/.test(crate.license)) throw new Error(`${crate.name}: does ${crate.license} ask for its text alone?`);
    const text = licencesIn(dirname(crate.manifest_path));
    byText.set(text, [...(byText.get(text) ?? []), crate]);
  }
  const parts = [...byText].map(
    ([text, group]) =>
      `${group.map(({ name, version, license }) => `${name} ${version} (${license})`).join('\n')}\n\n${text}\n`,
  );
  return [INTRO, ...parts].join(`\n${LINE}\n`);
}

if (argv[1] === import.meta.filename) writeFileSync(argv[2], noticesOf(linkedCrates()));
