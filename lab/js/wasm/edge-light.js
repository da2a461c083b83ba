// The lab's wasm in Vercel's edge runtime, which forbids compiling bytes; with ?module it imports wasm files.

import module from './lab.wasm?module';
import { linkerOf } from './linker.js';

export const link = /* @__PURE__ */ linkerOf(() => module);
