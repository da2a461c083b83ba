// @ts-check
// The core, inlined.

import base64 from './bytes.js';
import { compilerOf } from './compile.js';

export const load = /* @__PURE__ */ compilerOf(base64);
