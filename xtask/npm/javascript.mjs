// Makes a module of what wasm2js writes: functions of numbers as JavaScript, each by itself, in the fewest bytes.

import { transform } from 'esbuild';

/** The whole output of wasm2js for a module without imports, memory and table: a function, called at import. */
const SHAPE = /^\s*function asmFunc\(imports\) \{\n(.*\n)\}\n\nvar retasmFunc = asmFunc\(\{\n\}\);\n(.*)$/s;

/** The product of two integers of 64 bits, each in two halves: wasm2js has it in pieces of 16 bits. */
const PRODUCT = / function __wasm_i64_mul\(.*?\n \}\n/s;

/**
 * The same in half the bytes. As a number, the product of the lower halves is off by 2^10 at most: without its own
 * lower half, and divided by 2^32, it is as good as whole.
 */
const SHORT_PRODUCT = ` function __wasm_i64_mul(low, high, otherLow, otherHigh) {
  var product = Math_imul(low, otherLow);
  var carry = ((low >>> 0) * (otherLow >>> 0) - (product >>> 0)) / 4294967296;
  i64toi32_i32$HIGH_BITS = Math.round(Math_imul(high, otherLow) + Math_imul(low, otherHigh) + carry) | 0;
  return product;
 }
`;

/**
 * What wasm2js writes at length, or for engines that compile its output ahead of time. None of it changes a number.
 * @type {[RegExp, string | ((...found: string[]) => string)][]}
 */
const SHORTER = [
  // Where all parameters are integers, their conversions: the operators of `draw` take 32 bits of any number.
  [/^( function \$\d+\(.*\n)(?: +(\$\d+(?:_1)?) = \2 \| 0;\n)+(?= +var)/gm, '$1'],
  // A parameter's; a missing one stays undefined, which compares as NaN does.
  [/^ +(\$\d+(?:_1)?) = \+\1;\n/gm, ''],
  [/(?<=[(*+=] |\(|return )\+(?=[($])/g, ''],
  [/>>> ([1-9]\d*) \| 0/g, '>>> $1'],
  [/\((\$\d+(?:_1)?) \| 0\) ([!=]= \d)/g, '$1 $2'],
  // A mask of the bits that a shift would drop anyway.
  [
    /\((\$\d+(?:_1)?) & (\d+)\) << (\d+)/g,
    (all, bits, mask, n) => (Number(mask) === 2 ** (32 - Number(n)) - 1 ? `${bits} << ${n}` : all),
  ],
  // A conversion with a check: what the core converts is in range.
  [
    /if \((\$\d+(?:_1)?) < 4294967295\.0 & \1 >= 0\.0\) \{\s+(\$\d+(?:_1)?) = ~~\1 >>> 0\s+\} else \{\s+\2 = 0\s+\}/g,
    '$2 = $1 >>> 0;',
  ],
];

/**
 * Returns the module.
 * @param {string} code as wasm2js writes it
 */
export async function moduleOf(code) {
  const [, body, exported] = SHAPE.exec(code) ?? [];
  if (body === undefined || /\bimports\b|ArrayBuffer/.test(body)) {
    throw new Error('wasm2js wrote another form than this script knows: the core needs an import, memory or a buffer');
  }
  const names = [...exported.matchAll(/^export var (\w+) = retasmFunc\.(\w+);$/gm)].map(([, name]) => name);
  if (names.length === 0 || exported.trim().split('\n').length !== names.length) {
    throw new Error(`wasm2js wrote other exports than this script knows: ${exported}`);
  }
  const short = SHORTER.reduce(
    (text, [from, to]) => text.replaceAll(from, /** @type {string} */ (to)),
    body.replace(PRODUCT, SHORT_PRODUCT),
  );
  const module = short
    // wasm2js names all of Math that it may use.
    .replaceAll(/^ var (Math_\w+) = Math\.\w+;\n/gm, (line, name) =>
      short.split(new RegExp(`\\b${name}\\b`)).length > 2 ? line : '',
    )
    .replace(
      /^ return \{\n(.*)^ \};\n$/ms,
      (_, list) => `export {${list.replaceAll(/"(\w+)": (\$\d+)/g, '$2 as $1')}};\n`,
    );
  const { code: small } = await transform(module, { format: 'esm', minify: true, target: 'es2015' });
  return `// Written by Binaryen's wasm2js.\n${small}`;
}
