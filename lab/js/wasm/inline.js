// The lab's wasm, inlined, for every host that compiles bytes: Node, browsers, workers, Deno, Bun.

import text from './bytes.js';
import { linkerOf } from './linker.js';

// At the first use of the lab and not at import, which then costs nothing.
export const link = /* @__PURE__ */ linkerOf(() => new WebAssembly.Module(bytesOf(text)));

/**
 * Returns the bytes of a wasm file that the build wrote as text (xtask/npm/wasm-text.mjs): a character from `+` on is a
 * digit, one before it is a prefix, which changes the digit behind it. The array keeps the sums modulo 256.
 * @param {string} text
 */
function bytesOf(text) {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  let prefix = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 43) {
      prefix = code * 85;
    } else {
      bytes[length++] = code - 43 + prefix;
      prefix = 0;
    }
  }
  return bytes.subarray(0, length);
}
