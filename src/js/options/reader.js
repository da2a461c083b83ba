// The one reader of options: own properties, each read once, checked by a table, all problems in one error.

import { isObject, isSignal } from './checks.js';
import { MAX_PROBLEMS, errorOf, leftOut, mistake, problemOf, unknown } from './messages.js';

/**
 * A rule says what an option must be. It has the types, apart by spaces, whose invalid values are out of range (a
 * RangeError; any other is a TypeError); what reads a value; its sentence "must be …", or the names that a value may
 * have, unless texts.js knows it by the reader or by the option; and whether no message suggests the option. The reader
 * returns whether the value is valid, or for one that settings hold in another form, these. It adds to the problems
 * what is wrong inside a value, which is valid then.
 * @typedef {readonly [types: string, read: (value: any, name: string, problems: Error[]) => boolean | object,
 *   sentence?: string | string[], isHidden?: boolean]} Rule
 */

/**
 * Options by name; for one that is not taken, the reason or its name in texts.js.
 * @typedef {Readonly<Record<string, Rule | string>>} Rules
 */

/**
 * Reads options by a table. Throws one error that lists every problem. A part of protection is named, for suggestions.
 * @type {(options: any, rules: Rules, part?: string) => Record<string, any>}
 */
export function read(options, rules, part) {
  /** @type {Error[]} */
  const problems = [];
  const target = readInto(options, rules, problems, part);
  if (problems.length > 0) throw errorOf(problems);
  return target;
}

/**
 * The same, adding to the problems. In messages, the section precedes the names of options.
 * @type {(options: any, rules: Rules, problems: Error[], part?: string, section?: string) => Record<string, any>}
 */
export function readInto(options, rules, problems, part, section) {
  /** @type {Record<string, any>} */
  const target = Object.create(null);
  if (options === undefined) return target;
  const given = iterable(options);
  for (const name in given) readOne(name, given[name], rules, target, problems, part, section);
  return target;
}

/**
 * Reads one option into the target.
 * @type {(name: string, value: any, rules: Rules, target: any, problems: Error[], part?: string, section?: string) =>
 *   void}
 */
export function readOne(name, value, rules, target, problems, part, section = '') {
  if (value === undefined || problems.length >= MAX_PROBLEMS) return;
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (typeof rule === 'object') {
    let setting;
    try {
      setting = rule[1](value, name, problems);
    } catch {
      // A value whose getters throw is invalid.
    }
    if (setting === true) target[name] = value;
    else if (setting) Object.assign(target, setting);
    else problems.push(problemOf(section + name, value, rule));
  } else if (rule) {
    problems.push(leftOut(name, value, rule));
  } else {
    problems.push(unknown(name, rules, part));
  }
}

/** Throws if a value breaks a rule. @param {string} name @param {any} value @param {Rule} rule */
export function requireValid(name, value, rule) {
  if (!rule[1](value, name, [])) throw problemOf(name, value, rule);
}

/** Returns the caller's own options, each read once. Nothing is found on a prototype. @type {(options: any) => any} */
export function ownOf(options) {
  return { __proto__: null, ...iterable(options) };
}

/** @param {any} options @param {string} [name] @param {string} [rule] @param {unknown} [detail] */
export function requireObject(options, name = 'options', rule = 'object', detail = undefined) {
  if (!isObject(options) || Array.isArray(options)) throw problemOf(name, options, ['', rule, detail]);
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
    throw mistake('options', isSignal(options) ? 'aSignal' : 'nothingOwn');
  let names = 0;
  for (const _ in options) names++;
  return names === own ? options : { __proto__: null, ...options };
}
