// The core as WebAssembly, inlined, and behind it the core as JavaScript, for hosts that refuse to compile it.

import text from './core-bytes.js';
import { load as translated } from './core-javascript.js';

/** @import { Core } from './core.js' */

/** @type {Core | undefined} */
let made;

/** Returns the core. It keeps no state, so that it does not matter which form answers. @returns {Core} */
export const load = () => (made ??= compiled() ?? translated());

/** @returns {Core | undefined} */
function compiled() {
  try {
    const exports = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(bytesOf(text))).exports);
    return { decide: orTranslated(exports, 'decide'), draw: orTranslated(exports, 'draw') };
  } catch {
    // A Content-Security-Policy, `--jitless`, an embedder: none of them says anything that an app should hear of.
    return undefined;
  }
}

/** Eight at a time: V8 would optimise a longer loop, which costs more than the loop. @param {string} hex */
function bytesOf(hex) {
  const view = new DataView(new ArrayBuffer(hex.length / 2));
  for (let i = 0; i < view.byteLength; i += 8) view.setBigUint64(i, BigInt(`0x${hex.slice(2 * i, 2 * i + 16)}`));
  return view.buffer;
}

/**
 * Returns an export. A trap may leave the instance in a bad state: from then on the other form answers.
 * @type {(exports: Core, name: keyof Core) => (...numbers: number[]) => number}
 */
function orTranslated(exports, name) {
  return (/** @type {number[]} */ ...numbers) => {
    try {
      return exports[name](...numbers);
    } catch {
      made = translated();
      return made[name](...numbers);
    }
  };
}
