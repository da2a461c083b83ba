/** The core as JavaScript. The build makes the module of core.wasm (xtask/npm/javascript.mjs). */
export function core(): import('../options/settings.js').Core;
