import assert from 'node:assert/strict';
import { test } from 'node:test';

import { graphOf, problemsOf, rootsOf } from './roots.mjs';

/** A wasm file whose one function is exported under each of the names. */
function wasmWith(names, imports = []) {
  const text = (s) => [s.length, ...Buffer.from(s)];
  const section = (id, body) => [id, body.length, ...body];
  const imported = imports.flatMap((name) => [...text('host'), ...text(name), 0, 0]);
  const exported = names.flatMap((name) => [...text(name), 0, imports.length]);
  return new WebAssembly.Module(
    Uint8Array.of(
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, [1, 0x60, 0, 0]),
      ...(imports.length > 0 ? section(2, [imports.length, ...imported]) : []),
      ...section(3, [1, 0]),
      ...section(7, [names.length, ...exported]),
      ...section(10, [1, 2, 0, 0x0b]),
    ),
  );
}

test('the roots are the functions that are not the glue of wasm-bindgen', () => {
  assert.deepEqual(rootsOf(wasmWith(['decide', '__wbindgen_start', 'ceiling'])), ['ceiling', 'decide']);
});

test('a file with exactly the roots passes', () => {
  assert.deepEqual(problemsOf(wasmWith(['decide']), graphOf(['decide'])), []);
});

test('what is left over, missing or imported is named', () => {
  const problems = (names, imports) => problemsOf(wasmWith(names, imports), graphOf(['decide'])).join('; ');
  assert.match(problems(['decide', '__wbindgen_start']), /exports __wbindgen_start, decide instead of decide/);
  assert.match(problems(['other']), /exports other instead of decide/);
  assert.match(problems(['decide'], ['now']), /imports host\.now/);
  assert.deepEqual(problemsOf(wasmWith([]), graphOf([])), ['it exports no function']);
});
