// Takes the places where it was compiled out of a wasm file: the messages of panics name source files, by
// the paths of the machine.
//
//   node untraceable.mjs in.wasm out.wasm

import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { argv, env } from 'node:process';
import { pathToFileURL } from 'node:url';

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Returns the file with dots instead of the folders. Lengths stay as they are, because the file counts its
 * bytes; the texts of a wasm file follow each other without a separator, so the start of a path must be known.
 */
export function untraceable(bytes, cargoHome = env.CARGO_HOME || join(homedir(), '.cargo')) {
  const home = Buffer.from(escaped(cargoHome)).toString('latin1');
  const folders = new RegExp(`/rustc/[0-9a-f]{40}/library/|${home}/registry/src/[^/]+/|${home}/git/checkouts/`, 'g');
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replace(folders, (path) => '.'.repeat(path.length));
  const left = /\/rustc\/|\/\.cargo\//.exec(text);
  if (left) throw new Error(`a path is left: ${text.slice(left.index, left.index + 100)}`);
  return Buffer.from(text, 'latin1');
}

if (import.meta.url === pathToFileURL(argv[1]).href) {
  const [from, to] = argv.slice(2);
  const bytes = untraceable(readFileSync(from));
  // Still a module.
  new WebAssembly.Module(bytes);
  writeFileSync(to, bytes);
}
