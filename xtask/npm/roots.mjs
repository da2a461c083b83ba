// Keeps of a thin build what the driver calls: the numeric functions. The memory, the table and the exports of
// wasm-bindgen go; what makes JavaScript of the rest fails if anything needs the host.
//
//   node roots.mjs in.wasm graph.json    writes the graph for wasm-metadce, which removes what no root reaches

import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';

const [wasm, graph] = argv.slice(2);
const roots = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(wasm)))
  .filter(({ kind, name }) => kind === 'function' && !name.startsWith('__'))
  .map(({ name }) => name);
const nodes = [{ name: 'driver', root: true, reaches: roots }, ...roots.map((name) => ({ name, export: name }))];
writeFileSync(graph, JSON.stringify(nodes));
