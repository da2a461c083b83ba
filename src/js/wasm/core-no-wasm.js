// @ts-check
// The core as JavaScript, for hosts that cannot compile WebAssembly.

import { core } from './core-generated.js';

/** @type {ReturnType<typeof core> | undefined} */
let made;

/**
 * Returns the core. It keeps no state, so that there is never a reason for another one. Its functions convert their
 * arguments, as wasm does: undefined and missing ones to NaN.
 */
export const load = () => (made ??= core());
