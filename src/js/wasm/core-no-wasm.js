// @ts-check
// The core as JavaScript, for hosts that cannot compile WebAssembly.

import { core } from './core-generated.js';

/** @type {ReturnType<typeof core> | undefined} */
let made;

/** Returns the core. It keeps no state, so that there is never a reason for another one. */
export const load = () => (made ??= converting(core()));

/** Converts arguments to numbers, as wasm does: undefined to NaN. @param {ReturnType<typeof core>} core */
function converting({ decide, draw }) {
  return { decide: (/** @type {any[]} */ ...given) => decide(...given.map(Number)), draw };
}
