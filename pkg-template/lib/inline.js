// @ts-check
// The core for every host that compiles bytes: Node, browsers, workers, Deno, Bun.

import base64 from './bytes.js';

/** @type {WebAssembly.Exports | undefined} */
let core;

/**
 * Compiles at the first call, synchronously, and not at import: an app that imports the package and
 * never retries pays nothing. A failure is not kept, so the next call tries again.
 *
 * @returns {WebAssembly.Exports}
 */
export function load() {
  return (core ??= new WebAssembly.Instance(compile(base64)).exports);
}

/** @param {string} inlined a wasm file in base64 */
export function compile(inlined) {
  const text = atob(inlined);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    // The bytes are good, so the host refuses: nearly always a Content-Security-Policy. The engines'
    // own messages differ and name the wrong directive ('unsafe-eval').
    throw new Error(
      "rejitter: this host refused to compile WebAssembly. Under a Content-Security-Policy, script-src needs 'wasm-unsafe-eval'.",
      { cause },
    );
  }
}
