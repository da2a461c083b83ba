import assert from 'node:assert/strict';
import { test } from 'node:test';

import { moduleOf } from './javascript.mjs';

/** A small version of wasm2js's output. */
const written = (body, exported = 'export var half = retasmFunc.half;\n') =>
  `\nfunction asmFunc(imports) {\n var Math_imul = Math.imul;\n var Math_floor = Math.floor;\n${body}` +
  ` return {\n  "half": $0\n };\n}\n\nvar retasmFunc = asmFunc({\n});\n${exported}`;

const HALF = ' function $0($0_1) {\n  $0_1 = +$0_1;\n  return +Math_floor($0_1 * .5);\n }\n\n';

test('the module makes the functions on demand, and not at import', async () => {
  const code = await moduleOf(written(HALF));
  assert.doesNotMatch(code, /imul/);
  assert.match(code, /^\/\/ Written by Binaryen's wasm2js\.\n/);
  const { core, ...others } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  assert.deepEqual(others, {});
  assert.equal(core().half(7), 3);
  assert.notEqual(core(), core());
});

test('with --alone, the module exports each function by itself', async () => {
  const both = written(HALF).replace('"half": $0', '"half": $0, \n  "again": $0');
  const code = await moduleOf(both, true);
  const { half, again } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  assert.deepEqual([half(7), again(8)], [3, 4]);
});

test('rejects what a core of numbers alone does not need', async () => {
  const form = /wrote another form/;
  await assert.rejects(moduleOf('export var half = 1;\n'), form);
  await assert.rejects(moduleOf(written(` var now = imports.now;\n${HALF}`)), form);
  await assert.rejects(moduleOf(`var scratchBuffer = new ArrayBuffer(16);\n${written(HALF)}`), form);
  await assert.rejects(moduleOf(written(` var buffer = new ArrayBuffer(65536);\n${HALF}`)), form);
  await assert.rejects(moduleOf(written(HALF, '')), /wrote other exports/);
  await assert.rejects(moduleOf(written(HALF, 'export var memory = 1;\n')), /wrote other exports/);
});
