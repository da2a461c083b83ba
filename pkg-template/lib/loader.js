// @ts-check
// An instance of a wasm file that needs nothing from the host.

/**
 * @param {() => WebAssembly.Module} compile
 * @returns {() => WebAssembly.Exports} instantiates at its first call; a failure is not kept
 */
export function loaderOf(compile) {
  /** @type {WebAssembly.Exports | undefined} */
  let instance;
  return () => (instance ??= new WebAssembly.Instance(compile()).exports);
}
