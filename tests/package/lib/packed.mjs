// What npm installs of a tarball.

import assert from 'node:assert/strict';
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';

import { parse } from '../../../xtask/npm/esbuild.mjs';
import { repo } from './consumer.mjs';

/** The files of an installed package, each with its bytes. */
export const packedIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => ({ name: relative(folder, path).split(sep).join('/'), path, body: readFileSync(path) }));

/** Fails unless the files are these and no others, and none is executable. */
export function checkFiles(packed, names) {
  assert.deepEqual(packed.map(({ name }) => name).sort(), [...names].sort());
  for (const { name, path } of packed) assert.equal(lstatSync(path).mode & 0o170111, 0o100000, name);
}

const { CARGO_HOME, RUSTUP_HOME } = process.env;
/** Texts that only the machine of the build knows, and where compilers put their own sources. */
const TRACES = [...new Set([repo, process.cwd(), homedir(), tmpdir(), CARGO_HOME, RUSTUP_HOME])]
  // '/', '/root' or '/tmp' alone may stand in a comment of anyone's.
  .filter((path) => path && path.split(sep).filter(Boolean).length >= 2)
  .concat(['/.cargo/', '/rustc/', '/home/', '/Users/', 'C:\\Users', 'file:///']);
const traced = ({ name, body }) => TRACES.filter((trace) => body.includes(trace)).map((trace) => `${name}: ${trace}`);

/** Fails if a file tells where it was built. */
export function checkTraces(packed) {
  assert.deepEqual(packed.flatMap(traced), []);
  // The control: a path of the build in a binary file is found.
  const body = Buffer.concat([Buffer.from([0, 255, 1]), Buffer.from(join(repo, 'src', 'lib.rs')), Buffer.from([0])]);
  assert.equal(traced({ name: 'planted', body }).length, 1);
}

/** The comments of a file of code, but for those that bundlers read. */
function commentsIn({ name, body }) {
  const found = [];
  const onComment = (_, text) => text.includes('__PURE__') || found.push(`${name}: ${text}`);
  parse(body.toString(), { ecmaVersion: 'latest', sourceType: name.endsWith('.cjs') ? 'script' : 'module', onComment });
  return found;
}

/** Fails if code has comments, which the declarations have, or leads to a source map, or a text has stray line ends. */
export function checkTexts(packed) {
  for (const { name, body } of packed) {
    if (name.endsWith('.wasm')) continue;
    const text = body.toString('utf8');
    assert.ok(!/\r|\uFFFD|sourceMappingURL/.test(text), name);
    if (/\.c?js$/.test(name)) assert.deepEqual(commentsIn({ name, body }), []);
  }
  assert.equal(commentsIn({ name: 'planted.js', body: 'f(); // comment' }).length, 1, 'the control');
}

/** The file that a host takes which knows these conditions: the first that is named. @returns {string | undefined} */
export function chosen(conditions, known) {
  if (typeof conditions === 'string') return conditions;
  for (const [condition, inner] of Object.entries(conditions)) {
    const found = condition === 'default' || known.includes(condition) ? chosen(inner, known) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The conditions that hosts know, where they import and where they require. */
export const HOSTS = Object.fromEntries(
  Object.entries({
    Node: ['node', 'module-sync'],
    'Node without require(esm)': ['node'],
    Bun: ['bun', 'node'],
    Deno: ['deno', 'node'],
    'a bundler for pages': ['module', 'browser'],
    'a bundler for Node': ['module', 'node'],
    'esbuild, neutral': [],
    workerd: ['workerd', 'worker', 'browser'],
    'the edge runtime': ['edge-light', 'worker', 'browser'],
    Metro: ['react-native'],
    'Jest, node': ['node', 'node-addons'],
    'Jest, jsdom': ['browser'],
  }).map(([name, both]) => [name, { import: [...both, 'import'], require: [...both, 'require'] }]),
);
