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
 * Returns the module.
 * @param {string} code as wasm2js writes it
 */
export async function machinesOf(code) {
  const [, functions = '', exported = ''] = SHAPE.exec(code) ?? [];
  const names = [...exported.matchAll(/^ {2}"(\w+)": (\$\d+),? ?$/gm)].map(([, name, made]) => ({ name, made }));
  const constants = new Map(Array.from(functions.matchAll(CONSTANT), ([, made, value]) => [made, value]));
  const place = (bytes) => Number(bytes) / BYTES_PER_NUMBER;
  const body = functions
    .replaceAll(CONSTANT, '')
    .replaceAll(/HEAPF64\[(\$?\w+\$?\w*)(?: \+ (\d+))? >> 3\]/g, (_, at, bytes = '0') => `${at}[${place(bytes)}]`)
    .replaceAll(/wasm2js_memory_fill\((\$\w+), 0, (\d+)\)/g, (_, at, bytes) => `${at}.fill(0, 0, ${place(bytes)})`)
    // Arguments and results have their types.
    .replaceAll(/^ +(\$\d+_1) = (?:\+\1|\1 \| 0);\n/gm, '')
    .replaceAll('return +', 'return ')
    .replaceAll('Math_floor', 'Math.floor');
  const places = Array.from(body.matchAll(/\[([^\]]*)\]/g), ([, found]) => Number(found));
  if (
    names.length === 0 ||
    names.length !== exported.trim().split('\n').length ||
    !places.every((found) => Number.isInteger(found) && found >= 0) ||
    /HEAP|Math_|memory|buffer|imports/.test(body) ||
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
