// @ts-check
// The machines of protection as JavaScript, for hosts that cannot compile WebAssembly.

import { core } from './protection-generated.js';

/** @type {ReturnType<typeof core> | undefined} */
let made;

/** Returns the machines. Between two calls they keep no state, so that there is never a reason for others. */
export const load = () => (made ??= core());
