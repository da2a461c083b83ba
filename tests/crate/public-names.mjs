// The public names of the published crate are those of public-names.txt: a change is a decision, and some need a
// new version. With REJITTER_WRITE_NAMES=1 the file is written.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';

const [tool, toolchain, manifest, features] = process.argv.slice(2);
const file = new URL('public-names.txt', import.meta.url);
const args = ['--manifest-path', manifest, '-sss', '--color', 'never', '--features', features];
const env = { ...process.env, RUSTUP_TOOLCHAIN: toolchain, CARGO: undefined, RUSTC: undefined };
const found = execFileSync(tool, args, { encoding: 'utf8', maxBuffer: 1 << 26, env });
if (process.env.REJITTER_WRITE_NAMES) await writeFile(file, found);
assert.equal(found, await readFile(file, 'utf8'));
