// Links the lab's wasm with wasm-bindgen's glue: at the first call, synchronously, once.

import * as glue from './lab-glue.js';
import { instantiate } from './loader.js';

/**
 * @param {() => WebAssembly.Module} compile
 * @returns {(drop?: boolean) => typeof glue} links at its first call, and at the first after it dropped the
 *   instance; a failure is not kept
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
