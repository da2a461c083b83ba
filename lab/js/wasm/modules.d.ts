// Wasm files that hosts import as compiled modules.
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
declare module '*.wasm?module' {
  const module: WebAssembly.Module;
  export default module;
}

// The wasm file as text, which the build writes (xtask/npm/wasm-text.mjs).
declare module '*/bytes.js' {
  const text: string;
  export default text;
}

// Node's, in CommonJS: the package has no types of Node.
declare module 'node:fs' {
  export function readFileSync(path: string): Uint8Array<ArrayBuffer>;
}
declare const __dirname: string;
