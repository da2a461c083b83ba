// @ts-check
// What `fetch` needs beside the core, inlined.

import { compilerOf } from './compile.js';
import text from './http-bytes.js';

export const loadHttp = /* @__PURE__ */ compilerOf(text);
