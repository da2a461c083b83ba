// The long texts of errors, where bytes do not count. For browsers, long-browser.js stands in its place.

import { LONG } from './texts.js';

/** @type {typeof LONG | undefined} */
export const texts = LONG;
