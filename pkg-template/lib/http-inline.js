// @ts-check
// What `fetch` needs beside the core, inlined.

import { compile } from './compile.js';
import text from './http-bytes.js';
import { loaderOf } from './loader.js';

export const loadHttp = /* @__PURE__ */ loaderOf(() => compile(text));
