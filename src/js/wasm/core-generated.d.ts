/** The core as JavaScript. The build makes the module of core.wasm (xtask/npm/no-wasm.mjs). */
export function core(): import('../options/settings.js').Core;
