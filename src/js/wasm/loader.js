// @ts-check
// Instances of wasm files.

/**
 * @param {() => WebAssembly.Module} compile
 * @param {WebAssembly.Imports} [imports]
 * @returns {any} the exports of a new instance
 */
export function instantiate(compile, imports) {
  try {
    return new WebAssembly.Instance(compile(), imports).exports;
  } catch (cause) {
    // The files are good, so the host does not compile them: WebKit rejects the instance, the others the module. Under
    // a Content-Security-Policy the engines' own messages name the wrong directive ('unsafe-eval').
    const { message } = /** @type {Error} */ (cause);
    const why = /CSP|unsafe-eval/.test(message)
      ? "Add 'wasm-unsafe-eval' to the Content-Security-Policy's script-src."
      : message;
    // All but the lab exists without WebAssembly, and only the lab imports something.
    const other = imports ? '' : ' (rejitter/no-wasm needs none)';
    throw new Error(`rejitter: this host refused to compile WebAssembly${other}. ${why}`, { cause });
  }
}

/**
 * @param {() => WebAssembly.Module} compile
 * @returns {(drop?: boolean) => WebAssembly.Exports} instantiates at its first call, and at the first one after
 *   the instance was dropped; a failure is not kept
 */
export function loaderOf(compile) {
  /** @type {any} */
  let instance;
  return (drop) => (drop ? (instance = undefined) : (instance ??= instantiate(compile)));
}
