// @ts-check
// The core, inlined.

import text from './bytes.js';
import { compilerOf } from './compile.js';

export const load = /* @__PURE__ */ compilerOf(text);
