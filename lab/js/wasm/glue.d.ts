/** The module that wasm-bindgen writes: the lab's functions, which JavaScript calls, and what the wasm imports. */
declare const glue: import('../index.js').LabCore & { __wbg_set_wasm(exports: unknown): void };
export = glue;
