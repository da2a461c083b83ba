// @ts-check
// What `fetch` needs beside the core, inlined.

import { compilerOf } from './compile.js';
import base64 from './http-bytes.js';

export const loadHttp = /* @__PURE__ */ compilerOf(base64);
