// @ts-check
// The machines of protection, inlined.

import { compile } from './compile.js';
import { loaderOf } from './loader.js';
import text from './protection-bytes.js';

export const load = /* @__PURE__ */ loaderOf(() => compile(text));
