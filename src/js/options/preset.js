// @ts-check
// Options that another system documents, or that data hold: a copy by spread carries more than options.

import { ORIGIN } from './codes.js';
import { dropReplaced } from './curve.js';

/**
 * Reads a copy of a preset into settings. `read` reads options.
 * @typedef {(copy: any, settings: Settings, excluded: import('./reader.js').Excluded, read: (options: object,
 *   settings: Settings, adapt?: (settings: Settings) => void) => Settings) => Settings} ReadCopy
 */
/** @typedef {import('./settings.js').Settings} Settings */

/**
 * Returns frozen options. Those that a copy still has are read first, and what it has in their place overrides them: an
 * override of `backoff` or `jitter` drops what belonged to the replaced one.
 * @template {object} Options
 * @param {number} capRule the value that the cap bounds
 * @param {Options} options
 * @returns {Readonly<Options>}
 */
export function preset(capRule, options) {
  /** @type {ReadCopy} */
  const readCopy = (copy, settings, excluded, read) => {
    const kept = Object.create(null);
    const replaced = { __proto__: null, ...copy, [ORIGIN]: undefined };
    for (const [name, value] of Object.entries(options)) {
      const now = replaced[name];
      if (now === value) delete replaced[name];
      // A predicate gives way where a function has another in its place.
      if (now !== undefined && !(typeof value === 'function' && Object.hasOwn(excluded, name))) kept[name] = value;
    }
    settings.capRule = capRule;
    return read(replaced, Object.create(read(kept, settings)), dropReplaced);
  };
  return Object.freeze({ ...options, [ORIGIN]: readCopy });
}
