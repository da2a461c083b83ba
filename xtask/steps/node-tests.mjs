// Steps that run test files with Node's test runner. The name of a file says its kind: `x.browser.test.mjs`.

import { readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { command, sh } from '../run/command.mjs';
import { inRoot, labTarball, tarball, target } from '../run/places.mjs';
import { BROWSERS, PAGES, SERVERS as JOBS } from '../run/run.mjs';
import { PACK, PACK_LAB } from './package.mjs';
import { FOUND, SERVERS, WEBKIT } from './programs.mjs';
import { NATIVE_TESTS, NPM_OF_CLIENTS } from './setup.mjs';

/** @typedef {import('../run/run.mjs').Step} Step */
/** @typedef {import('../run/run.mjs').Run} Run */

/**
 * What each kind needs, its group, of which one runs at a time, and its seconds.
 * @type {Record<string, Partial<Step>>}
 */
const KINDS = {
  '': { quick: true },
  slow: { seconds: 45 },
  cargo: { quick: true, needs: [NATIVE_TESTS] },
  browser: { needs: [FOUND], group: BROWSERS, seconds: 40 },
  webkit: { needs: [WEBKIT], group: BROWSERS, seconds: 40 },
  server: { needs: [SERVERS], group: JOBS, seconds: 40 },
};

/**
 * Folders that are not for the daily loop: their tests fail by changes of documents, declarations, the build, or what
 * other people's packages are given, seldom by those of behaviour.
 */
const NOT_DAILY = {
  package: ['docs', 'tarball'],
  clients: ['docs', 'engines', 'hosts', 'protection', 'tarball', 'testing', 'types'],
};

/** Where the package and programs are, for what runs: CHROME_BIN is the path of Chromium. */
export const places = (found) => ({
  REJITTER_TARBALL: tarball,
  REJITTER_LAB_TARBALL: labTarball,
  REJITTER_TARGET_DIR: target,
  ...Object.fromEntries(Object.entries(found).map(([name, path]) => [`${name}_BIN`, path])),
});

/**
 * Runs test files with Node, in one process.
 * @param {string[]} files
 * @param {Partial<Run>} run
 * @param {Record<string, string | undefined>} [env]
 */
export function nodeTests(files, { quick, found }, env) {
  const line = sh`node --test-reporter=spec ${inRoot('xtask/steps/together.mjs')} ${files}`;
  // A runner above us must not make this one a part of itself.
  const variables = { NODE_TEST_CONTEXT: undefined, ...(quick && { REJITTER_QUICK: '1' }), ...places(found), ...env };
  return command(line, { dir: dirname(files[0]), env: variables });
}

/** The test files of a folder, those of one kind if it is given. */
const testFiles = (folder, kind) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.mjs') && (kind === undefined || kindOf(name) === kind))
    .sort()
    .map((name) => `${folder}/${name}`);

const kindOf = (name) => /\.(\w+)\.test\.mjs$/.exec(name)?.[1] ?? '';

/** The steps of a folder: one for each kind of its test files. */
function ofFolder(folder, name, needs) {
  const unknown = testFiles(folder).find((file) => !(kindOf(file) in KINDS));
  if (unknown) throw new Error(`${unknown}: the kinds of tests are ${Object.keys(KINDS).filter(Boolean).join(', ')}`);
  return Object.entries(KINDS).flatMap(([kind, { needs: more = [], ...step }]) => {
    const files = testFiles(folder, kind);
    if (files.length === 0) return [];
    const title = `${name}${kind && `, ${kind}`}`;
    const commands = (run) => [nodeTests(files, run)];
    return [{ ...step, name: title, runner: 'node', needs: [...needs, ...more], commands }];
  });
}

/** The steps of the folders in a folder of `tests`. */
function ofFolders(tests, needs) {
  const folder = inRoot('tests', tests);
  // Those of wasm-pack have commands of their own.
  const names = readdirSync(folder).filter(
    (name) => name !== 'wasm-pack' && statSync(`${folder}/${name}`).isDirectory(),
  );
  return names.sort().flatMap((name) =>
    ofFolder(`${folder}/${name}`, `${tests}: ${name}`, needs).map((step) => ({
      ...step,
      quick: step.quick && !NOT_DAILY[tests].includes(name),
    })),
  );
}

const named = (names) => names.split(' ').map((name) => inRoot('tests', `${name}.test.mjs`));

/** The tests of the tarball, and some of them once more. */
export function ofPackage() {
  // With the same variable, all others run on the core as JavaScript, too.
  const files = named('package/engine/operations package/engine/vectors package/options/options package/fetch/fetch');
  return [
    ...ofFolders('package', [PACK]),
    {
      ...{ name: 'package: without WebAssembly', runner: 'node', quick: true, needs: [PACK] },
      commands: (run) => [nodeTests(files, run, { REJITTER_FORM: 'javascript' })],
    },
  ];
}

/** The tests of the lab's tarball. Those of the crate are daily. */
export const ofLab = () =>
  ofFolder(inRoot('lab/tests'), 'lab: package', [PACK, PACK_LAB]).map((step) => ({ ...step, quick: false }));

/** The tests of the tarballs with the packages of other people. */
export function ofClients() {
  const needs = [PACK, PACK_LAB, NPM_OF_CLIENTS];
  // Not those of `retrySync`: WebKitGTK has no shared memory.
  const pages = named('clients/hosts/hosts.browser clients/fetch/fetch.browser');
  return [
    ...ofFolders('clients', needs),
    {
      ...{ name: 'clients: hosts, WebKit', runner: 'node', group: BROWSERS, needs: [...needs, WEBKIT], seconds: 40 },
      commands: (run) => [nodeTests(pages, run, { TEST_BROWSERS: 'WebKit' })],
    },
  ];
}

/** The tests of the page. @param {string} built the step that builds it */
export const ofPage = (built) =>
  ofFolder(inRoot('www/demo'), 'demo: page', [built]).map((step) => ({
    ...{ ...step, quick: false },
    group: step.group && PAGES,
  }));
