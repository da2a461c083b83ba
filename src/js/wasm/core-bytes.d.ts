/** The core's wasm file as text. The build writes the module (xtask/npm/wasm-text.mjs). */
declare const text: string;
export default text;
