// @ts-check
// The core, inlined.

import { compile } from './compile.js';
import text from './core-bytes.js';
import { loaderOf } from './loader.js';

export const load = /* @__PURE__ */ loaderOf(() => compile(text));
