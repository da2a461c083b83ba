/** Made by the build from the installed package: see wasm-sizes.ts next to vite.config.ts. */
declare module 'virtual:wasm-sizes' {
  export interface WasmSize {
    readonly file: string;
    /** Bytes of the file. */
    readonly raw: number;
    /** Bytes after brotli. */
    readonly brotli: number;
  }
  export const wasmSizes: readonly WasmSize[];
}
