// The steps of `cargo xtask test`: what is checked, and with which commands.

import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter } from 'node:path';
import { env } from 'node:process';

import { cargo, command, sh } from '../run/command.mjs';
import { clientTool, inRoot, inTarget, labTarball, npmTool, root, tarball } from '../run/places.mjs';
import { BROWSERS, DEBUG } from '../run/run.mjs';
import { testSteps } from './crate.mjs';
import { CONSUMER, IN_PAGE, buildPage, program } from './demo.mjs';
import { nodeTests, ofClients, ofLab, ofPackage, ofPage } from './node-tests.mjs';
import { PACK, PACK_LAB, lab } from './package.mjs';
import { FOUND, GECKODRIVER, TEST_TIMEOUT_S, WASM_PACK, WEBDRIVER_JSON } from './programs.mjs';
import {
  NATIVE as ALL,
  NATIVE_TESTS,
  NPM_OF_BUILD,
  NPM_OF_CLIENTS,
  NPM_OF_PAGE,
  NPM_OF_SITE,
  TARGET,
  WASM_BINDGEN,
  WASM_TARGET,
  WASM_TESTS,
} from './setup.mjs';
import { buildDocs, checkLinks } from './site.mjs';

const cspell = inRoot('xtask/site/node_modules/.bin/cspell');

/** The page is built: its tests open it. */
const PAGE = 'demo: page builds';

/** The steps that take longest, with their seconds on two busy cores. */
export const LONG = {
  'demo: page, browser': 150,
  'clients: hosts, browser': 100,
  'clients: hosts, slow': 90,
  'wasm-pack: three targets': 70,
  'lint: clippy, wasm': 60,
  'clients: docs': 60,
  'clients: docs, slow': 60,
  'package: engine, slow': 55,
  'demo: page': 50,
  'package: schedules, slow': 35,
  'package: schedules': 30,
  'package: worlds, slow': 30,
  'lint: clippy': 30,
  'package: docs, slow': 25,
  'package: fetch, slow': 20,
  'clients: types': 20,
  'docs: the site builds': 20,
  'native: crate': 20,
  'wasm: Chromium': 20,
  'wasm: Firefox': 20,
  'lint: JavaScript': 15,
  'lint: spelling': 15,
};

/** All steps, in the order of the closing table. */
export const checks = () =>
  [
    ...LINTS,
    ...NATIVE,
    ...testSteps,
    ...WASM,
    WASM_PACKED,
    ...ofPackage(),
    ...ofLab(),
    ...ofClients(),
    ...OF_TARBALLS,
    ...DEMO,
    ...ofPage(PAGE),
  ].map((step) => ({ ...step, seconds: LONG[step.name] ?? step.seconds }));

const quick = (name, needs, commands, more) => ({ name, quick: true, needs, commands, ...more });

/**
 * A check with a program of the npm packages of tests/clients.
 * @param {string} name
 * @param {string[]} line
 */
function withClient(name, [tool, ...args], needs = []) {
  const commands = [command([clientTool(tool), ...args], { dir: inRoot('tests/clients') })];
  return quick(name, [...needs, NPM_OF_CLIENTS], commands);
}

const inDebug = { group: DEBUG };
const clippy = (line) => cargo(`clippy ${line} -- -D warnings`);

/** Not wasm-tools: two mains of a few lines, for which 200 crates would be checked. */
const OURS = `${ALL} --package xtask --all-targets`;
const EXPORTS = `${ALL} --target ${WASM_TARGET} --lib --test wasm`;
const KNOWN = sh`--cache --cache-strategy content --cache-location ${inTarget('cspell.json')}`;
const MISSPELT = 'correct the word, use the one that cspell suggests, or add it to cspell.json';

const LINTS = [
  quick('lint: format', [], [cargo('fmt --all --check')]),
  quick('lint: clippy', [], [clippy(OURS)], inDebug),
  quick('lint: clippy, wasm', [TARGET], [clippy(EXPORTS)], inDebug),
  quick('lint: rustdoc', [], [cargo(`doc ${ALL} --no-deps`, { env: { RUSTDOCFLAGS: '-D warnings' } })], inDebug),
  // The layers of src/js are rules of biome.json.
  quick(
    'lint: JavaScript',
    [NPM_OF_BUILD],
    [command([npmTool('biome'), ...sh`ci --error-on-warnings`], { dir: root })],
  ),
  {
    ...{ name: 'lint: spelling', needs: [NPM_OF_SITE] },
    // The cache spares the reading of files that have not changed, with the same words.
    commands: [command(sh`${cspell} --no-progress --config cspell.json ${KNOWN}`, { dir: root, remedy: MISSPELT })],
  },
  withClient('lint: types of the driver', sh`tsc -p ../../src/js`),
  withClient('lint: types of the lab', sh`tsc -p ../../lab/js`),
  withClient('lint: types of the tools', sh`tsc -p ../../xtask/tsconfig.json`),
];

/** The tests of what the build is made with, in whatever folder. */
const ofTools = readdirSync(inRoot('xtask'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.mjs') && !path.includes('node_modules'))
  .sort()
  .map((path) => inRoot('xtask', path));

/** Native tests of the lab's numbers, by parts of their names: a third of all that the native tests take. */
const NOT_DAILY = ['simulation::reference', 'plan::polly', 'draws::what_is_planned'];
const dailyOnly = NOT_DAILY.map((name) => `--skip ${name}`).join(' ');

const NATIVE = [
  // With Tokio as the default sleeper, which is not a default feature.
  quick('native: crate', [NATIVE_TESTS], (run) => [cargo(`test ${ALL}${run.quick ? ` -- ${dailyOnly}` : ''}`)], {
    runner: 'cargo',
  }),
  quick('native: layers', [], [cargo('check --package rejitter-layers')], inDebug),
  quick('native: tools', [PACK], [command(sh`node --test --test-reporter=spec ${ofTools}`, { dir: inRoot('xtask') })], {
    runner: 'node',
  }),
];

/** wasm-pack with the project's own wasm-bindgen and wasm-opt. */
const packer = ({ found }, args, more) =>
  command([found.WASM_PACK, ...args], {
    dir: root,
    env: {
      PATH: [inTarget('tools'), inRoot('xtask/npm/node_modules/.bin'), env.PATH].join(delimiter),
      WASM_BINDGEN_TEST_TIMEOUT: `${TEST_TIMEOUT_S}`,
      ...more,
    },
  });

const OF_WASM = [WASM_BINDGEN, WASM_PACK, NPM_OF_BUILD, TARGET];

/** The wasm tests of the crate in a host. */
const wasmTest = (name, needs, group, hostOf, env = () => ({})) => ({
  ...{ name: `wasm: ${name}`, runner: 'cargo', group, needs: [...OF_WASM, WASM_TESTS, ...needs] },
  commands: (run) => [packer(run, sh`test --mode no-install ${hostOf(run.found)} -- --test wasm`, env())],
});

const inBrowser = () => ({
  WASM_BINDGEN_USE_BROWSER: '1',
  // Another driver in the environment would win over the one on the command line.
  ...{ CHROMEDRIVER: undefined, GECKODRIVER: undefined },
  ...{ CHROMEDRIVER_REMOTE: undefined, GECKODRIVER_REMOTE: undefined },
  // Known beforehand, so that our test runner can keep the server behind it alive.
  WASM_BINDGEN_TEST_ADDRESS: `127.0.0.1:${freePort()}`,
  WASM_BINDGEN_TEST_WEBDRIVER_JSON: WEBDRIVER_JSON,
});

const WASM = [
  wasmTest('Node', [], undefined, () => ['--node']),
  wasmTest(
    ...['Chromium', [FOUND], BROWSERS],
    ({ CHROMEDRIVER }) => sh`--headless --chrome --chromedriver ${CHROMEDRIVER}`,
    inBrowser,
  ),
  wasmTest(
    ...['Firefox', [FOUND, GECKODRIVER], BROWSERS],
    (found) => sh`--headless --firefox --geckodriver ${found.GECKODRIVER}`,
    inBrowser,
  ),
];

/** A port without a listener at this moment. */
function freePort() {
  const server = createServer().listen(0);
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

/** `wasm-pack build` alone gives a complete package, for each target. */
const WASM_PACKED = {
  name: 'wasm-pack: three targets',
  runner: 'node',
  needs: [...OF_WASM, PACK, PACK_LAB, NPM_OF_CLIENTS, FOUND],
  commands: (run) => [
    // One of them is optimised: the bytes are the same for all, and wasm-opt takes longer than all the rest. The lab's
    // build has compiled the macros.
    ...['web', 'nodejs --no-opt', 'bundler --no-opt'].map((target) => {
      const [kind, ...more] = target.split(' ');
      const line = sh`build --mode no-install --target ${kind} ${more} --out-dir ${inTarget('wasm-pack', kind)}`;
      return packer(run, line, { CARGO_TARGET_DIR: lab.target });
    }),
    nodeTests([inRoot('tests/clients/wasm-pack/wasm-pack.test.mjs')], run),
  ],
};

const OF_TARBALLS = Object.entries({ package: [tarball, PACK], lab: [labTarball, PACK_LAB] }).flatMap(
  ([name, [file, packed]]) => [
    withClient(`${name}: publint`, sh`publint run --strict ${file}`, [packed]),
    { ...withClient(`${name}: attw`, sh`attw ${file}`, [packed]), quick: false },
  ],
);

const DEMO = [
  // The fonts are those of the page.
  {
    name: 'docs: the site builds',
    needs: [NPM_OF_PAGE, NPM_OF_SITE],
    commands: [buildDocs(inTarget('docs')), checkLinks(inTarget('docs'))],
  },
  {
    name: 'demo: types',
    needs: [IN_PAGE],
    commands: [command('npm run check', { dir: inRoot('www') })],
  },
  { name: PAGE, needs: [IN_PAGE], commands: [buildPage()] },
  { name: 'demo: Node program', needs: [CONSUMER], commands: [program] },
];
