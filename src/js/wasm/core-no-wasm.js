// @ts-check
// The core as JavaScript, for hosts that cannot compile WebAssembly.

import { core } from './core-generated.js';

/** @type {ReturnType<typeof core> | undefined} */
let made;

/** Returns the core. It keeps no state, so that there is never a reason for another one. */
export const load = () => (made ??= converting(core()));

/** Converts arguments to numbers, as wasm does: undefined and missing ones to NaN. @param {ReturnType<typeof core>} core */
function converting({ decide, draw }) {
  const { length } = decide;
  return { decide: (/** @type {any[]} */ ...given) => decide(...Array.from({ length }, (_, i) => +given[i])), draw };
}
