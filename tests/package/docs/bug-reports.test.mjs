// The ids in test names lead to bug-reports.md: each id has a row there, and each row has a test.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { here } from '../lib/consumer.mjs';
import { tableIn } from '../lib/readers.mjs';

const FOLDERS = ['engine', 'fetch', 'hosts', 'lab', 'options', 'testing'];

/** The ids with which the names of tests in `code` start. */
const idsOf = (code) =>
  [...code.matchAll(/^ *test\(\s*['"`]((?:[A-Z]\d\d )+)/gm)].flatMap(([, ids]) => ids.trim().split(' '));

test('each id in a test name has a row in bug-reports.md, and each row a test', () => {
  const files = FOLDERS.flatMap((folder) => readdirSync(join(here, folder)).map((name) => join(here, folder, name)));
  const used = new Set(
    files.filter((file) => file.endsWith('.test.mjs')).flatMap((file) => idsOf(readFileSync(file, 'utf8'))),
  );
  const rows = tableIn(readFileSync(join(here, 'bug-reports.md'), 'utf8'), 'id').map(([id]) => id);
  assert.ok(rows.length > 50);
  assert.deepEqual(rows, [...used].sort());
});

test('control: all ids of a name are read, and other names have none', () => {
  assert.deepEqual(idsOf("test('A01 A03 no leak', …\n  test(`U05 ${name}`, …\ntest('A rejection', …"), [
    'A01',
    'A03',
    'U05',
  ]);
});
