// The core as `wasm-pack build` links it. The entry points import this module; in the npm package another one stands in
// its place, by form (xtask/npm/artefacts.mjs).

/** @type {import('../options/settings.js').Core | undefined} */
let core;

/** @type {import('../options/settings.js').Load} */
export const load = () => {
  if (core === undefined) throw new Error('rejitter: call init() first, and await it: it loads the wasm file');
  return core;
};

/** Takes an instance's raw exports. The core keeps no state, so any instance may answer. @param {any} exports */
export function bind(exports) {
  core = exports;
}
