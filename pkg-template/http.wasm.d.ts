/** The compiled part for fetch, in hosts that import wasm files as modules. */
declare const http: WebAssembly.Module;
export default http;
