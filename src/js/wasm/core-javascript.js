// The core as JavaScript, which every host runs. It keeps no state.

import { decide, draw } from './core-generated.js';

const core = { decide, draw };

/** @type {import('../options/settings.js').Load} */
export const load = () => core;
