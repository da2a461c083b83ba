import assert from 'node:assert/strict';
import { test } from 'node:test';

import { linkedCrates, noticesOf } from './notices.mjs';

const LINKED = linkedCrates();

test('the notices are those of the crates in the WebAssembly, without macros', () => {
  assert.ok(LINKED.every(({ name }) => name !== 'serde_derive'));
  const text = noticesOf(LINKED);
  for (const { name, version, license } of LINKED)
    assert.ok(text.includes(`\n${name} ${version} (${license})\n`), name);
  assert.match(text, /\nwasm-bindgen [^]*Permission is hereby granted, free of charge/);
});

test('a licence that may ask for more than its text ends the build', () => {
  const other = LINKED.map((crate) => ({ ...crate, license: 'MPL-2.0' }));
  assert.throws(() => noticesOf(other), /does MPL-2.0 ask for its text alone/);
});
