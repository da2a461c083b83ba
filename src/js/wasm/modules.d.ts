// The core's wasm file as text, which the build writes (xtask/npm/assemble.mjs).
declare module '*/core-bytes.js' {
  const base64: string;
  export default base64;
}
