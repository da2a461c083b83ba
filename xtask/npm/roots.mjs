// What the thin wasm files are for: one build yields two, by two sets of roots.
//
//   node roots.mjs core in.wasm graph.json     writes the graph for wasm-metadce: everything that none
//                                              of the part's roots reaches is removed, the table
//                                              included, and of `core` the memory
//   node roots.mjs --check out.wasm graph.json fails unless exactly they are left, and no import

import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';

/** Part → which exports are its roots. Only `http` takes text, so only it has a memory. */
const PARTS = {
  core: ({ kind, name }) => kind === 'function' && !name.startsWith('http_'),
  http: ({ kind, name }) => (kind === 'function' && name.startsWith('http_')) || kind === 'memory',
};

/** The exports of a part that are not wasm-bindgen's own. */
export function rootsOf(module, part) {
  if (!Object.hasOwn(PARTS, part)) throw new Error(`there is no part ${part}: ${Object.keys(PARTS).join(', ')}`);
  return WebAssembly.Module.exports(module)
    .filter((e) => PARTS[part](e) && !e.name.startsWith('__'))
    .map(({ name }) => name)
    .sort();
}

export function graphOf(roots) {
  return [
    { name: 'driver', root: true, reaches: roots },
    ...roots.map((name) => ({ name, export: name })),
  ];
}

/** What is wrong with the finished file, or an empty list. */
export function problemsOf(module, graph) {
  const wanted = graph.filter((node) => node.export).map((node) => node.export);
  const found = WebAssembly.Module.exports(module).map(({ name }) => name).sort();
  const imports = WebAssembly.Module.imports(module).map((i) => `${i.module}.${i.name}`);
  const problems = [];
  if (!wanted.some((name) => name !== 'memory')) problems.push('it exports no function');
  if (found.join() !== wanted.join()) {
    problems.push(`it exports ${found.join(', ') || 'nothing'} instead of ${wanted.join(', ')}`);
  }
  if (imports.length > 0) {
    problems.push(`it imports ${imports.join(', ')}: something in the thin build needs the host`);
  }
  return problems;
}

function main(args) {
  const check = args[0] === '--check';
  const [part, wasm, graph] = args;
  const module = new WebAssembly.Module(readFileSync(wasm));
  if (!check) {
    writeFileSync(graph, `${JSON.stringify(graphOf(rootsOf(module, part)), null, 2)}\n`);
    return;
  }
  const problems = problemsOf(module, JSON.parse(readFileSync(graph, 'utf8')));
  if (problems.length > 0) throw new Error(`${wasm}: ${problems.join('; ')}`);
  // What the loaders do.
  new WebAssembly.Instance(module);
}

if (import.meta.url === pathToFileURL(argv[1]).href) main(argv.slice(2));
