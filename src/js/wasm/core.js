// The core as `wasm-pack build` links it. In the npm package another module stands in its place, by form
// (xtask/npm/artefacts.mjs).

/** The exports of src/bindings/core.rs. @typedef {Record<'decide' | 'draw', (...numbers: number[]) => number>} Core */

/** @type {Core | undefined} */
let core;

/** Returns the core, which is made at the first call. @returns {Core} */
export const load = () => {
  if (core === undefined) throw new Error('rejitter: call init() first, and await it: it loads the wasm file');
  return core;
};

/** Takes an instance's raw exports. The core keeps no state, so any instance may answer. @param {any} exports */
export function bind(exports) {
  core = exports;
}
