// The long texts of errors, where bytes do not count. In the form for all hosts, long-development.js stands in its
// place.

import { LONG } from './texts.js';

/** @type {typeof LONG | undefined} */
export const texts = LONG;
