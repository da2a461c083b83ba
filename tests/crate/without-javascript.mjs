// A wasm file whose program has a sleeper of its own needs nothing of its host, and runs.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

const module = await WebAssembly.compile(await readFile(process.argv[2]));
assert.deepEqual(WebAssembly.Module.imports(module), []);
const { exports } = await WebAssembly.instantiate(module, {});
assert.equal(exports.attempts(), 3);
