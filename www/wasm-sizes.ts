/** The module `virtual:wasm-sizes`: how large the wasm files of the installed package are. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'vite';

const ID = 'virtual:wasm-sizes';
const FILES = ['core.wasm', 'lab.wasm'];

export function wasmSizes(): Plugin {
  const manifest = createRequire(import.meta.url).resolve('rejitter/package.json');
  const sizes = () =>
    FILES.map((file) => {
      const bytes = readFileSync(manifest.replace(/package\.json$/, file));
      return { file, raw: bytes.length, brotli: brotliCompressSync(bytes).length };
    });
  return {
    name: 'wasm-sizes',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: (id) => (id === `\0${ID}` ? `export const wasmSizes = ${JSON.stringify(sizes())};` : undefined),
  };
}
