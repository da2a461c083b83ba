/** The compiled core, in hosts that import wasm files as modules. */
declare const core: WebAssembly.Module;
export default core;
