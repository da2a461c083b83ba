// The core's wasm file as text, which the build writes (xtask/npm/wasm-text.mjs).
declare module '*/core-bytes.js' {
  const text: string;
  export default text;
}
