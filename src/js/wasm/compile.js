// The lab's wasm file for every host that compiles bytes: Node, browsers, workers, Deno, Bun.

/**
 * Compiles a wasm file synchronously. Call it at the first use of the lab and not at import, which then costs nothing.
 * @param {string} text a wasm file, as the build writes it (xtask/npm/wasm-text.mjs)
 */
export function compile(text) {
  return new WebAssembly.Module(bytesOf(text));
}

/**
 * Returns the bytes of such a text: a character from `+` on is a digit, one before it is a prefix, which
 * changes the digit behind it. The array keeps the sums modulo 256.
 * @param {string} text
 */
export function bytesOf(text) {
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
