// Keeps of a thin build what the driver calls: the numeric functions.
//
//   node roots.mjs in.wasm graph.json          writes the graph for wasm-metadce, which removes everything
//                                              that no root reaches: the memory and the table, too
//   node roots.mjs --check out.wasm graph.json fails unless exactly the roots are left, and no import

import { readFileSync, writeFileSync } from 'node:fs';

/** Returns the names of the exported functions that are not wasm-bindgen's own. */
export function rootsOf(module) {
  return WebAssembly.Module.exports(module)
    .filter(({ kind, name }) => kind === 'function' && !name.startsWith('__'))
    .map(({ name }) => name)
    .sort();
}

export function graphOf(roots) {
  return [{ name: 'driver', root: true, reaches: roots }, ...roots.map((name) => ({ name, export: name }))];
}

/** Returns the problems of the finished file. */
export function problemsOf(module, graph) {
  const wanted = graph.filter((node) => node.export).map((node) => node.export);
  const found = WebAssembly.Module.exports(module)
    .map(({ name }) => name)
    .sort();
  const imports = WebAssembly.Module.imports(module).map((i) => `${i.module}.${i.name}`);
  const problems = [];
  if (wanted.length === 0) problems.push('it exports no function');
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
  const [wasm, graph] = args.slice(-2);
  const module = new WebAssembly.Module(readFileSync(wasm));
  if (!check) {
    writeFileSync(graph, `${JSON.stringify(graphOf(rootsOf(module)), null, 2)}\n`);
    return;
  }
  const problems = problemsOf(module, JSON.parse(readFileSync(graph, 'utf8')));
  if (problems.length > 0) throw new Error(`${wasm}: ${problems.join('; ')}`);
  // Does the loaders' work.
  new WebAssembly.Instance(module);
}

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2));
