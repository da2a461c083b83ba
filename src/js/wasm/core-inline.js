// The core as JavaScript, and as WebAssembly, inlined, which takes over once it is compiled: a process's first failure
// does not wait for a compiler, and hosts that refuse to compile keep the first form.

import base64 from './core-bytes.js';
import { decide, draw } from './core-generated.js';

/** @import { Core } from './core.js' */

/** Questions to the core before it is compiled: two failures, with a draw each. A process that fails once does not. */
const BEFORE_COMPILED = 4;
const TRANSLATED = { decide, draw };

let asked = 0;
/** @type {Core} */
let core = TRANSLATED;

/** Returns the core. It keeps no state, so that it does not matter which form answers. @returns {Core} */
export function load() {
  asked += 1;
  if (asked === BEFORE_COMPILED + 1) compile();
  return core;
}

async function compile() {
  try {
    // Hosts of this form have Node's Buffer. Elsewhere that fails, and the other form stays, as below.
    const bytes = /** @type {any} */ (globalThis).Buffer.from(base64, 'base64');
    const { instance } = await WebAssembly.instantiate(bytes);
    const exports = /** @type {any} */ (instance.exports);
    core = { decide: orTranslated(exports.decide, 'decide'), draw: orTranslated(exports.draw, 'draw') };
  } catch {
    // A Content-Security-Policy, `--jitless`, an embedder: none of them says anything that an app should hear of.
  }
}

/**
 * Returns an export. A trap may leave the instance in a bad state: from then on the other form answers.
 * @type {(compiled: Core[keyof Core], name: keyof Core) => Core[keyof Core]}
 */
function orTranslated(compiled, name) {
  return (...numbers) => {
    try {
      return compiled(...numbers);
    } catch {
      core = TRANSLATED;
      return core[name](...numbers);
    }
  };
}
