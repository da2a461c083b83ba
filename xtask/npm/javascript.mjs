// Makes a module of what wasm2js writes: the core as JavaScript.

import { transform } from 'esbuild';

/** The whole output of wasm2js for a module without imports, memory and table: a function, called at import. */
const SHAPE = /^\s*function asmFunc\(imports\) \{\n(.*\n)\}\n\nvar retasmFunc = asmFunc\(\{\n\}\);\n(.*)$/s;

/**
 * Returns the module. Its one export makes the core's functions when it is called, so that importing it runs nothing.
 * @param {string} code as wasm2js writes it
 * @param {boolean} [alone] whether to export each function instead
 */
export async function moduleOf(code, alone = false) {
  const [, body, exported] = SHAPE.exec(code) ?? [];
  if (body === undefined || /\bimports\b|ArrayBuffer/.test(body)) {
    throw new Error('wasm2js wrote another form than this script knows: the core needs an import, memory or a buffer');
  }
  const names = [...exported.matchAll(/^export var (\w+) = retasmFunc\.(\w+);$/gm)].map(([, name]) => name);
  if (names.length === 0 || exported.trim().split('\n').length !== names.length) {
    throw new Error(`wasm2js wrote other exports than this script knows: ${exported}`);
  }
  // wasm2js names all of Math that it may use.
  const used = body.replaceAll(/^ var (Math_\w+) = Math\.\w+;\n/gm, (line, name) =>
    body.split(new RegExp(`\\b${name}\\b`)).length > 2 ? line : '',
  );
  const module = alone
    ? used.replace(
        /^ return \{\n(.*)^ \};\n$/ms,
        (_, list) => `export {${list.replaceAll(/"(\w+)": (\$\d+)/g, '$2 as $1')}};\n`,
      )
    : `export function core() {\n${used}}\n`;
  const { code: small } = await transform(module, {
    format: 'esm',
    minify: true,
    target: 'es2015',
  });
  return `// Written by Binaryen's wasm2js.\n${small}`;
}
