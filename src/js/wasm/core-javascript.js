// The core as JavaScript, which every host runs. It keeps no state.

import { decide, draw } from './core-generated.js';

const core = { decide, draw };

/** @returns {import('./core.js').Core} */
export const load = () => core;
