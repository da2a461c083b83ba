// Programs that the tests start: browsers with their drivers, wasm-pack, a Redis and a PostgreSQL.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { env, stdin, stdout } from 'node:process';

import { Failure, answer, cargo, command, findOnPath, sh, shown } from '../run/command.mjs';
import { inTarget } from '../run/places.mjs';
import { INSTALLATIONS, TOOL_BUILDS } from '../run/run.mjs';
import { versionIn } from './setup.mjs';

export const FOUND = 'browsers';
export const WEBKIT = 'WebKit';
export const WASM_PACK = 'wasm-pack';
export const GECKODRIVER = 'geckodriver';
export const SERVERS = 'Redis and PostgreSQL';

/** Seconds that all wasm tests in a browser may take: debug builds of statistical tests are slow. */
export const TEST_TIMEOUT_S = 1200;

/** The capabilities that wasm-bindgen's test runner asks the drivers for. */
export const WEBDRIVER_JSON = inTarget('webdriver.json');

/** A program that may come from a variable, from PATH or from a package of Debian, which puts it `beside` PATH. */
const wanted = (what, variable, names, from, beside) => ({ what, variable, names: names.split(' '), from, beside });

const CHROMES = 'chromium chromium-browser google-chrome google-chrome-stable chrome';
export const IN_BROWSERS = [
  wanted('Chromium', 'CHROME', CHROMES, 'chromium'),
  wanted('chromedriver', 'CHROMEDRIVER', 'chromedriver', 'chromium-driver'),
  wanted('Firefox', 'FIREFOX', 'firefox firefox-esr', 'firefox-esr'),
];
const IN_WEBKIT = [
  wanted('WebKitWebDriver', 'WEBKITDRIVER', 'WebKitWebDriver', 'webkit2gtk-driver'),
  wanted('Xvfb', 'XVFB', 'Xvfb', 'xvfb'),
];
const OF_ENGINES = [
  wanted('Redis or Valkey', 'REDIS', 'redis-server valkey-server', 'redis-server'),
  wanted('PostgreSQL', 'POSTGRES', 'postgres', 'postgresql', () => {
    // Debian keeps each version in a folder that is not on PATH.
    const folder = '/usr/lib/postgresql';
    return existsSync(folder) ? readdirSync(folder).map((version) => `${folder}/${version}/bin/postgres`) : [];
  }),
];

/**
 * No browser is skipped: one that cannot be had is an error. WebKit is apart from the others, so that their tests run
 * also where it cannot be had, as on macOS.
 * @type {import('../run/run.mjs').Step[]}
 */
export const steps = [
  {
    name: FOUND,
    group: INSTALLATIONS,
    async setUp(log, { found }) {
      await findOrInstall(log, found, IN_BROWSERS);
      // `Chromium 156.0.1.2 built on Debian` is too much for a line.
      const versions = [found.CHROME, found.FIREFOX].map((path) => answer([path, '--version'])?.split(' built')[0]);
      log.note = versions.join(', ');
      writeFileSync(WEBDRIVER_JSON, JSON.stringify(capabilities(found)));
    },
  },
  { name: WEBKIT, group: INSTALLATIONS, setUp: (log, { found }) => findOrInstall(log, found, IN_WEBKIT) },
  { name: SERVERS, group: INSTALLATIONS, setUp: (log, { found }) => findOrInstall(log, found, OF_ENGINES) },
  {
    name: WASM_PACK,
    group: TOOL_BUILDS,
    // This exact version: its output is tested.
    setUp: (log, { found }) => findOrBuild(log, found, 'wasm-pack', '0.15.1', (path) => versionOf(path) === '0.15.1'),
  },
  {
    name: GECKODRIVER,
    group: TOOL_BUILDS,
    setUp: (log, { found }) => findOrBuild(log, found, 'geckodriver', '0.37.1', () => true),
  },
];

/** Without a sandbox: as root Chromium does not start with one, and only our own pages are loaded. */
const capabilities = (found) => ({
  'goog:chromeOptions': {
    args: sh`--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking
      --no-first-run`,
    binary: found.CHROME,
  },
  'moz:firefoxOptions': { args: ['-headless'], binary: found.FIREFOX },
  // The runner asks the page how far it is, which is busy with tests. By default a driver waits 30 s for an answer.
  timeouts: { script: TEST_TIMEOUT_S * 1000 },
});

function find({ variable, names, beside }) {
  const set = env[variable];
  // A variable that points nowhere is not repaired silently by another browser.
  if (set !== undefined) return existsSync(set) ? set : undefined;
  return findOnPath(names) ?? findOnPath(beside?.().reverse() ?? []);
}

async function findOrInstall(log, found, programs) {
  const missing = programs.filter((each) => find(each) === undefined);
  if (missing.length > 0) await aptInstall(log, missing);
  for (const program of programs) {
    const path = find(program);
    if (path === undefined) throw absent([program]);
    found[program.variable] = path;
  }
  log.note = programs.map(({ variable }) => found[variable]).join(', ');
}

export function absent(missing) {
  const list = (key, between = ', ') => missing.map((each) => each[key]).join(between);
  const wrong = missing.filter(({ variable }) => env[variable] !== undefined);
  if (wrong.length > 0) return new Failure(`${wrong.map(({ variable }) => variable).join(', ')}: no such file`);
  return new Failure(`not found: ${list('what')}`, {
    remedy:
      `as root: apt-get update && apt-get install -y --no-install-recommends ${list('from', ' ')} ` +
      `(or install in another way, and set ${list('variable')} to the path)`,
  });
}

/** Installs with apt-get, as root or by `sudo`: at a terminal once the reader has agreed, elsewhere at once. */
async function aptInstall(log, missing) {
  const failure = absent(missing);
  const root = process.getuid?.() === 0;
  const may = root || answer(sh`sudo -n true`) !== undefined;
  if (!may || missing.some(({ variable }) => env[variable] !== undefined) || !findOnPath(['apt-get'])) throw failure;
  // Another installation may be running.
  const apt = sh`${root ? [] : sh`sudo -n`} env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120`;
  const packages = missing.map(({ from }) => from);
  const commands = [sh`${apt} update`, sh`${apt} install -y --no-install-recommends ${packages}`].map((line) =>
    command(line),
  );
  const lines = commands.map((each) => `    ${shown(each)}\n`).join('');
  const where = { root, ci: !['', 'false', undefined].includes(env.CI), terminal: stdin.isTTY && stdout.isTTY };
  if (mustAsk(where) && !agrees(`  ${failure.message}\n  As root:\n${lines}  Run them? [Y/n] `)) throw failure;
  for (const each of commands) await log.run(each);
}

/**
 * Whether to ask before commands run with `sudo`. Without a terminal xtask goes on: one command does all the set-up.
 */
export const mustAsk = ({ root, ci, terminal }) => !root && !ci && terminal;

/** Asks the reader. Nothing else is printed meanwhile. */
function agrees(question) {
  const script = 'printf "%s" "$0"; read -r said || exit 1; case "$said" in "" | [yY]*) ;; *) exit 1 ;; esac';
  return spawnSync('sh', ['-c', script, question], { stdio: 'inherit' }).status === 0;
}

const versionOf = (path) => versionIn(answer([path, '--version']) ?? '');

/**
 * Takes a tool of Cargo's registry from its variable or from PATH, if it is `good`, or what an earlier run built, or
 * builds it.
 */
async function findOrBuild(log, found, name, version, good) {
  const variable = name.toUpperCase().replace('-', '_');
  const there = [env[variable], findOnPath([name])].find((path) => path !== undefined && good(path));
  const folder = inTarget('tools');
  found[variable] = there ?? `${folder}/bin/${name}`;
  log.note = there ?? 'there';
  if (there || versionOf(found[variable]) === version) return;
  // Compiled once, and it waits for others most of the time: neither optimised nor with debug information. Cargo
  // removes the folder in which it builds.
  const install = sh`install --locked --debug --force ${name} --version ${version} --root ${folder}`;
  const remedy = `crates.io must be reachable; or put ${name} ${version} on PATH`;
  await log.run(cargo(install, { env: { CARGO_TARGET_DIR: undefined, CARGO_PROFILE_DEV_DEBUG: 'false' }, remedy }));
  log.note = `built ${version}`;
}
