// @ts-check
// The core, inlined, for rejitter/light: without the loader's advice for hosts that refuse to compile it.

import { compile } from './compile.js';
import text from './core-bytes.js';

/** @type {any} */
let instance;

/** Returns the core, or undefined if the host refuses to compile it. It keeps no state: there is one instance. */
export const load = () => {
  try {
    instance ??= new WebAssembly.Instance(compile(text)).exports;
  } catch (fault) {
    console.warn('rejitter does not retry:', fault);
  }
  return instance;
};
