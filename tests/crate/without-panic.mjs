// Decisions, delays and the rules of HTTP cannot panic: the linker found no way to the host's function for it. With a
// division by a number that may be zero, it does (`control`).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

const [file, control] = process.argv.slice(2);
const module = await WebAssembly.compile(await readFile(file));
const imports = WebAssembly.Module.imports(module).map(({ name }) => name);
assert.deepEqual(imports, control ? ['panicked'] : []);
if (!control) {
  const { exports } = await WebAssembly.instantiate(module, {});
  // A fixed delay without jitter, and a hint that is longer.
  assert.equal(exports.decide(0, 250, 1_000, 1n, 7n, 0), 250);
  assert.ok(exports.decide(0, 250, 1_000, 1n, 7n, 2_000) >= 2_000);
  assert.equal(exports.delay(0, 3_000, 9_000, 1n, 7n), 3n);
  assert.equal(exports.retries(503), 1);
}
