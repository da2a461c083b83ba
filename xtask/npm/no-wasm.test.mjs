import assert from 'node:assert/strict';
import { test } from 'node:test';

import { moduleOf } from './no-wasm.mjs';

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

/** A function with a memory, as wasm2js writes it. */
const FILLER = `
  var bufferView;

  function wasm2js_memory_fill(dest, value, size) {
    dest = dest >>> 0;
    if (dest + size > bufferView.length) throw "trap: invalid memory.fill";
    bufferView.fill(value, dest, dest + size);
  }
      
function asmFunc(imports) {
 var buffer = new ArrayBuffer(65536);
 var HEAP8 = new Int8Array(buffer);
 var HEAPU8 = new Uint8Array(buffer);
 var HEAPF64 = new Float64Array(buffer);
 function $0($0_1) {
  wasm2js_memory_fill(0, $0_1, 8);
 }
 
 bufferView = HEAPU8;
 function __wasm_memory_size() {
  return buffer.byteLength >> 16;
 }
 
 function __wasm_memory_grow(pagesToAdd) {
  if (pagesToAdd) {
   HEAP8 = new Int8Array(0);
  }
  return __wasm_memory_size();
 }
 
 return {
  "memory": Object.create(Object.prototype, {
   "grow": {
    "value": __wasm_memory_grow
   }, 
   "buffer": {
    "get": function () {
     return buffer;
    }
    
   }
  }), 
  "fill": $0
 };
}

var retasmFunc = asmFunc({
});
export var memory = retasmFunc.memory;
export var fill = retasmFunc.fill;
`;

test('a memory is a buffer that does not grow', async () => {
  const code = await moduleOf(FILLER);
  assert.doesNotMatch(code, /Int8Array|Float64Array/);
  const { core } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const [one, other] = [core(), core()];
  one.fill(1);
  assert.deepEqual(Object.keys(one), ['memory', 'fill']);
  assert.equal(new BigUint64Array(one.memory.buffer)[0], 0x0101_0101_0101_0101n);
  assert.equal(new BigUint64Array(other.memory.buffer)[0], 0n);
  await assert.rejects(moduleOf(FILLER.replace('"grow"', '"shrink"')), /wrote another form/);
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
