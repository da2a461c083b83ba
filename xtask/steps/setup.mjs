// Set-up of the build: each piece is fetched only when it is missing.

import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { env } from 'node:process';

import { Failure, answer, cargo, command, findOnPath, sh } from '../run/command.mjs';
import { fromRoot, inRoot, root, wasmTool } from '../run/places.mjs';
import { DEBUG, INSTALLATIONS, TOOL_BUILDS } from '../run/run.mjs';

export const WASM_TARGET = 'wasm32-unknown-unknown';

/** `require` of a module, the `module-sync` condition. */
const NODE_MINIMUM = [20, 19];
/** That of Node 20 (10.8) cannot install the linked packages of some workspaces. */
const NPM_MINIMUM = [11, 19];

export const NODE = 'Node and npm';
export const TARGET = "Rust's wasm target";
export const WASM_BINDGEN = 'wasm-bindgen';
// Built by steps of their own: of those, one runs at a time, and tests need not.
export const NATIVE_TESTS = 'native tests: build';
export const WASM_TESTS = 'wasm tests: build';
/** The packages and features of native tests: with another choice, cargo would build all once more. */
export const NATIVE = '--package rejitter --package rejitter-lab --package rejitter-wasm --all-features';

/** Steps that install the npm packages of a folder, which their names end with. */
const npmOf = (folder) => `npm packages of ${folder}`;
export const NPM_OF_BUILD = npmOf('xtask/npm');
export const NPM_OF_CLIENTS = npmOf('tests/clients');
export const NPM_OF_PAGE = npmOf('www');
export const NPM_OF_BENCH = npmOf('xtask/bench');
export const NPM_OF_RELEASE = npmOf('xtask/release');
export const NPM_OF_SITE = npmOf('xtask/site');
/** Few packages, with a lock file of their own: all else waits for what is made with them. */
const APART = [NPM_OF_BUILD, NPM_OF_PAGE];
/** Workspaces of the root. */
const TOGETHER = [NPM_OF_CLIENTS, NPM_OF_BENCH, NPM_OF_RELEASE, NPM_OF_SITE];

const folderOf = (name) => inRoot(name.slice(npmOf('').length));

/** @type {import('../run/run.mjs').Step[]} */
export const steps = [
  { name: NODE, setUp: node },
  { name: TARGET, setUp: wasmTarget },
  { name: WASM_BINDGEN, group: TOOL_BUILDS, setUp: wasmBindgen },
  ...[...APART, ...TOGETHER].map((name) => ({
    name,
    needs: [NODE],
    // The first of those together installs all of them. The others would take the place of a compiler.
    group: INSTALLATIONS,
    urgent: true,
    setUp(log, { names }) {
      if (APART.includes(name)) return npmPackages(log, folderOf(name), []);
      const wanted = names.filter((each) => TOGETHER.includes(each));
      return npmPackages(log, root, wanted);
    },
  })),
];

/** Builds of tests, after the package: the tests with browsers, which take longest, wait for that. */
export const builds = [
  {
    name: WASM_TESTS,
    needs: [TARGET],
    group: DEBUG,
    setUp: (log) => log.run(cargo(`build --target ${WASM_TARGET} --test wasm`)),
  },
  { name: NATIVE_TESTS, group: DEBUG, setUp: (log) => log.run(cargo(`test --no-run ${NATIVE}`)) },
];

/** The first version in what a tool prints. */
export const versionIn = (text) => /(?<![\d.])\d+\.\d+\.\d+(?![\d.])/.exec(text)?.[0];

export function isNewEnough(version, minimum = NODE_MINIMUM) {
  const [major, minor] = version.split('.').map(Number);
  return major > minimum[0] || (major === minimum[0] && minor >= minimum[1]);
}

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

/** A distribution's Rust has no rustup. */
async function wasmTarget(log) {
  const folder = answer(sh`${env.RUSTC ?? 'rustc'} --print target-libdir --target ${WASM_TARGET}`) ?? '';
  if (existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('libstd-'))) {
    log.note = 'there';
    return;
  }
  const remedy =
    `run \`rustup target add ${WASM_TARGET}\`; where rustup cannot be reached, take the target's standard library ` +
    'from the system (on Debian the packages rustc-web, cargo-web, rust-web-src and rust-web-llvm)';
  await log.run(command(`rustup target add ${WASM_TARGET}`, { remedy }));
  log.note = 'added';
}

/** wasm-bindgen and its test runner, at the version of the lock file. */
async function wasmBindgen(log) {
  // Cargo itself sees whether anything is to be done.
  const remedy = "see the compiler's message in the log; the first build needs crates.io";
  await log.run(cargo('build --locked --profile tools -p wasm-tools', { remedy }));
  log.note = answer([wasmTool('wasm-bindgen'), '--version']) ?? '';
}

/** An npm that is new enough. */
export const newNpm = () =>
  isNewEnough(answer(['npm', '--version']) ?? '', NPM_MINIMUM) ? ['npm'] : sh`npx --yes npm@11.19.1`;

/**
 * Installs the packages of a lock file. npm empties all folders before it installs: of workspaces, the first step
 * installs the packages of all that this run wants, and of those that have theirs.
 * @param {any} log @param {string} dir @param {string[]} wanted names of steps
 */
async function npmPackages(log, dir, wanted) {
  const stamp = `${dir}/node_modules/.installed-for`;
  const lock = `node ${process.version}\n${readFileSync(`${dir}/package-lock.json`, 'utf8')}`;
  const [known, ...before] = (textOf(stamp) ?? '').split('\0');
  const there = known === lock ? before : [];
  if (known === lock && wanted.every((step) => there.includes(step))) {
    log.note = 'there';
    return;
  }
  const all = [...new Set([...there, ...wanted])];
  const folders = all.map((name) => `--workspace=${fromRoot(folderOf(name))}`);
  const remedy =
    'the registry that npm is set up for must be reachable; if a package.json was changed, run ' +
    `\`npm install --package-lock-only\` in ${dir} to renew the lock file`;
  await log.run(command(sh`${newNpm()} ci --ignore-scripts --no-audit --no-fund ${folders}`, { dir, remedy }));
  writeFileSync(stamp, [lock, ...all].join('\0'));
  log.note = 'installed';
}

/** The text of a file, or `undefined` where there is none. */
export const textOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
