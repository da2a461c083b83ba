// The long texts of errors, unless a bundler knows that this is production: it then drops them.

import { LONG } from './texts.js';

/** @type {typeof LONG | undefined} */
export let texts;

// This statement, and no expression, is what all bundlers fold. A page without a bundler has no `process`: it throws.
try {
  // @ts-expect-error The driver is checked without Node's types: pages have no `process`, and bundlers replace it.
  if (process.env.NODE_ENV !== 'production') texts = LONG;
} catch {
  texts = LONG;
}
