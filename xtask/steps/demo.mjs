// `cargo xtask demo`: the packed package at work, in Node and on a page.

import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';

import { command, run, sh, signalReceived } from '../run/command.mjs';
import { inRoot, inTarget, labTarball, tarball } from '../run/places.mjs';
import { setUp } from '../run/run.mjs';
import { PACK, PACK_LAB } from './package.mjs';
import { NODE, NPM_OF_PAGE } from './setup.mjs';

/** The tarball is installed by npm in a folder like a user's. */
export const CONSUMER = 'install the tarball';
/** Both tarballs are where the page's imports find them. */
export const IN_PAGE = 'install the tarballs in the page';
const BUILD = 'page: build';

const www = inRoot('www');
const consumer = inTarget('demo');

/** @type {import('../run/run.mjs').Step[]} */
export const steps = [
  { name: CONSUMER, needs: [NODE, PACK], setUp: installConsumer },
  { name: IN_PAGE, needs: [NPM_OF_PAGE, PACK, PACK_LAB], setUp: (log) => unpack(log, `${www}/node_modules`) },
  { name: BUILD, needs: [IN_PAGE], setUp: (log) => log.run(buildPage()) },
];

/** Requests to the misbehaving server through the installed package. */
export const program = command('node main.mjs', { dir: consumer });

export const buildPage = (...args) =>
  command(sh`npm run build ${args}`, { dir: www, remedy: "see the bundler's message in the log" });

/**
 * @param {{ once?: boolean, port?: string }} options
 * @param {import('../run/run.mjs').Step[]} all
 */
export async function demo({ once = false, port }, all) {
  await setUp(all, once ? [CONSUMER] : [CONSUMER, BUILD]);
  console.log();
  await run(program);
  if (once) return;
  console.log('\nThe page is served until Ctrl-C:');
  const remedy = 'another program may use the port: try --port with another number';
  const line = sh`node demo/serve.mjs ${port === undefined ? [] : ['--port', port]}`;
  await run(command(line, { dir: www, limitMs: Infinity, remedy })).catch((error) => {
    // Ctrl-C is how this ends.
    if (!signalReceived()) throw error;
  });
}

/** A folder like a user's, with the tarball installed by npm, and the programs of the demo in it. */
async function installConsumer(log) {
  mkdirSync(consumer, { recursive: true });
  writeFileSync(`${consumer}/package.json`, '{ "name": "demo", "private": true }\n');
  for (const name of readdirSync(`${www}/demo`)) {
    if (/(?<!\.test)\.mjs$/.test(name)) cpSync(`${www}/demo/${name}`, `${consumer}/${name}`);
  }
  const line = sh`npm install --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --offline ${tarball}`;
  const remedy = 'the package has no dependencies, so npm needs no registry here; see its message';
  await log.run(command(line, { dir: consumer, remedy }));
}

/** Unpacks both tarballs into a `node_modules`. Not by npm: it would undo `npm ci`. */
export async function unpack(log, modules) {
  for (const [name, packed] of Object.entries({ rejitter: tarball, 'rejitter-lab': labTarball })) {
    const folder = `${modules}/${name}`;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await log.run(command(sh`tar -xzf ${packed} --strip-components=1 -C ${folder}`));
  }
}
