import assert from 'node:assert/strict';
import { test } from 'node:test';

import { graphOf, problemsOf, rootsOf } from './roots.mjs';

/** A wasm file whose one function is exported under each of the names, optionally with a memory. */
function wasmWith(names, imports = [], memory = false) {
  const text = (s) => [s.length, ...Buffer.from(s)];
  const section = (id, body) => [id, body.length, ...body];
  const imported = imports.flatMap((name) => [...text('host'), ...text(name), 0, 0]);
  const exported = names.flatMap((name) => [...text(name), 0, imports.length]);
  if (memory) exported.push(...text('memory'), 2, 0);
  return new WebAssembly.Module(
    Uint8Array.of(
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, [1, 0x60, 0, 0]),
      ...(imports.length > 0 ? section(2, [imports.length, ...imported]) : []),
      ...section(3, [1, 0]),
      ...(memory ? section(5, [1, 0, 1]) : []),
      ...section(7, [names.length + Number(memory), ...exported]),
      ...section(10, [1, 2, 0, 0x0b]),
    ),
  );
}

test('the roots are the functions that are not the glue of wasm-bindgen', () => {
  assert.deepEqual(rootsOf(wasmWith(['decide', '__wbindgen_start', 'ceiling'])), ['ceiling', 'decide']);
});

test('a memory is not a root, and an error if it is left', () => {
  assert.deepEqual(rootsOf(wasmWith(['decide', '__wbindgen_start'], [], true)), ['decide']);
  assert.match(
    problemsOf(wasmWith(['decide'], [], true), graphOf(['decide'])).join(),
    /exports decide, memory instead of decide/,
  );
});

test('a file with exactly the roots passes', () => {
  assert.deepEqual(problemsOf(wasmWith(['decide']), graphOf(['decide'])), []);
});

test('names exports that are left over or missing, and imports', () => {
  const problems = (names, imports) => problemsOf(wasmWith(names, imports), graphOf(['decide'])).join('; ');
  assert.match(problems(['decide', '__wbindgen_start']), /exports __wbindgen_start, decide instead of decide/);
  assert.match(problems(['other']), /exports other instead of decide/);
  assert.match(problems(['decide'], ['now']), /imports host\.now/);
  assert.deepEqual(problemsOf(wasmWith([]), graphOf([])), ['it exports no function']);
});
