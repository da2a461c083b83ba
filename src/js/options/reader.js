// @ts-check
// The one reader of options: own properties, each read once, checked by a table, all problems in one error.

import { isObject, isSignal } from './checks.js';
import { MAX_PROBLEMS, errorOf, leftOut, notOptions, problemOf, unknown } from './messages.js';

/**
 * The types whose invalid values are out of range (a RangeError; any other is a TypeError), the end of the sentence
 * "must be …" or its name in texts.js, the check of a value, and a detail of the sentence. `target` holds the value
 * already; a check that keeps it in another form puts that there. A check that has reported its own problem returns
 * true.
 * @typedef {readonly [types: string, rule: string, allows: (value: any, target: any, problems: Error[], name: string) =>
 *   unknown, detail?: unknown]} Rule
 */

/** Options by name. @typedef {Readonly<Record<string, Rule>>} Rules */
/** Options that are not taken, and why. @typedef {Readonly<Record<string, string>>} Excluded */

/** Why `metrics` are not supported where there is only one operation to count. */
export const ONE_OPERATION = 'onlyPolicy';

/**
 * Reads options by a table. Throws one error that lists every problem.
 * @param {any} options
 * @param {Rules} rules
 * @param {string} [part] of protection, which other packages have, too
 * @returns {Record<string, any>}
 */
export function read(options, rules, part) {
  /** @type {Error[]} */
  const problems = [];
  const target = readInto(options, rules, problems, part);
  if (problems.length > 0) throw errorOf(problems);
  return target;
}

/**
 * @param {any} options
 * @param {Rules} rules
 * @param {Error[]} problems where to put what is found
 * @param {string} [part]
 * @param {string} [section] precedes the names of options in messages
 */
export function readInto(options, rules, problems, part, section) {
  /** @type {Record<string, any>} */
  const target = Object.create(null);
  if (options === undefined) return target;
  const given = iterable(options);
  for (const name in given) readOne(name, given[name], rules, target, problems, {}, part, section);
  return target;
}

/**
 * @param {string} name
 * @param {any} value
 * @param {Rules} rules
 * @param {any} target where the value goes
 * @param {Error[]} problems
 * @param {Excluded} excluded
 * @param {string} [part]
 * @param {string} [section]
 */
export function readOne(name, value, rules, target, problems, excluded, part, section = '') {
  if (value === undefined || problems.length >= MAX_PROBLEMS) return;
  // Elsewhere than in a policy, `metrics: false` says nothing new, and what is neither true nor false breaks its rule.
  if (Object.hasOwn(excluded, name) && (value === true || excluded[name] !== ONE_OPERATION)) {
    problems.push(leftOut(name, value, excluded[name]));
  } else if (!Object.hasOwn(rules, name)) {
    const known = Object.keys(rules).filter((known) => !Object.hasOwn(excluded, known));
    problems.push(unknown(name, known, part));
  } else {
    target[name] = value;
    let valid;
    try {
      valid = rules[name][2](value, target, problems, name);
    } catch {
      // A value whose getters throw is invalid.
    }
    if (!valid) problems.push(problemOf(section + name, value, rules[name]));
  }
}

/** Throws if a value breaks a rule. @param {string} name @param {any} value @param {Rule} rule */
export function requireValid(name, value, rule) {
  if (!rule[2](value, {}, [], name)) throw problemOf(name, value, rule);
}

/**
 * Returns the caller's own options, each read once. Without a prototype, so that a name which is not own is not found
 * there either.
 * @param {any} options
 * @returns {any}
 */
export function ownOf(options) {
  return { __proto__: null, ...iterable(options) };
}

/** @param {any} options @param {string} [name] @param {string} [rule] @param {unknown} [detail] */
export function requireObject(options, name = 'options', rule = 'object', detail = undefined) {
  if (!isObject(options) || Array.isArray(options)) throw problemOf(name, options, ['', rule, , detail]);
}

/**
 * Returns options of which a loop finds the own ones only: inherited ones are not options. Calling `hasOwn` for each
 * name would take longer than all the rest of a call. Throws for what is no object of options.
 * @param {any} options
 */
export function iterable(options) {
  requireObject(options);
  const own = Object.keys(options).length;
  const prototype = own === 0 ? Object.getPrototypeOf(options) : null;
  // A signal, a Map: they have no own properties, so their options would be ignored.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw notOptions(isSignal(options) ? 'aSignal' : 'nothingOwn');
  let names = 0;
  for (const _ in options) names++;
  return names === own ? options : { __proto__: null, ...options };
}
