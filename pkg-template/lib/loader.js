// @ts-check
// An instance of a wasm file that needs nothing from the host.

/**
 * @param {() => WebAssembly.Module} compile
 * @returns {(drop?: boolean) => WebAssembly.Exports} instantiates at its first call, and at the first one after
 *   the instance was dropped; a failure is not kept
 */
export function loaderOf(compile) {
  /** @type {any} */
  let instance;
  return (drop) => {
    if (drop) return (instance = undefined);
    if (instance === undefined) {
      // Before `WebAssembly` is looked up, because the error of `compile` says more.
      const module = compile();
      instance = new WebAssembly.Instance(module).exports;
    }
    return instance;
  };
}
