// What is taken out of wasm files.

import { homedir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';

/**
 * Returns the graph with which wasm-metadce keeps of a thin build what the driver calls: the numeric functions. The
 * memory, the table and the exports of wasm-bindgen go; what makes JavaScript of the rest fails if anything needs the
 * host.
 */
export function rootsOf(wasm) {
  const roots = WebAssembly.Module.exports(new WebAssembly.Module(wasm))
    .filter(({ kind, name }) => kind === 'function' && !name.startsWith('__'))
    .map(({ name }) => name);
  const nodes = [{ name: 'driver', root: true, reaches: roots }, ...roots.map((name) => ({ name, export: name }))];
  return JSON.stringify(nodes);
}

/**
 * Returns a wasm file, as latin1, without the places where it was compiled: the messages of panics name source files by
 * the paths of the machine. Dots replace the folders, because the file counts its bytes. No flag of the compiler
 * reaches the paths in the compiled standard library. A test of the tarball finds what is left.
 */
export function untraceable(text) {
  const escaped = (env.CARGO_HOME || join(homedir(), '.cargo')).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const home = Buffer.from(escaped).toString('latin1');
  const folders = new RegExp(`/rustc/[0-9a-f]{40}/library/|${home}/registry/src/[^/]+/|${home}/git/checkouts/`, 'g');
  return text.replace(folders, (path) => '.'.repeat(path.length));
}
