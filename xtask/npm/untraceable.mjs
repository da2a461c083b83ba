// node untraceable.mjs in.wasm out.wasm
//
// Takes the places where it was compiled out of a wasm file: the messages of panics name source files, by the paths of
// the machine. Dots replace the folders, because the file counts its bytes. No flag of the compiler reaches the paths in
// the compiled standard library. A test of the tarball finds what is left.

import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { argv, env } from 'node:process';

const [from, to] = argv.slice(2);
const escaped = (env.CARGO_HOME || join(homedir(), '.cargo')).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const home = Buffer.from(escaped).toString('latin1');
const folders = new RegExp(`/rustc/[0-9a-f]{40}/library/|${home}/registry/src/[^/]+/|${home}/git/checkouts/`, 'g');
const text = readFileSync(from, 'latin1').replace(folders, (path) => '.'.repeat(path.length));
writeFileSync(to, text, 'latin1');
