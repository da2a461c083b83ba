// Links the lab's wasm with wasm-bindgen's glue: at the first call, synchronously, once.

import * as glue from './glue.js';

/**
 * Links at the first call, and at the first after it dropped the instance; a failure is not kept.
 * @type {(compile: () => WebAssembly.Module) => (drop?: boolean) => typeof glue}
 */
export function linkerOf(compile) {
  /** @type {{ memory: WebAssembly.Memory } | undefined} */
  let linked;
  return (drop) => {
    if (drop) {
      // The glue keeps views of the memory. To grow it, if by nothing, detaches them: it makes new ones.
      linked?.memory.grow(0);
      linked = undefined;
    } else if (linked === undefined) {
      const exports = instantiate(compile, { './lab_bg.js': glue });
      glue.__wbg_set_wasm(exports);
      exports.__wbindgen_start();
      linked = exports;
    }
    return glue;
  };
}

/** Makes an instance. @type {(compile: () => WebAssembly.Module, imports: WebAssembly.Imports) => any} */
function instantiate(compile, imports) {
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
