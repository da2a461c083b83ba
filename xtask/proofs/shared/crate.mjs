// A copy of the crate whose locks and atomics are Shuttle's, so that a scheduler decides whose turn it is. The crate
// itself knows nothing of it.

import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { inRoot } from '../../run/places.mjs';

export const FOLDER = inRoot('target/proofs/shared');

const SHUTTLE = 'shuttle = "=0.8.1"';
/** Where one thread waits for another, or sees what another does. */
const ATOMICS = /^use std::sync::atomic::/gm;
const LOCKS = /^use std::sync::\{([^}]*\bMutex\b[^}]*)\};/gm;

/** Writes the copy, with the tests that explore it. */
export function writeCrate() {
  const crate = inRoot('crates/rejitter');
  for (const part of ['src', 'tests']) rmSync(join(FOLDER, part), { recursive: true, force: true });
  for (const part of ['src', 'Cargo.toml', 'README.md'])
    cpSync(join(crate, part), join(FOLDER, part), { recursive: true });
  cpSync(inRoot('xtask/proofs/shared/protection.rs'), join(FOLDER, 'tests/protection.rs'));
  let replaced = 0;
  const files = readdirSync(join(FOLDER, 'src'), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.rs'))) {
    const path = join(FOLDER, 'src', file);
    const text = readFileSync(path, 'utf8');
    const shuttled = text.replace(ATOMICS, 'use shuttle::sync::atomic::').replace(LOCKS, (_, names) => {
      const [locks, others] = [/^Mutex/, /^(?!Mutex)/].map((of) => names.split(', ').filter((name) => of.test(name)));
      return `use shuttle::sync::{${locks.join(', ')}};\nuse std::sync::{${others.join(', ')}};`;
    });
    const left = /\bstd::sync::(?:\{[^}]*)?\b(?:Mutex|RwLock|Condvar|atomic)\b/.exec(
      shuttled.replace(/^\s*\/\/.*$/gm, ''),
    );
    if (left) throw new Error(`${file} has ${left[0]} in a form that the copy does not replace`);
    if (shuttled === text) continue;
    replaced += 1;
    writeFileSync(path, shuttled);
  }
  if (replaced < 4) throw new Error(`only ${replaced} files with locks or atomics were found`);
  const sections = readFileSync(join(FOLDER, 'Cargo.toml'), 'utf8').split(/^(?=\[)/m);
  const manifest = sections.filter((section) => !/^\[.*dev-dependencies\]/.test(section)).join('');
  const shuttled = manifest.replace('[dependencies]', `[dependencies]\n${SHUTTLE}`);
  writeFileSync(join(FOLDER, 'Cargo.toml'), `${shuttled}\n[workspace]\n`);
}
