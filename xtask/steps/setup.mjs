// @ts-check
// Set-up of the build: each piece is fetched only when it is missing.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { env } from 'node:process';

import { Failure, answer, cargo, command, findOnPath, sh } from '../run/command.mjs';
import { inRoot, wasmTool } from '../run/places.mjs';
import { TOOL_BUILDS } from '../run/schedule.mjs';

export const WASM_TARGET = 'wasm32-unknown-unknown';

/** `require` of a module, the `module-sync` condition. */
const NODE_MINIMUM = [20, 19];

export const NODE = 'Node and npm';
export const TARGET = "Rust's wasm target";
export const WASM_BINDGEN = 'wasm-bindgen';
export const NPM_OF_BUILD = 'npm packages of xtask/npm';
export const NPM_OF_TESTS = 'npm packages of tests/package';
export const NPM_OF_PAGE = 'npm packages of www';
export const NPM_OF_BENCH = 'npm packages of xtask/bench';
export const NPM_OF_SITE = 'npm packages of xtask/site';

/** @typedef {import('../run/run.mjs').Log} Log */

/** @type {import('../run/run.mjs').Step[]} */
export const steps = [
  { name: NODE, setUp: node },
  { name: TARGET, setUp: wasmTarget },
  { name: WASM_BINDGEN, room: TOOL_BUILDS, setUp: wasmBindgen },
  ...[NPM_OF_BUILD, NPM_OF_TESTS, NPM_OF_PAGE, NPM_OF_BENCH, NPM_OF_SITE].map((name) => ({
    name,
    needs: [NODE],
    setUp: (/** @type {Log} */ log) => npmPackages(log, inRoot(name.split(' ').at(-1) ?? '')),
  })),
];

/** The first version in what a tool prints. @param {string} text */
export const versionIn = (text) => /(?<![\d.])\d+\.\d+\.\d+(?![\d.])/.exec(text)?.[0];

/** @param {string} version */
export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > NODE_MINIMUM[0] || (major === NODE_MINIMUM[0] && minor >= NODE_MINIMUM[1]);
}

/** @param {Log} log */
function node(log) {
  const { version } = process;
  const wanted = `Node ${NODE_MINIMUM.join('.')} or newer`;
  if (!isNewEnough(version.slice(1))) throw new Failure(`this is Node ${version}`, { remedy: `install ${wanted}` });
  if (!findOnPath(['npm'])) {
    throw new Failure('npm is not on PATH', {
      remedy: 'install npm; it comes with Node, on Debian as the package npm',
    });
  }
  log.note = version;
}

/** A distribution's Rust has no rustup. @param {Log} log */
async function wasmTarget(log) {
  const folder = answer(sh`${env.RUSTC ?? 'rustc'} --print target-libdir --target ${WASM_TARGET}`);
  try {
    if (folder && readdirSync(folder).some((name) => name.startsWith('libstd-'))) {
      log.note = 'there';
      return;
    }
  } catch {
    // The folder is not there.
  }
  const remedy =
    `run \`rustup target add ${WASM_TARGET}\`; where rustup cannot be reached, take the target's standard library ` +
    'from the system (on Debian the packages rustc-web, cargo-web, rust-web-src and rust-web-llvm)';
  await log.run(command(`rustup target add ${WASM_TARGET}`, { remedy }));
  log.note = 'added';
}

/** wasm-bindgen and its test runner, at the version of the lock file. @param {Log} log */
async function wasmBindgen(log) {
  // Cargo itself sees whether anything is to be done.
  const remedy = "see the compiler's message in the log; the first build needs crates.io";
  await log.run(cargo('build --locked --profile tools -p wasm-tools', { remedy }));
  log.note = answer([wasmTool('wasm-bindgen'), '--version']) ?? '';
}

/** @param {Log} log @param {string} dir */
async function npmPackages(log, dir) {
  // Next to the installed packages: what they were installed for.
  const stamp = `${dir}/node_modules/.installed-for`;
  const wanted = `node ${process.version}\n${readFileSync(`${dir}/package-lock.json`, 'utf8')}`;
  if (textOf(stamp) === wanted) {
    log.note = 'there';
    return;
  }
  const remedy =
    'the registry that npm is set up for must be reachable; if package.json was changed, run ' +
    '`npm install --ignore-scripts` there to renew the lock file';
  await log.run(command('npm ci --ignore-scripts --no-audit --no-fund', { dir, remedy }));
  writeFileSync(stamp, wanted);
  log.note = 'installed';
}

/** The text of a file, or `undefined` where there is none. @param {string} path */
export function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
