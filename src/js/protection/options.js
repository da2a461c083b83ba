// @ts-check
// Options of the parts: read once, checked, all problems reported at once.

import { MAX_PROBLEMS, errorOf, problemOf, unknown } from '../options/messages.js';
import { readOnly } from '../options/settings.js';

/** @typedef {readonly [types: string, rule: string, allows: (value: any, ...rest: any) => boolean]} Rule */

/**
 * Returns the caller's own options.
 * @param {unknown} options
 * @param {Record<string, Rule>} rules
 * @param {(given: Record<string, any>) => Error | undefined} [compare] returns the problem of options that do not fit
 */
export function readPart(options, rules, compare) {
  const given = readOnly(options);
  /** @type {Error[]} */
  const problems = [];
  for (const name of Object.keys(given)) {
    if (problems.length >= MAX_PROBLEMS) break;
    if (!Object.hasOwn(rules, name)) problems.push(unknown(name, Object.keys(rules)));
    else if (!rules[name][2](given[name])) problems.push(problemOf(name, given[name], rules[name]));
  }
  const conflict = problems.length === 0 ? compare?.(given) : undefined;
  if (conflict !== undefined) problems.push(conflict);
  if (problems.length > 0) throw errorOf(problems);
  return given;
}
