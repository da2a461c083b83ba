// Makes a module of the machines of protection: functions of arrays of numbers. Their wasm file reads and writes
// numbers at addresses. In the module, an address is an array, and the offset from it a place. The machines are then as
// quick as other JavaScript, state needs no copies, and a bundle has only the functions that the app uses. A function
// without parameters that returns a whole number is a constant there: a place in such an array, or a code.

import { transform } from 'esbuild';

const BYTES_PER_NUMBER = 8;

/**
 * Returns the text with numbers in place of 64-bit integers. JavaScript has no such integers, and compilers use them to
 * copy numbers and to store constants.
 * @param {string} text a wasm file as text
 */
export function withNumbers(text) {
  const view = new DataView(new ArrayBuffer(BYTES_PER_NUMBER));
  const numbers = text
    .replaceAll(/\bi64\.const (-?\d+)/g, (_, bits) => {
      view.setBigInt64(0, BigInt(bits));
      const number = view.getFloat64(0);
      return `f64.const ${Object.is(number, -0) ? '-0' : number}`;
    })
    .replaceAll(/\bi64\.(load|store)\b/g, 'f64.$1');
  const [other] = /.*\bi64\b.*/.exec(numbers) ?? [];
  if (other !== undefined) throw new Error(`the machines compute with 64-bit integers: ${other.trim()}`);
  return numbers;
}

/** The output of wasm2js for a module with a memory: helpers, views of the memory, functions, and its growth. */
const SHAPE =
  /\nfunction asmFunc\(imports\) \{\n(?: var \w+ = [^\n]*;\n)+(.*?)(?: bufferView = HEAPU8;\n)? function __wasm_memory_size\(\).*?^ return \{\n(.*?)^ \};\n\}/ms;

/** A function that returns a whole number: the module has that as a constant. */
const CONSTANT = /^ function (\$\d+)\(\) \{\n {2}return (\d+)(?: \| 0)?;\n \}\n/gm;

/**
 * What wasm2js writes in more words than needed, once addresses are arrays.
 * @type {[RegExp, string][]}
 */
const SHORTER = [
  // Arguments and results have their types.
  [/^ +(\$\d+_1) = (?:\+\1|\1 \| 0);\n/gm, ''],
  [/return \+/g, 'return '],
  [/\((\$\d+_1) \| 0\) ([!=]= \d)/g, '$1 $2'],
  // It keeps the address in a variable while it computes what is stored there. No function changes its array.
  [/\(wasm2js_i32\$0 = (\$\d+_1), wasm2js_f64\$0 = (.*)\), wasm2js_i32\$0(\[\d+\]) = wasm2js_f64\$0;/g, '$1$3 = $2;'],
  [/^ +var wasm2js_i32\$0 = 0, wasm2js_f64\$0 = 0\.0;\n/gm, ''],
  [/, wasm2js_i32\$0 = 0, wasm2js_f64\$0 = 0\.0;/g, ';'],
  // A variable that is stored at once, and a sum in its own place.
  [/^( +)(\$\d+_1) = (.*);\n +(\$\d+_1\[\d+\]) = \2;$/gm, '$1$4 = $2 = $3;'],
  [/(\$\d+_1(?:\[\d+\])?) = \1 ([-+]) (\S+);/g, '$1 $2= $3;'],
  [/ \+= -/g, ' -= '],
  [/Math_floor/g, 'Math.floor'],
];

/**
 * Returns the module.
 * @param {string} code as wasm2js writes it
 */
export async function machinesOf(code) {
  const [, functions = '', exported = ''] = SHAPE.exec(code) ?? [];
  const names = [...exported.matchAll(/^ {2}"(\w+)": (\$\d+),? ?$/gm)].map(([, name, made]) => ({ name, made }));
  const constants = new Map(Array.from(functions.matchAll(CONSTANT), ([, made, value]) => [made, value]));
  const place = (bytes) => Number(bytes) / BYTES_PER_NUMBER;
  const arrays = functions
    .replaceAll(CONSTANT, '')
    .replaceAll(/HEAPF64\[(\$?\w+\$?\w*)(?: \+ (\d+))? >> 3\]/g, (_, at, bytes = '0') => `${at}[${place(bytes)}]`)
    .replaceAll(/wasm2js_memory_fill\((\$\w+), 0, (\d+)\)/g, (_, at, bytes) => `${at}.fill(0, 0, ${place(bytes)})`);
  const body = SHORTER.reduce((text, [from, to]) => text.replaceAll(from, to), arrays);
  const places = Array.from(body.matchAll(/\[([^\]]*)\]/g), ([, found]) => Number(found));
  if (
    names.length === 0 ||
    names.length !== exported.trim().split('\n').length ||
    !places.every((found) => Number.isInteger(found) && found >= 0) ||
    /HEAP|Math_|wasm2js|memory|buffer|imports/.test(body) ||
    body.split(/^ (?=function )/m).some(computesAddresses)
  )
    throw new Error('wasm2js wrote another form than this script knows: the machines may only use fields of structs');
  const statements = names.map(({ name, made }) =>
    constants.has(made) ? `export const ${name} = ${constants.get(made)};` : `export { ${made} as ${name} };`,
  );
  const { code: small } = await transform([body, ...statements].join('\n'), {
    format: 'esm',
    minify: true,
    target: 'es2022',
  });
  return `// Written by Binaryen's wasm2js.\n${small}`;
}

/** Whether a function computes with a variable that is an array in it. */
function computesAddresses(text) {
  const arrays = Array.from(text.matchAll(/(\$\w+)\[/g), ([, name]) => name.replace('$', '\\$'));
  return arrays.some((name) => new RegExp(`(?<!\\w)${name} [-+*|&] `).test(text));
}
