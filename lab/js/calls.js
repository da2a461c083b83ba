// The lab's wasm, as all functions call it.

import { callsOf } from './run.js';
import { link } from './wasm/inline.js';

/** @type {import('./run.js').Calls<import('./index.js').LabCore>} */
export const calls = /* @__PURE__ */ callsOf(link);
