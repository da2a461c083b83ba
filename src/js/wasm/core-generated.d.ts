/** The core as JavaScript. The build makes the module of core.wasm (xtask/npm/javascript.mjs). */
export const decide: (...numbers: number[]) => number;
export const draw: (...numbers: number[]) => number;
