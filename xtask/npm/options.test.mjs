import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { MODULE, OPTIONS, rulesModule } from './options.mjs';

test("JavaScript's rules are those of the table", () => {
  assert.equal(readFileSync(MODULE, 'utf8'), rulesModule(), 'run node xtask/npm/options.mjs');
});

test('each option has a range, and a default among the words that it lists', () => {
  for (const { name, range, words, standard } of OPTIONS) {
    assert.notEqual(range, '', name);
    if (words.length > 0) assert.equal(standard, `'${words[0]}'`, name);
  }
});
