// The checklists of CONTRIBUTING.md: a kind of jitter, an option or a preset that is missing in one of their places is
// named here. What other tests notice by themselves (the tables of the docs, the menu of the page) is not repeated.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { repo } from '../lib/consumer.mjs';
import { makeSchedule } from '../schedules/schedule.mjs';
import { OWN_CURVE, computedWait, resolved } from '../schedules/waits.mjs';

const text = (path) => readFileSync(join(repo, path), 'utf8');
const json = (path) => JSON.parse(text(path));
const source = (path) => import(pathToFileURL(join(repo, path)));

const KINDS = json('tests/vectors/kinds.json');
const { RULES, isData } = await source('src/js/options/rules.js');
const OPTIONS = Object.keys(RULES);
const PRESETS = Object.entries(await source('src/js/presets/index.js')).filter(([, { maxAttempts }]) => maxAttempts);
const SCHEDULES = Array.from({ length: 4000 }, (_, i) => makeSchedule(1, i));

/** Lists each name that `has` does not find, as one failure. */
function all(names, has, where) {
  assert.ok(names.length > 0);
  const missing = names.filter((name) => !has(name));
  assert.deepEqual(missing, [], `missing in ${where}`);
}
/** Whether a file has each name as a string, or with `bare` as a word. */
const mentions = (path, bare) => {
  const content = text(path);
  return (name) => new RegExp(bare ? `\\b${name}\\b` : `['"]${name}['"]`).test(content);
};

/** The value of the option for a kind of jitter. */
const written = ({ name, parameter }) => (parameter === undefined ? name : { type: name, [parameter]: 0.5 });
const JITTERS = [...new Set(KINDS.jitter.map(({ name }) => name))];
const BACKOFFS = KINDS.backoff.map(({ name }) => name).filter((name) => name !== 'custom');

test('every kind of backoff and jitter is declared, and used by the suites of types', () => {
  all([...BACKOFFS, ...JITTERS], mentions('pkg-template/options.d.ts'), 'options.d.ts');
  all([...BACKOFFS, ...JITTERS], mentions('tests/package/types/options.mjs'), 'types/options.mjs');
});

test('every kind of backoff and jitter has vectors', () => {
  const options = json('tests/vectors/delays.json').map(({ options }) => options);
  all(BACKOFFS, (name) => options.some(({ backoff = 'exponential' }) => backoff === name), 'delays.json');
  const has = ({ name, parameter }) =>
    options.some(({ jitter = 'full' }) =>
      parameter === undefined ? jitter === name : jitter.type === name && jitter[parameter] !== undefined,
    );
  all(KINDS.jitter, has, 'delays.json');
});

test('both sides of the differential test draw every kind', () => {
  const counts = (path, pattern) => {
    const found = pattern.exec(text(path));
    assert.ok(found, `${path} draws no kind`);
    return Number(found[1]);
  };
  for (const [rust, js, kinds] of [
    [/let backoff = words\.below\((\d+)\)/, /const backoff = BACKOFFS\[below\((\d+)\)\]/, KINDS.backoff],
    [/let jitter = words\.below\((\d+)\)/, /const kind = below\((\d+)\)/, KINDS.jitter],
    [/let cap_rule = words\.below\((\d+)\)/, /\]\[below\((\d+)\)\];\n {2}const base/, KINDS.capRule],
  ]) {
    assert.equal(counts('tests/common/differential.rs', rust), kinds.length);
    assert.equal(counts('tests/package/engine/differential.test.mjs', js), kinds.length);
  }
});

test('the independent formulas know every kind', () => {
  for (const kind of KINDS.jitter) {
    const { lo, hi, at } = computedWait(resolved({ jitter: written(kind) }), 1, {});
    assert.ok(lo <= hi && at(0.5, 0.5) >= 0, kind.name);
  }
  for (const backoff of BACKOFFS) assert.ok(computedWait(resolved({ backoff }), 3, {}).hi > 0, backoff);
  assert.deepEqual(
    OWN_CURVE,
    KINDS.jitter.filter(({ replacesTheCurve }) => replacesTheCurve).map(({ name }) => name),
  );
});

test('the page has every kind', () => {
  all([...BACKOFFS, ...JITTERS], mentions('www/src/state/strategy.ts'), 'strategy.ts');
  const further = JITTERS.filter((name) => !['decorrelated', 'additive'].includes(name));
  all(further, mentions('www/src/state/cells.ts'), 'cells.ts');
});

test('random schedules draw every kind, option and callback', () => {
  const policies = SCHEDULES.flatMap((schedule) => schedule.policies);
  const drawn = policies.map(({ options }) => options);
  all(BACKOFFS, (name) => drawn.some(({ backoff }) => backoff === name), 'schedule.mjs');
  all(
    KINDS.jitter,
    ({ name, parameter }) =>
      drawn.some(({ jitter }) =>
        parameter === undefined ? jitter === name : jitter?.type === name && parameter in jitter,
      ),
    'schedule.mjs',
  );
  const uses = new Set(
    policies.flatMap(({ uses, signal, of }) => [
      ...uses.hooks,
      ...Object.keys(uses).filter((name) => uses[name] === true),
      ...(signal === undefined ? [] : ['signal']),
      ...(of === undefined ? [] : ['protection']),
    ]),
  );
  // Node alone has references to timers; a test of its own checks them.
  const expected = OPTIONS.filter((name) => name !== 'unref');
  all(expected, (name) => uses.has(name) || drawn.some((options) => name in options), 'schedule.mjs');
});

test('every option is in the reader of data and the table of rejected options', () => {
  all(OPTIONS, mentions('src/data/read.rs'), 'read.rs');
  all(OPTIONS.filter(isData), mentions('src/data/write.rs'), 'write.rs');
  const { rows } = json('tests/vectors/refusals.json');
  for (const [form, names] of [
    ['options', OPTIONS],
    ['data', OPTIONS.filter(isData)],
  ]) {
    const of = (answer) => rows.filter((row) => row.where.includes(form) && row[answer] !== undefined);
    all(names, (name) => of('accepted').some(({ given }) => name in given), `refusals.json, accepted ${form}`);
    all(names, (name) => of('error').some(({ given }) => name in given), `refusals.json, refused ${form}`);
  }
});

test('every preset is declared, published by its system, and a constant of Rust', () => {
  const names = PRESETS.map(([name]) => name);
  all(names, mentions('pkg-template/presets.d.ts', true), 'presets.d.ts');
  const published = json('tests/vectors/presets.json').map(({ preset }) => preset);
  all(names, (name) => published.includes(name), 'presets.json');
  const constants = text('src/policy/presets.rs');
  const constant = (name) => name.replace(/[A-Z]|\d+/g, (part) => `_${part}`).toUpperCase();
  all(names, (name) => constants.includes(`pub const ${constant(name)}: RetryPolicy`), 'presets.rs');
});

test('the places of the checklists exist', () => {
  const checklists = /## Checklists\n([^]*)/.exec(text('CONTRIBUTING.md'))?.[1] ?? '';
  const paths = [...checklists.matchAll(/`((?:src|tests|www|pkg-template|docs|xtask)\/[\w./-]+)`/g)].map(
    ([, at]) => at,
  );
  assert.ok(paths.length > 20);
  all(paths, (path) => existsSync(join(repo, path)), 'the repository');
});

test('the README of the vectors lists each file', () => {
  const files = readdirSync(join(repo, 'tests/vectors')).filter((name) => name.endsWith('.json'));
  const table = text('tests/vectors/README.md').split('\n## ')[0];
  assert.deepEqual([...table.matchAll(/`([\w-]+\.json)`/g)].map(([, name]) => name).sort(), files.sort());
});
