import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { above, atLeast, atMost } from '../worlds/shown.mjs';
import { TABLES } from '../worlds/tables.mjs';
import { placed } from './table.mjs';
import { missed, tableOf } from './worlds.mjs';

const row = (title, numbers, aims, digits) => ({ title, numbers, aims, digits });
const table = (...rows) => ({ name: 'calls', contenders: ['one', 'two'], rows });

test('a table has the numbers of each contender', () => {
  const text = tableOf(
    table(row('a', { one: 31.6, two: 1234 }, []), row('15%', {}, []), row('b', { two: 0.5 }, [], 2)),
    {
      two: '1.2.3',
    },
  );
  const [head, , ...body] = text.split('\n');
  assert.equal(head, '| calls | one | two 1.2.3 |');
  assert.deepEqual(body, ['| a | 32 | 1,234 |', '| b | – | 0.50 |']);
});

test('an aim is met at the limit, and not without a number', () => {
  const aims = [...atLeast(30, ['one']), ...atMost(40, ['two']), above('one', 10, 'two')];
  assert.deepEqual(missed([table(row('a', { one: 30, two: 40 }, aims))]), []);
  assert.deepEqual(missed([table(row('a', { one: 29, two: 38.9 }, aims), row('b', { one: 31 }, aims.slice(1)))]), [
    'calls, a: one 29.0, aim ≥ 30',
    'calls, a: two 38.9, aim ≥ one + 10 (29.0)',
    'calls, b: two –, aim ≤ 40',
    'calls, b: two –, aim ≥ one + 10 (31.0)',
  ]);
});

test('the page has a place for each table, and what is around it stays', () => {
  const text = readFileSync(new URL('../../../docs/reference/worlds.md', import.meta.url), 'utf8');
  const around = (/** @type {string} */ page) => page.replaceAll(/^\|.*\n/gm, '');
  for (const { name, contenders } of TABLES) {
    const written = placed(text, tableOf({ name, contenders, rows: [] }, {}));
    assert.ok(written.length < text.length && written.split(`\n| ${name} |`).length === 2, name);
    assert.equal(around(written), around(text));
  }
  assert.throws(() => placed(text, '| no such |'), /no table/);
});
