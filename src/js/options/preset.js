// Options that another system documents, or that data hold: a copy by spread carries more than options.

import { ORIGIN } from './codes.js';
import { dropReplaced } from './curve.js';

/** @import { Settings } from './settings.js' */
/** @typedef {typeof import('./settings.js').readOptions} ReadOptions */

/**
 * Reads a copy of a preset into settings. `read` reads plain options, and the rest are its parameters.
 * @typedef {(read: ReadOptions, ...rest: Parameters<ReadOptions>) => Settings} ReadCopy
 */

/**
 * Returns frozen options. Those that a copy still has are read first, and what it has in their place overrides them: an
 * override of `backoff` or `jitter` drops what belonged to the replaced one. The rule says what the cap bounds.
 * @type {<Options extends object>(capRule: number, options: Options) => Readonly<Options>}
 */
export function preset(capRule, options) {
  /** @type {ReadCopy} */
  const readCopy = (read, copy, settings, rules = {}, adapt = undefined) => {
    const kept = Object.create(null);
    const replaced = { __proto__: null, ...copy, [ORIGIN]: undefined };
    for (const [name, value] of Object.entries(options)) {
      const now = replaced[name];
      if (now === value) delete replaced[name];
      // A predicate gives way where a function has another in its place.
      if (now !== undefined && !(typeof value === 'function' && typeof rules[name] === 'string')) kept[name] = value;
    }
    settings.capRule = capRule;
    const own = Object.create(read(kept, settings, rules, adapt));
    /** @type {typeof adapt} */
    const replace = (settings, problems) => {
      adapt?.(settings, problems);
      dropReplaced(settings);
    };
    return read(replaced, own, rules, replace);
  };
  return Object.freeze({ ...options, [ORIGIN]: readCopy });
}
