// Error messages: what an option must be, what the caller gave, and what was probably meant. Without the long texts,
// a message has the option's name and the value.

import { POLICY } from '../marks.js';
import { texts } from './long.js';

/** Problems that one error lists at most. */
export const MAX_PROBLEMS = 10;

/** Starts each message of this package, once: in a log, it names the owner. */
const PREFIX = 'rejitter: ';

/** @param {new (message: string) => Error} kind @param {string} text */
export function failure(kind, text) {
  return new kind(PREFIX + text);
}

/** @typedef {readonly [types: string, rule: import('./texts.js').Of, detail?: unknown, isHidden?: boolean]} Expected */

/**
 * Returns the error for an invalid value, which `shown` describes.
 * @type {(name: string, value: unknown, rule: Expected, verb?: string, shown?: string) => Error}
 */
export function problemOf(name, value, [types, rule, detail], verb = 'be', shown = showAs(name, value)) {
  const kind = types.split(' ').includes(typeof value) ? RangeError : TypeError;
  return failure(kind, texts?.must(name, verb, rule, detail, shown, value) ?? `${name}: invalid ${shown}`);
}

/** A seed or a key may be a secret. @param {string} name @param {unknown} value */
function showAs(name, value) {
  return typeof value === 'string' && /^(seed|idem)/.test(name) ? `a string of length ${value.length}` : show(value);
}

/** Returns the error for another mistake. @type {(name: string, rule: string, detail?: unknown) => Error} */
export function mistake(name, rule, detail) {
  return failure(TypeError, texts?.sentence(rule, detail) ?? `${name}: invalid`);
}

/** @param {string} name @param {unknown} value @param {string} because a rule @param {unknown} [detail] */
export function leftOut(name, value, because, detail) {
  const shown = show(value);
  return failure(TypeError, texts?.omitted(name, shown, because, detail) ?? `${name}: invalid ${shown}`);
}

/** @param {string} name @param {import('./reader.js').Rules} rules @param {string} [part] of protection */
export function unknown(name, rules, part) {
  if (name === POLICY) return mistake('options', 'aPolicy');
  const shown = show(name);
  return failure(TypeError, texts?.unknownOption(shown, name, rules, part) ?? `unknown option ${shown}`);
}

/** Joins problems to one error. @param {Error[]} problems */
export function errorOf(problems) {
  const kind = problems.every((problem) => problem instanceof RangeError) ? RangeError : TypeError;
  const all = problems.map((problem) => problem.message.replace(PREFIX, '')).join('; ');
  return failure(kind, texts?.joined(all, problems.length >= MAX_PROBLEMS) ?? all);
}

/** Describes a value, without running any of the caller's code. @param {unknown} value */
export function show(value) {
  switch (typeof value) {
    case 'string':
      // JSON escapes the control characters of ASCII only, and makes six characters of one.
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)
        .replace(/[\x7f-\x9f]/g, '?')
        .slice(0, 100);
    case 'bigint':
      // The digits of a long one take seconds.
      return value < 1e40 && value > -1e40 ? `${value}n` : 'a long bigint';
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    case 'object':
      return value === null ? 'null' : kindOf(value);
    default:
      return Object.is(value, -0) ? '-0' : String(value);
  }
}

/** Returns its message if it can be read: callers throw any value. @type {(error: any, otherwise: string) => string} */
export function messageOf(error, otherwise) {
  try {
    const message = error instanceof Error && error.message;
    return typeof message === 'string' ? message : otherwise;
  } catch {
    return otherwise;
  }
}

/** @param {object} value */
function kindOf(value) {
  try {
    if (Array.isArray(value)) return 'an array';
    if (value instanceof Promise) return 'a promise';
  } catch {
    // A revoked proxy is neither.
  }
  return 'an object';
}
