// The core as JavaScript, which every host runs.

import { core } from './core-generated.js';

/** @type {ReturnType<typeof core> | undefined} */
let made;

/** Returns the core. It keeps no state, so that there is never a reason for another one. */
export const load = () => (made ??= core());
