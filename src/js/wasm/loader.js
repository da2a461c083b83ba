// Instances of the lab's wasm file.

/**
 * @param {() => WebAssembly.Module} compile
 * @param {WebAssembly.Imports} imports
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
    throw new Error(`rejitter: this host refused to compile the lab's WebAssembly. ${why}`, { cause });
  }
}
