import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NUMBERS, withNumbers } from './simulations.mjs';

test('each number has a range, and an index signature becomes its members', () => {
  const all = Object.values(NUMBERS).flat();
  assert.ok(all.length > 35);
  for (const { name, text } of all) assert.match(text, /[Bb]etween \d|Positive|Above 0|At least 1/, name);
  const members = withNumbers('{\n  [ContentionOptions: string]: unknown;\n  runs?: 5;\n}');
  assert.equal(members.match(/^ {2}\w+\?: number \| undefined;$/gm)?.length, 3);
  assert.match(members, /^ {2}\/\*\* Number of competing clients: an integer .* @default 100 \*\/$/m);
  // An unlimited capacity, and a default of five digits.
  assert.match(withNumbers('[OutageOptions: string]: unknown;\n'), /@default/);
  assert.throws(() => withNumbers('[Nothing: string]: unknown;\n'));
});
