// The lab's wasm in workerd (Cloudflare Workers), which forbids compiling bytes; it imports wasm files as modules.

import module from './lab.wasm';
import { linkerOf } from './linker.js';

export const link = /* @__PURE__ */ linkerOf(() => module);
