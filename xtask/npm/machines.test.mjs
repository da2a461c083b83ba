import assert from 'node:assert/strict';
import { test } from 'node:test';

import { machinesOf, withNumbers } from './machines.mjs';

test('integers that move the bits of numbers become numbers', () => {
  assert.equal(
    withNumbers('(i64.store offset=8 (local.get $0) (i64.const 4607182418800017408))\n(i64.load (local.get $1))'),
    '(f64.store offset=8 (local.get $0) (f64.const 1))\n(f64.load (local.get $1))',
  );
  assert.equal(withNumbers('(i64.const -4611686018427387904)'), '(f64.const -2)');
  assert.equal(withNumbers('(i64.const -9223372036854775808)'), '(f64.const -0)');
  assert.throws(
    () => withNumbers('(i64.add (i64.const 1) (local.get $0))'),
    /compute with 64-bit integers: \(i64\.add/,
  );
});

/** A small version of wasm2js's output. */
const written = (body, exported = '  "grow": $0, \n  "clear": $1\n') => `
  var bufferView;

  function wasm2js_memory_fill(dest, value, size) {
    bufferView.fill(value, dest, dest + size);
  }
      
function asmFunc(imports) {
 var buffer = new ArrayBuffer(65536);
 var HEAPU8 = new Uint8Array(buffer);
 var HEAPF64 = new Float64Array(buffer);
 var Math_floor = Math.floor;
${body} bufferView = HEAPU8;
 function __wasm_memory_size() {
  return buffer.byteLength >> 16;
 }
 
 return {
${exported} };
}

var retasmFunc = asmFunc({
});
`;

const GROW = ` function $0($0_1, $1_1) {
  $0_1 = $0_1 | 0;
  $1_1 = +$1_1;
  var wasm2js_i32$0 = 0;
  HEAPF64[$0_1 + 16 >> 3] = HEAPF64[$0_1 >> 3] + $1_1;
  (wasm2js_i32$0 = $0_1), HEAPF64[wasm2js_i32$0 + 8 >> 3] = Math_floor(1.5);
  return +HEAPF64[$0_1 + 16 >> 3];
 }
 
`;

const CLEAR = ` function $1($0_1) {
  $0_1 = $0_1 | 0;
  wasm2js_memory_fill($0_1, 0, 16);
 }
 
`;

const NINE = ` function $2() {
  return 9 | 0;
 }
 
`;

const load = (code) => import(`data:text/javascript,${encodeURIComponent(code)}`);

test('an address is an array, and an offset a place in it', async () => {
  const code = await machinesOf(written(GROW + CLEAR));
  assert.match(code, /^\/\/ Written by Binaryen's wasm2js\.\n/);
  assert.doesNotMatch(code, /HEAP|Array/);
  const { grow, clear, ...others } = await load(code);
  assert.deepEqual(others, {});
  const state = [1, 0, 0, 7];
  assert.equal(grow(state, 0.5), 1.5);
  assert.deepEqual(state, [1, 1, 1.5, 7]);
  clear(state);
  assert.deepEqual(state, [0, 0, 1.5, 7]);
});

test('a function that returns a whole number is a constant', async () => {
  const exported = '  "NINE": $2, \n  "PLACE": $2, \n  "grow": $0\n';
  const { NINE: nine, PLACE, grow } = await load(await machinesOf(written(GROW + CLEAR + NINE, exported)));
  assert.deepEqual([nine, PLACE, typeof grow], [9, 9, 'function']);
});

test('rejects what is not a field of a struct', async () => {
  const form = /wrote another form/;
  const rejects = (body, exported) => assert.rejects(machinesOf(written(body, exported)), form);
  const both = GROW + CLEAR;
  await rejects(both, '');
  await rejects(both, '  "memory": Object.create(null)\n');
  await rejects(both.replace('+ 16 >> 3] =', '+ 12 >> 3] ='));
  await rejects(both.replace('HEAPF64[$0_1 >> 3]', 'HEAP32[$0_1 >> 2]'));
  await rejects(both.replace('HEAPF64[$0_1 >> 3]', 'HEAPF64[512]'));
  await rejects(both.replace('($0_1, 0, 16)', '($0_1, 255, 16)'));
  await rejects(both.replace('return +', '$0($0_1 + 8 | 0, 1);\n  return +'));
  await rejects(both.replace('1.5', 'imports.now()'));
  await assert.rejects(machinesOf('export var grow = 1;\n'), form);
});
