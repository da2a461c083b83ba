// Steps that run test files with Node's test runner.

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { BUILD_LIMIT_MS, command, sh } from '../run/command.mjs';
import { found, inRoot, tarball, target, wishes } from '../run/places.mjs';
import { BROWSERS, DEBUG, SERVERS as JOBS } from '../run/schedule.mjs';
import { PACK } from './package.mjs';
import { FOUND, SERVERS, WEBKIT } from './programs.mjs';
import { NPM_OF_TESTS } from './setup.mjs';

/** @typedef {import('../run/run.mjs').Step} Step */
/** @typedef {import('../run/command.mjs').More} More */

const OF_PACKAGE = [PACK, NPM_OF_TESTS];

/**
 * Words by which a test file is a step of its own: a module that starts browsers, with the step of the set-up that
 * finds these; or a use of cargo, which would wait for others in a step of many files.
 * @type {[word: string, needs: string[], room: import('../run/schedule.mjs').Room][]}
 */
const APART = [
  ["/lib/webdriver.mjs'", [WEBKIT], BROWSERS],
  ["/lib/browsers.mjs'", [FOUND], BROWSERS],
  ["/lib/page.mjs'", [FOUND], BROWSERS],
  ["/lib/servers.mjs'", [SERVERS], JOBS],
  ['process.env.CARGO', [], DEBUG],
  ["'./lives.mjs'", [], DEBUG],
];

/** The variables by which tests know the programs that the set-up found. */
const PROGRAMS = {
  CHROME_BIN: 'CHROME',
  FIREFOX_BIN: 'FIREFOX',
  WEBKIT_DRIVER_BIN: 'WEBKITDRIVER',
  XVFB_BIN: 'XVFB',
  REDIS_BIN: 'REDIS',
  POSTGRES_BIN: 'POSTGRES',
};

/** The places of the package and of programs, for what runs. */
export const places = () => ({
  REJITTER_TARBALL: tarball,
  REJITTER_TARGET_DIR: target,
  ...Object.fromEntries(Object.entries(PROGRAMS).flatMap(([name, of]) => (found[of] ? [[name, found[of]]] : []))),
});

/**
 * Runs test files with Node, two at once.
 * @param {string[]} files
 * @param {More} [more]
 */
export function nodeTests(files, { env, ...more } = {}) {
  // A file that hangs ends after 15 minutes: a test that runs cargo may wait for another cargo.
  const line = sh`node --test --test-reporter=spec --test-concurrency=2 --test-timeout=900000 ${files}`;
  const quick = wishes.quick ? { REJITTER_QUICK: '1' } : {};
  // A runner above us must not make this one a part of itself.
  const variables = { NODE_TEST_CONTEXT: undefined, ...quick, ...places(), ...env };
  return command(line, { dir: dirname(files[0]), limitMs: BUILD_LIMIT_MS, env: variables, ...more });
}

const TEST_FILE = '.test.mjs';
/** The test files of a folder. @param {string} folder */
export const testFiles = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(TEST_FILE))
    .sort()
    .map((name) => `${folder}/${name}`);

/** The tests of the tarball: a step per folder, one per file with browsers or cargo, and some of them once more. */
export function ofPackage() {
  const tests = inRoot('tests/package');
  // Those of wasm-pack have commands of their own.
  const folders = readdirSync(tests).filter(
    (name) =>
      name !== 'wasm-pack' && statSync(`${tests}/${name}`).isDirectory() && testFiles(`${tests}/${name}`).length > 0,
  );
  const steps = folders.sort().flatMap((name) => {
    const [without, ...others] = ofFolder(`${tests}/${name}`, `package: ${name}`, `package: ${name}/`, OF_PACKAGE);
    return [{ ...without, quick: true }, ...others];
  });
  // Some files run once more, with other variables.
  /** @type {(name: string, names: string, env: Record<string, string>, more: Partial<Step> & More) => Step} */
  const again = (name, names, env, { needs = [], givesWay, ...more }) => ({
    name: `package: ${name}`,
    runner: 'node',
    needs: [...OF_PACKAGE, ...needs],
    commands: () => [
      nodeTests(
        names.split(' ').map((file) => `${tests}/${file}${TEST_FILE}`),
        { givesWay, env },
      ),
    ],
    ...more,
  });
  // With the same variable, all others run on the core as JavaScript, too.
  const asInBrowsers = { NODE_OPTIONS: '--conditions=browser' };
  const engine = 'engine/attempts engine/operations engine/vectors options/options fetch/fetch';
  // Not those of `retrySync`: WebKitGTK has no shared memory.
  const pages = 'hosts/browser hosts/fetch-browser hosts/lab-browser';
  return [
    ...steps,
    again('without WebAssembly', engine, asInBrowsers, { quick: true, givesWay: true }),
    again('hosts, WebKit', pages, { TEST_BROWSERS: 'WebKit' }, { needs: [WEBKIT], room: BROWSERS }),
  ];
}

/**
 * The tests of the page: a step per file with browsers, one for all others.
 * @param {string} built the step that builds it
 */
export function ofPage(built) {
  const [without, ...others] = ofFolder(inRoot('www/demo'), 'demo: without browsers', 'demo: ', [built]);
  return [...others, without];
}

/**
 * The step of all test files in a folder that can run together, and those of the others.
 * @param {string} folder
 * @param {string} name
 * @param {string} start of the others' names
 * @param {string[]} needs
 */
function ofFolder(folder, name, start, needs) {
  /** @type {string[]} */
  const together = [];
  /** @type {Step[]} */
  const others = [];
  for (const file of testFiles(folder)) {
    const text = readFileSync(file, 'utf8');
    const [, more, room] = APART.find(([word]) => text.includes(word)) ?? [];
    if (more === undefined) {
      together.push(file);
      continue;
    }
    const givesWay = more.length === 0;
    const commands = () => [nodeTests([file], { givesWay })];
    const title = `${start}${basename(file, TEST_FILE)}`;
    others.push({ name: title, runner: 'node', needs: [...needs, ...more], room, quick: givesWay, commands });
  }
  const commands = () => [nodeTests(together, { givesWay: true })];
  return [/** @type {Step} */ ({ name, runner: 'node', needs, commands }), ...others];
}
