import assert from 'node:assert/strict';
import { test } from 'node:test';

import binaryen from 'binaryen';
import { graphOf, problemsOf, rootsOf } from './roots.mjs';

/** A wasm file whose one function is exported under each of the names, optionally with a memory. */
function wasmWith(names, imports = [], memory = false) {
  const parts = [
    ...imports.map((name) => `(import "host" "${name}" (func))`),
    ...names.map((name) => `(export "${name}" (func $f))`),
    memory ? '(memory (export "memory") 1)' : '',
  ];
  return new WebAssembly.Module(binaryen.parseText(`(module ${parts.join(' ')} (func $f))`).emitBinary());
}

test('the roots are the functions that are not the glue of wasm-bindgen, and no memory', () => {
  assert.deepEqual(rootsOf(wasmWith(['decide', '__wbindgen_start', 'ceiling'], [], true)), ['ceiling', 'decide']);
});

test('names exports that are left over or missing, and imports', () => {
  const problems = (...module) => problemsOf(wasmWith(...module), graphOf(['decide'])).join('; ');
  assert.equal(problems(['decide']), '');
  assert.match(problems(['decide'], [], true), /exports decide, memory instead of decide/);
  assert.match(problems(['decide', '__wbindgen_start']), /exports __wbindgen_start, decide instead of decide/);
  assert.match(problems(['other']), /exports other instead of decide/);
  assert.match(problems(['decide'], ['now']), /imports host\.now/);
  assert.deepEqual(problemsOf(wasmWith([]), graphOf([])), ['it exports no function']);
});
