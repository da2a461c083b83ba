// @ts-check
// Options of the parts: read once, checked, all problems reported at once.

import { MAX_PROBLEMS, errorOf, problemOf, unknown } from '../options/messages.js';
import { readOnly } from '../options/settings.js';

/** @typedef {readonly [types: string, rule: string, allows: (value: any, ...rest: any) => boolean]} Rule */

/**
 * Returns the caller's own options.
 * @param {unknown} options
 * @param {Record<string, Rule>} rules
 * @param {Record<string, string>} [foreign] their names in other packages, each with the name here
 */
export function readPart(options, rules, foreign) {
  const given = readOnly(options);
  /** @type {Error[]} */
  const problems = [];
  for (const name of Object.keys(given)) {
    if (problems.length >= MAX_PROBLEMS) break;
    if (!Object.hasOwn(rules, name)) problems.push(unknown(name, Object.keys(rules), foreign?.[name]));
    else if (!rules[name][2](given[name])) problems.push(problemOf(name, given[name], rules[name]));
  }
  if (problems.length > 0) throw errorOf(problems);
  return given;
}
