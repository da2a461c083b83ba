import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { HELP, NAMES, SET_UP, chosen, read } from '../main.mjs';
import { answer } from '../run/command.mjs';
import { inRoot, root } from '../run/places.mjs';
import { withNeeds } from '../run/run.mjs';
import { LONG, checks } from './checks.mjs';
import { OLDEST, allSteps, lastReleased } from './crate.mjs';
import { FOUND, GECKODRIVER, IN_BROWSERS, SERVERS, WASM_PACK, WEBKIT, absent, mustAsk } from './programs.mjs';
import { releaseSteps } from './release.mjs';

const STEPS = [...SET_UP, ...checks(), ...allSteps, ...releaseSteps];

test('mistakes in a command line are named, and the help has each command', () => {
  for (const line of [
    '',
    'test --help',
    'demo --once --port 8080',
    'bench --only heap',
    'test --only a --jobs=3',
    'release --rehearse',
  ])
    assert.equal(typeof read(line.split(' ').filter(Boolean)), 'function', line);
  for (const [line, named] of Object.entries({
    ...{ tset: /tset/, toString: /toString/, 'demo --twice': /--twice/, 'demo now': /now/ },
    ...{ 'test --only': /--only/, 'test --jobs 0': /--jobs/ },
  }))
    assert.throws(() => read(line.split(' ')), named);
  for (const name of NAMES) assert.ok(HELP.includes(`\n  ${name}`), name);
});

test('a subset is chosen by parts of names', () => {
  const steps = [{ name: 'lint: a', quick: true }, { name: 'wasm: b' }, { name: 'wasm: c' }];
  assert.deepEqual(chosen(steps, { only: ['wasm', 'a'] }), ['lint: a', 'wasm: b', 'wasm: c']);
  assert.deepEqual(chosen(steps, { quick: true }), ['lint: a']);
  assert.throws(() => chosen(steps, { only: ['wasm', 'typo'] }), /contains "typo"/);
});

test('the daily loop needs no browser and no server; each long step is one', () => {
  const all = withNeeds(STEPS, () => true).map(({ name }) => name);
  for (const name of Object.keys(LONG)) assert.equal(all.filter((other) => other === name).length, 1, name);
  const quick = withNeeds(STEPS, (step) => step.quick).map(({ name }) => name);
  for (const name of [FOUND, WEBKIT, WASM_PACK, GECKODRIVER, SERVERS]) {
    assert.ok(all.includes(name), name);
    assert.ok(!quick.includes(name), name);
  }
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

test('the crate stands alone: in a vendored copy, and as the only one of its name for a git dependency', () => {
  const manifest = readFileSync(inRoot('crates/rejitter/Cargo.toml'), 'utf8');
  assert.doesNotMatch(manifest, /workspace|publish|crate-type|path = "\.\./);
  assert.match(manifest, new RegExp(`\nrust-version = "${OLDEST}"\n`));
  const manifests = (answer(['git', '-C', root, 'ls-files', '**/Cargo.toml']) ?? '').trim().split('\n');
  const named = manifests.filter((path) => /^name = "rejitter"$/m.test(readFileSync(inRoot(path), 'utf8')));
  assert.deepEqual(named, ['crates/rejitter/Cargo.toml']);
});

test('the last release in a changelog is not the version in hand', () => {
  const changelog = '## [0.3.0] - Unreleased\n## [0.2.0] - 2027-01-01\n## [0.1.0] - 2026-12-01\n';
  assert.deepEqual([lastReleased(changelog, '0.3.0'), lastReleased(changelog, '0.2.0')], ['0.2.0', '0.1.0']);
});
