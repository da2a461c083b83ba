import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { dayOf, installed, kept, oldColumns } from './versions.mjs';

const textOf = (name) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
const { asked, newest } = kept();

test('tables beside other packages have the newest versions that the registry had on the day that is named', () => {
  for (const name of ['comparison', 'reference/worlds', 'benchmarks'])
    assert.deepEqual(oldColumns(textOf(name), newest), [], name);
  assert.deepEqual(installed(), newest);
  assert.ok(textOf('comparison').includes(dayOf(asked)), dayOf(asked));
});

test('a column or row with an older version, or of a package that was not asked for, is named', () => {
  const head =
    '| attempts | light | a-b 1.2.3 | @c/d 2.0.0, e 3.1.0 | comes from |\n|---|\n| e 3.1.0, Node 24 | f 1.0.0 |';
  assert.deepEqual(oldColumns(head, { 'a-b': '1.2.3', '@c/d': '2.0.0', e: '3.1.0' }), []);
  assert.deepEqual(oldColumns(head, { 'a-b': '1.2.4', '@c/d': '2.0.0' }), ['a-b 1.2.3', 'e 3.1.0']);
});
