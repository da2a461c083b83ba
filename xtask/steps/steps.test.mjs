import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { after, test } from 'node:test';

import { HELP, NAMES, SET_UP, chosen, read } from '../main.mjs';
import { answer, sh } from '../run/command.mjs';
import { inRoot, root } from '../run/places.mjs';
import { withNeeds } from '../run/run.mjs';
import { LONG, checks } from './checks.mjs';
import { OLDEST, allSteps, documentedFeatures, lastReleased } from './crate.mjs';
import { CONSUMER, IN_PAGE } from './demo.mjs';
import { PACK } from './package.mjs';
import { FOUND, GECKODRIVER, IN_BROWSERS, SERVERS, WASM_PACK, WEBKIT, absent, mustAsk } from './programs.mjs';
import { NPM_OF_TESTS } from './setup.mjs';

const STEPS = [...SET_UP, ...checks(), ...allSteps];
const needsOf = (wanted) => withNeeds(STEPS, wanted).map(({ name }) => name);

test('mistakes in a command line are named, and the help has each command', () => {
  for (const line of [
    '',
    'test --help',
    'demo --once --port 8080',
    'bench --only heap',
    'test --only a --jobs=3 --only b',
  ])
    assert.equal(typeof read(line.split(' ').filter(Boolean)), 'function', line);
  for (const [line, word] of [
    ['tset', 'tset'],
    ['toString', 'toString'],
    ['demo --twice', '--twice'],
    ['test --only', '--only'],
    ['test --jobs 0', '--jobs'],
    ['demo now', 'now'],
  ])
    assert.throws(
      () => read(line.split(' ')),
      ({ message }) => message.includes(word),
      line,
    );
  for (const name of NAMES) assert.ok(HELP.includes(`\n  ${name}`), name);
});

test('a subset is chosen by parts of names', () => {
  const steps = [{ name: 'lint: a', quick: true }, { name: 'wasm: b' }, { name: 'wasm: c' }];
  assert.deepEqual(chosen(steps, { only: ['wasm'] }), ['wasm: b', 'wasm: c']);
  assert.equal(chosen(steps, { only: ['a', 'c'] }).length, 3);
  assert.deepEqual(chosen(steps, { quick: true }), ['lint: a']);
  assert.throws(() => chosen(steps, { only: ['wasm', 'typo'] }), /contains "typo"/);
});

test('each step sets up what it needs, and not more', () => {
  const names = checks().map(({ name }) => name);
  for (const name of Object.keys(LONG)) assert.equal(names.filter((other) => other === name).length, 1, name);
  const all = [PACK, NPM_OF_TESTS, CONSUMER, IN_PAGE, FOUND, WEBKIT, WASM_PACK, GECKODRIVER, SERVERS];
  const page = [PACK, IN_PAGE];
  for (const [name, ...needed] of [
    ['lint: clippy'],
    ['native: crate'],
    ['package: engine', PACK, NPM_OF_TESTS],
    ['package: hosts', PACK, NPM_OF_TESTS],
    ['package: hosts, browser', PACK, NPM_OF_TESTS, FOUND],
    ['package: hosts, WebKit', PACK, NPM_OF_TESTS, WEBKIT],
    ['wasm-pack: three targets', NPM_OF_TESTS, WASM_PACK, FOUND],
    ['wasm: Firefox', WASM_PACK, GECKODRIVER, FOUND],
    ['package: engines, server', PACK, NPM_OF_TESTS, SERVERS],
    ['demo: page, browser', ...page, FOUND],
    ['demo: page, webkit', ...page, WEBKIT],
    ['demo: page', ...page],
    ['demo: Node program', PACK, CONSUMER],
  ]) {
    const found = needsOf((step) => step.name === name);
    assert.ok(found.includes(name), name);
    assert.deepEqual(found.filter((step) => all.includes(step)).sort(), needed.sort(), name);
  }
  const quick = needsOf((step) => step.quick);
  for (const name of [FOUND, WEBKIT, WASM_PACK, GECKODRIVER, SERVERS]) assert.ok(!quick.includes(name), name);
});

test('a program that is missing is an error with the command; sudo asks only where somebody can answer', () => {
  const { message } = absent(IN_BROWSERS.slice(1));
  assert.match(message, /^not found: chromedriver, Firefox/);
  assert.match(message, /recommends chromium-driver firefox-esr .*set CHROMEDRIVER, FIREFOX to/);
  const asked = [true, false].flatMap((root) =>
    [true, false].flatMap((ci) => [true, false].map((terminal) => mustAsk({ root, ci, terminal }))),
  );
  assert.deepEqual(asked, [...Array(6).fill(false), true, false]);
});

test('a copy of the crate builds in any workspace', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rejitter-'));
  after(() => rmSync(folder, { recursive: true }));
  cpSync(inRoot('crates/rejitter'), join(folder, 'vendor'), { recursive: true, dereference: true });
  const app = '[package]\nname = "app"\nedition = "2024"\n[lib]\npath = "Cargo.toml"\n[dependencies.rejitter]\n';
  writeFileSync(join(folder, 'Cargo.toml'), `${app}path = "vendor"\n[workspace]\n`);
  const metadata = JSON.parse(
    answer(sh`cargo metadata --no-deps --offline --manifest-path ${folder}/Cargo.toml`) ?? '',
  );
  const { targets, publish } = metadata.packages.find(
    (/** @type {{ name: string }} */ { name }) => name === 'rejitter',
  );
  // What it needs, and what it is, stands in its own manifest.
  assert.deepEqual([targets[0].crate_types, publish, metadata.workspace_members.length], [['lib'], null, 2]);
});

test('a git dependency finds one crate of its name', () => {
  const manifests = (answer(['git', '-C', root, 'ls-files', '**/Cargo.toml']) ?? '').trim().split('\n');
  const named = manifests.filter((path) => /^name = "rejitter"$/m.test(readFileSync(inRoot(path), 'utf8')));
  assert.deepEqual(named, ['crates/rejitter/Cargo.toml']);
});

test('the manifest and the changelog are read', () => {
  const source = readFileSync(inRoot('crates/rejitter/Cargo.toml'), 'utf8');
  assert.ok(source.includes(`\nrust-version = "${OLDEST}"\n`));
  assert.equal(documentedFeatures(source), 'protection,tokio,js,tower,retry-policies,serde,http');
  const changelog = '## [0.3.0] - Unreleased\n## [0.2.0] - 2027-01-01\n## [0.1.0] - 2026-12-01\n';
  assert.deepEqual([lastReleased(changelog, '0.3.0'), lastReleased(changelog, '0.2.0')], ['0.2.0', '0.1.0']);
});

test('every program of tests/crate has a step', () => {
  const all = allSteps.flatMap(({ commands }) =>
    typeof commands === 'function' ? commands({ names: [], found: {} }) : commands,
  );
  const lines = JSON.stringify(all.map(({ line }) => line));
  const programs = readdirSync(inRoot('tests/crate/programs'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const services = readdirSync(inRoot('tests/crate/programs/services/src/bin')).map((file) => parse(file).name);
  for (const name of [...programs, ...services]) assert.ok(lines.includes(`"${name}"`), name);
});
