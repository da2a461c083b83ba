// A folder that has the packed package installed as a user has it: by npm, from the tarball, found
// through node_modules. Nothing here reaches into the repository's sources, so what these tests see is
// what is published.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** The folder tests/package. */
export const here = dirname(dirname(fileURLToPath(import.meta.url)));
export const repo = resolve(here, '..', '..');

/** Test files that need nothing but the package's functions: they also run on bundles of it. */
export const BEHAVIOUR = [
  'engine/operations',
  'engine/values',
  'options/options',
  'options/policy',
  'engine/vectors',
].map((name) => join(here, `${name}.test.mjs`));
const target = resolve(process.env.REJITTER_TARGET_DIR || join(repo, 'target'));

/** The tarball under test: the one that the last `cargo xtask pkg` packed, unless a variable names another. */
export const tarball = (() => {
  const path = resolve(process.env.REJITTER_TARBALL || join(target, 'pkg-tarball/rejitter.tgz'));
  if (!existsSync(path)) throw new Error(`${path} is not there: build and pack the package with \`cargo xtask pkg\``);
  return path;
})();

export const tarballBytes = readFileSync(tarball);
/** That of rejitter-lab, which `cargo xtask lab` packs. The tests of the package itself do without. */
export const labTarball = resolve(process.env.REJITTER_LAB_TARBALL || join(target, 'lab-tarball/rejitter-lab.tgz'));
const packed = [tarball, labTarball].filter((path) => existsSync(path));

/** `javascript`: the form of all hosts but Node, Deno and Bun. */
const form = process.env.REJITTER_FORM ?? '';
const hashed = createHash('sha256').update(form);
for (const path of packed) hashed.update(readFileSync(path));
const hash = hashed.digest('hex').slice(0, 16);

/** Deletes the condition of Node from an installed manifest: Node takes what hosts get that are not named. */
export function withoutNode(file) {
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  for (const conditions of Object.values(manifest.exports)) delete conditions.node;
  writeFileSync(file, JSON.stringify(manifest));
}

/**
 * The consumer folder, made once per tarball. It is filled under a temporary name and then renamed, so
 * that test files that run at the same time never see half an installation.
 */
export const consumer = (() => {
  const root = join(target, 'package-tests');
  const dir = join(root, hash);
  if (existsSync(dir)) return dir;
  mkdirSync(root, { recursive: true });
  const draft = mkdtempSync(join(root, 'draft-'));
  try {
    writeFileSync(join(draft, 'package.json'), '{ "name": "consumer", "private": true, "version": "0.0.0" }\n');
    const install = 'install --ignore-scripts --no-audit --no-fund --no-save --no-package-lock --offline'.split(' ');
    // `npm test` hands on what the repository has: links, of which a copy is none.
    install.push('--install-strategy=hoisted');
    execFileSync('npm', [...install, ...packed], { cwd: draft, stdio: ['ignore', 'ignore', 'pipe'] });
    if (form === 'javascript') withoutNode(join(draft, 'node_modules/rejitter/package.json'));
    // The resolution is the consumer's own: this is how a user's module reaches the package.
    writeFileSync(join(draft, 'all.mjs'), "export * from 'rejitter';\n");
    renameSync(draft, dir);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process has been faster.
    if (!existsSync(dir)) throw error;
  }
  return dir;
})();

/** The folders of the installed packages. */
export const installed = join(consumer, 'node_modules', 'rejitter');
export const installedLab = join(consumer, 'node_modules', 'rejitter-lab');

/**
 * The package before it is bundled, with a file for each module: for what changes one of them. The one
 * folder here that is not published; it is written with the package (xtask/npm/assemble.mjs).
 */
export const modules = join(target, 'pkg.modules');

/**
 * Returns `import * as x from 'rejitter'` of the consumer folder; or, for a run of the same tests on a
 * bundle of it, the module that REJITTER_BUNDLE names.
 */
export const importPackage = () => import(pathToFileURL(process.env.REJITTER_BUNDLE || join(consumer, 'all.mjs')).href);

/** Returns `import * as x from …` of the consumer folder. */
export const importFrom = (specifier) =>
  import(pathToFileURL(join(project('entry', { 'entry.mjs': `export * from '${specifier}';\n` }), 'entry.mjs')).href);

/** Returns `import * as x from 'rejitter/…'` of the consumer folder. */
export const importEntry = (name) => importFrom(`rejitter/${name}`);

/** Returns `require('rejitter')` of the consumer folder. */
export const requirePackage = () => createRequire(join(consumer, 'package.json'))('rejitter');

let folders = 0;

/** @type {string[]} */
const temporary = [];
process.once('exit', () => {
  for (const dir of temporary) rmSync(dir, { recursive: true, force: true });
});

/** A folder of its own inside the consumer's, so that modules in it find the package. */
export function workFolder(name) {
  folders += 1;
  const dir = join(consumer, 'work', `${name}-${process.pid}-${folders}`);
  mkdirSync(dir, { recursive: true });
  temporary.push(dir);
  return dir;
}

/** Writes `files` ({ name: text }) into a fresh folder and returns the folder. */
export function project(name, files) {
  const dir = workFolder(name);
  for (const [path, text] of Object.entries(files)) {
    const full = join(dir, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
  return dir;
}

/**
 * Runs a command to its end. Resolves with what it printed and its exit code; only a command that
 * cannot be started rejects.
 */
export const run = (command, args, { cwd = consumer, env = {}, input } = {}) =>
  new Promise((done, failed) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: Infinity };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      // A text is the code of what kept it from starting.
      if (typeof error?.code === 'string') failed(error);
      else done({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr });
    });
    // A command may end before it has read its input; its exit code says why.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });

/** Runs a file in a thread, which takes half of the CPU of a process. Resolves as `run`. */
export async function runThread(file, execArgv = []) {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const thread = new Worker(file, { execArgv, env, stdout: true, stderr: true });
  let thrown = '';
  thread.once('error', (error) => (thrown = String(error?.stack ?? error)));
  const ended = new Promise((done) => thread.once('exit', done));
  const [stdout, stderr, code] = await Promise.all([text(thread.stdout), text(thread.stderr), ended]);
  return { code, stdout, stderr: stderr + thrown };
}

/**
 * Runs a module in a realm of its own inside the consumer folder, or in a folder there; with flags for Node or
 * variables, in a process. The module prints, the caller checks.
 */
export function runNode(source, { flags = [], ext = 'mjs', env, dir = workFolder('node') } = {}) {
  const file = join(dir, `main.${ext}`);
  writeFileSync(file, source);
  if (flags.length === 0 && env === undefined) return runThread(file);
  // The test runner's own variables would make a child report to it instead of just running.
  const variables = { NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: '', ...env };
  return run(process.execPath, [...flags, file], { cwd: dir, env: variables });
}

/** The output of a module that runs as by runNode, and must end well without a word on stderr. */
export async function printed(source, options) {
  const { code, stdout, stderr } = await runNode(source, options);
  if (code !== 0 || stderr !== '') throw new Error(`exit code ${code}: ${stdout}${stderr}`);
  return stdout;
}

/** Runs test files on another form of the package, the module `bundle`. Returns the exit code and the output. */
export const runTests = (files, bundle) =>
  run(process.execPath, ['--test-reporter=tap', join(repo, 'xtask/steps/together.mjs'), ...files], {
    cwd: here,
    env: { NODE_TEST_CONTEXT: undefined, REJITTER_BUNDLE: bundle },
  });

/** Fails unless the tests of behaviour pass on another form of the package. */
export async function behaves(bundle) {
  const { code, stdout, stderr } = await runTests(BEHAVIOUR, bundle);
  const failures = stdout.split('\n').filter((line) => /not ok|error:/.test(line));
  assert.equal(code, 0, failures.join('\n') + stderr);
  assert.ok(Number(/^# pass (\d+)/m.exec(stdout)[1]) > 150, 'the tests ran');
}

/**
 * A table of tests/vectors, which every language runs.
 * @param {string} name
 * @param {(key: string, value: any) => any} [reviver]
 */
export const vectors = (name, reviver) =>
  JSON.parse(readFileSync(join(repo, 'tests', 'vectors', `${name}.json`), 'utf8'), reviver);

/** Revives the texts that stand for a number which JSON lacks. @param {string} _ @param {any} value */
export const infinite = (_, value) => (value === 'Infinity' ? Infinity : value);
