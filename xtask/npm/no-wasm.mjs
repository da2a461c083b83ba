// Makes a module of what wasm2js writes: a thin wasm file as JavaScript, for hosts that cannot compile WebAssembly.
//
//   node no-wasm.mjs wasm2js.js out.js

import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';

/**
 * The whole output of wasm2js for a module without imports and table: helpers, and a function, called at import.
 */
const SHAPE = /^(.*?)function asmFunc\(imports\) \{\n(.*\n)\}\n\nvar retasmFunc = asmFunc\(\{\n\}\);\n(.*)$/s;

/** The one helper that machines with a memory may need. */
const FILL = /^\s*(var bufferView;\s*function wasm2js_memory_fill\(dest, value, size\) \{[^{}]*\}\s*)?$/;

/** Functions that grow the memory, and the memory that they belong to. Nothing grows it. */
const GROWING =
  /^ function __wasm_memory_size\(\) \{\n.*?^ \}\n \n function __wasm_memory_grow\(pagesToAdd\) \{\n.*?^ \}\n \n/ms;
const MEMORY = /Object\.create\(Object\.prototype, \{\n {3}"grow": \{.*?"buffer": \{.*?\n {3}\}\n {2}\}\)/s;

/**
 * Returns the module: its one export makes the functions when it is called, so that importing it runs nothing.
 * @param {string} code as wasm2js writes it
 */
export async function moduleOf(code) {
  const [, helper, body, exported] = SHAPE.exec(code) ?? [];
  const fixed = body?.replace(GROWING, '').replace(MEMORY, '{ buffer }') ?? '';
  const known = body !== undefined && FILL.test(helper) && !/\bimports\b|wasm_memory|Object\.create/.test(fixed);
  if (!known || fixed.includes('ArrayBuffer') !== fixed.includes('"memory": { buffer }')) {
    throw new Error('wasm2js wrote another form than this script knows: the file needs an import or a buffer');
  }
  const names = [...exported.matchAll(/^export var (\w+) = retasmFunc\.(\w+);$/gm)].map(([, name]) => name);
  if (names.length === 0 || exported.trim().split('\n').length !== names.length) {
    throw new Error(`wasm2js wrote other exports than this script knows: ${exported}`);
  }
  // wasm2js names all of Math, and all views of the memory, that it may use.
  const used = fixed.replaceAll(/^ var (Math_\w+|HEAP\w+) = .*;\n/gm, (line, name) =>
    fixed.split(new RegExp(`\\b${name}\\b`)).length > 2 ? line : '',
  );
  const { code: small } = await transform(`export function core() {\n${helper}${used}}\n`, {
    format: 'esm',
    minify: true,
    target: 'es2015',
  });
  return `// Written by Binaryen's wasm2js.\n${small}`;
}

async function main([from, to]) {
  writeFileSync(to, await moduleOf(readFileSync(from, 'utf8')));
}

if (import.meta.url === pathToFileURL(argv[1]).href) await main(argv.slice(2));
