import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NUMBERS, numbersIn, withNumbers } from './simulations.mjs';

test('numbers of Rust become members and names of JavaScript', () => {
  const structs = numbersIn(`options! {
    /// Options.
    SomeOptions:

    /// Number of clients. Between 1 and 10^6. Defaults to 12,000.
    clients: u32 = 12_000,
    /// Which.
    kind: Kind = Kind::One,
    /// Requests per second, unlike \`spread_ms\`. Above 0; infinite for no limit. Default:
    /// infinite.
    capacity_per_s: f64 = f64::INFINITY,
}
pub struct Load {
    /// Share. Between 0.001 and 2. Defaults to 0.7: some.
    pub share: f64,
}
`);
  assert.deepEqual(structs, {
    SomeOptions: [
      { name: 'clients', text: 'Number of clients: an integer between 1 and 10^6.', standard: '12_000' },
      {
        name: 'capacityPerS',
        text: 'Requests per second, unlike `spreadMs`. Above 0; Infinity for no limit.',
        standard: 'Infinity',
      },
    ],
    Load: [{ name: 'share', text: 'Share. Between 0.001 and 2.', standard: '0.7' }],
  });
});

test('each number has a range, and an index signature becomes its members', () => {
  const all = Object.values(NUMBERS).flat();
  assert.ok(all.length > 35);
  for (const { name, text } of all) assert.match(text, /[Bb]etween \d|Positive|Above 0|At least 1/, name);
  const members = withNumbers('{\n  [ContentionOptions: string]: unknown;\n  runs?: 5;\n}');
  assert.equal(members.match(/^ {2}\w+\?: number \| undefined;$/gm)?.length, 3);
  assert.match(members, /^ {2}\/\*\* Number of competing clients: an integer .* @default 100 \*\/$/m);
  assert.throws(() => withNumbers('[Nothing: string]: unknown;\n'));
});
