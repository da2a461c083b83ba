// @ts-check
// The size of the heap of a process with --expose-gc.

/** Bytes inside and outside the JavaScript heap, after a full collection. */
export async function heapBytes() {
  for (let i = 0; i < 4; i++) {
    await new Promise((done) => setImmediate(done));
    /** @type {any} */ (globalThis).gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
