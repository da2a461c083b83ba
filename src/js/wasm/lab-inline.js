// The lab's wasm, inlined.

import { compile } from './compile.js';
import text from './lab-bytes.js';
import { linkerOf } from './linker.js';

export const link = /* @__PURE__ */ linkerOf(() => compile(text));
