// @ts-check
// The core for hosts that forbid compiling bytes and import compiled modules instead.

/**
 * @param {WebAssembly.Module} module
 * @returns {() => WebAssembly.Exports} instantiates at its first call
 */
export function loaderOf(module) {
  /** @type {WebAssembly.Exports | undefined} */
  let core;
  return () => (core ??= new WebAssembly.Instance(module).exports);
}
