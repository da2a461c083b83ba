// A wasm file whose program has a sleeper of its own needs nothing of its host, exports nothing of ours, and runs.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

const module = await WebAssembly.compile(await readFile(process.argv[2]));
assert.deepEqual(WebAssembly.Module.imports(module), []);
const names = WebAssembly.Module.exports(module).map(({ name }) => name);
assert.deepEqual(names.sort(), ['__data_end', '__heap_base', 'attempts', 'memory']);
const { exports } = await WebAssembly.instantiate(module, {});
assert.equal(exports.attempts(), 3);
