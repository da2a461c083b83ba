// The checklists of CONTRIBUTING.md: a kind of jitter or an option that is missing in one of their places is named
// here. Nothing is repeated that other tests notice by themselves: the tables of the docs, the presets, the menu of the
// page.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { OPTIONS as TABLE } from '../../../xtask/npm/options.mjs';
import { repo } from '../lib/consumer.mjs';
import { makeSchedule } from '../schedules/schedule.mjs';

const text = (path) => readFileSync(join(repo, path), 'utf8');
const json = (path) => JSON.parse(text(path));

const KINDS = json('tests/vectors/kinds.json');
const OPTIONS = TABLE.map(({ name }) => name);
const DATA = TABLE.flatMap(({ name, isData }) => (isData ? [name] : []));
const JITTERS = [...new Set(KINDS.jitter.map(({ name }) => name))];
const BACKOFFS = KINDS.backoff.map(({ name }) => name).filter((name) => name !== 'custom');
const BOTH = [...BACKOFFS, ...JITTERS];

/** Whether a file has each name as a string, or at the start of a line of a table. */
const mentions = (path) => (name) => new RegExp(`['"]${name}['"]|^ {2}${name}:`, 'm').test(text(path));

const VECTORS = json('tests/vectors/delays.json').map(({ options }) => options);
const POLICIES = Array.from({ length: 4000 }, (_, i) => makeSchedule(1, i)).flatMap(({ policies }) => policies);
const SCHEDULES = POLICIES.map(({ options }) => options);
/** Whether one of these options has the kind. */
const hasJitter =
  (options) =>
  ({ name, parameter }) =>
    options.some(({ jitter = 'full' }) => (parameter ? jitter.type === name && parameter in jitter : jitter === name));
const hasBackoff = (name) => VECTORS.some(({ backoff = 'exponential' }) => backoff === name);
const USED = new Set(
  POLICIES.flatMap(({ options, uses, signal, of }) => [
    ...Object.keys(options),
    ...uses.hooks,
    ...Object.keys(uses).filter((name) => uses[name] === true),
    ...(signal === undefined ? [] : ['signal']),
    ...(of === undefined ? [] : ['protection']),
  ]),
);
const ROWS = json('tests/vectors/refusals.json').rows;
const row = (form, answer) => (name) =>
  ROWS.some(({ where, given, [answer]: has }) => where.includes(form) && has !== undefined && name in given);
/** Whether the differential test draws the code of a kind. */
const draws =
  (path, pattern) =>
  ({ code }) =>
    code < Number(pattern.exec(text(path))?.[1]);
const RUST = 'tests/common/differential.rs';

/** Place → the names that it must have, and whether it has one. */
const PLACES = {
  'options.d.ts': [BOTH, mentions('pkg-template/options.d.ts')],
  'types/options.mjs': [BOTH, mentions('tests/clients/types/options.mjs')],
  'strategy.ts': [BOTH, mentions('www/src/state/strategy.ts')],
  'differential.rs, backoff': [KINDS.backoff, draws(RUST, /let backoff = words\.below\((\d+)\)/)],
  'differential.rs, jitter': [KINDS.jitter, draws(RUST, /let jitter = words\.below\((\d+)\)/)],
  'differential.rs, cap': [KINDS.capRule, draws(RUST, /let cap_rule = words\.below\((\d+)\)/)],
  'delays.json, backoff': [BACKOFFS, hasBackoff],
  'delays.json, jitter': [KINDS.jitter, hasJitter(VECTORS)],
  'schedule.mjs, jitter': [KINDS.jitter, hasJitter(SCHEDULES)],
  // Node alone has references to timers; a test of its own checks them. Weights say nothing without a limiter.
  'schedule.mjs, options': [OPTIONS.filter((name) => !['unref', 'weight'].includes(name)), (name) => USED.has(name)],
  'refusals.json, accepted options': [OPTIONS, row('options', 'accepted')],
  'refusals.json, rejected options': [OPTIONS, row('options', 'error')],
  'refusals.json, accepted data': [DATA, row('data', 'accepted')],
  'refusals.json, rejected data': [DATA, row('data', 'error')],
};

for (const [place, [names, has]] of Object.entries(PLACES))
  test(`${place} has every name`, () => {
    assert.ok(names.length >= 3);
    for (const name of names) assert.ok(has(name), JSON.stringify(name));
  });

const CONTRIBUTING = text('CONTRIBUTING.md');

test('the places that CONTRIBUTING.md names exist', () => {
  const paths = [
    ...CONTRIBUTING.matchAll(/(?<![\w/.-])((?:crates|src|tests|www|pkg-template|docs|xtask)\/[\w./-]*\w)/g),
  ];
  assert.ok(paths.length > 60, `${paths.length}`);
  for (const [, path] of paths) assert.ok(existsSync(join(repo, path)), path);
});

test('a pattern of names that CONTRIBUTING.md or the page of the tests shows is that of one row', () => {
  const lines = [CONTRIBUTING, text('tests/README.md')].flatMap((page) => [
    ...page.matchAll(/--test-name-pattern="([^"]+)" (\S+)/g),
  ]);
  assert.ok(lines.length >= 2);
  for (const [, pattern, file] of lines) {
    const tables = [...text(file).matchAll(/vectors\('([\w-]+)'/g)].map(([, name]) =>
      json(`tests/vectors/${name}.json`),
    );
    const names = tables.flat().filter(({ name }) => name?.includes(pattern));
    assert.equal(names.length, 1, `${pattern} in ${file}`);
  }
});

test('the README of the vectors lists each file', () => {
  const files = readdirSync(join(repo, 'tests/vectors')).filter((name) => name.endsWith('.json'));
  const table = text('tests/vectors/README.md').split('\n## ')[0];
  assert.deepEqual([...table.matchAll(/`([\w-]+\.json)`/g)].map(([, name]) => name).sort(), files.sort());
});
