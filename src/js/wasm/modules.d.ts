// Wasm files that hosts import as compiled modules.
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
declare module '*.wasm?module' {
  const module: WebAssembly.Module;
  export default module;
}

// Wasm files as text, which the build writes (xtask/npm/wasm-text.mjs).
declare module '*-bytes.js' {
  const text: string;
  export default text;
}
