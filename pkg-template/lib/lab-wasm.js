// @ts-check
// Links the lab's wasm with wasm-bindgen's glue: at the first call, synchronously, once.

import * as glue from './lab-glue.js';

/**
 * @param {() => WebAssembly.Module} compile
 * @returns {() => typeof glue} links at its first call; a failure is not kept
 */
export function linkerOf(compile) {
  let linked = false;
  return () => {
    if (!linked) {
      const { exports } = new WebAssembly.Instance(compile(), { './lab_bg.js': glue });
      glue.__wbg_set_wasm(exports);
      /** @type {() => void} */ (exports.__wbindgen_start)();
      linked = true;
    }
    return glue;
  };
}
