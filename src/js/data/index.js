// A policy from JSON data.

import { isObject } from '../options/checks.js';
import { BOUND, CAP_RULES, MAX_LIST } from '../options/codes.js';
import { leftOut, problemOf } from '../options/messages.js';
import { preset } from '../options/preset.js';
import { read, requireObject } from '../options/reader.js';
import { VERSION, isData } from './write.js';

/** @template {new (options?: any) => any} Class @param {Class} RetryPolicy */
export function fromDataOf(RetryPolicy) {
  /** @type {import('../options/reader.js').Rule} */
  const CLASS = ['', (value) => value === RetryPolicy || value?.prototype instanceof RetryPolicy];
  /**
   * Makes a policy without calling a subclass's constructor, which may take other arguments.
   * @type {(data: unknown, options?: unknown) => InstanceType<Class>}
   */
  return function fromData(data, options) {
    const { as = RetryPolicy } = read(options, { as: CLASS });
    return Reflect.construct(RetryPolicy, [optionsOf(data)], as);
  };
}

/** @param {any} data */
function optionsOf(data) {
  requireObject(data, 'the policy', 'madeByToJson', typeof data === 'string');
  const options = { __proto__: null, ...data };
  const { version, capRule = CAP_RULES[BOUND] } = options;
  delete options.version;
  delete options.capRule;
  if (version !== VERSION) throw problemOf('version', version, [typeof version, 'exactly', VERSION]);
  if (!CAP_RULES.includes(capRule)) throw problemOf('capRule', capRule, [typeof capRule, 'oneOf', CAP_RULES]);
  for (const name of Object.keys(options)) {
    const value = options[name];
    if (value === undefined) continue;
    if (typeof value === 'function' || !isData(name)) throw leftOut(name, value, 'notData');
    // In these, it is a text.
    if (name !== 'seed' && name !== 'name') options[name] = number(value);
  }
  // Longer lists are rejected, and need no copy.
  if (Array.isArray(options.backoff) && options.backoff.length <= MAX_LIST)
    options.backoff = options.backoff.map(number);
  const { idleTimeoutMs: idle } = options;
  if (isObject(idle)) options.idleTimeoutMs = { ...idle, firstMs: number(idle.firstMs), thenMs: number(idle.thenMs) };
  options.seed = seedFrom(options.seed);
  return preset(CAP_RULES.indexOf(capRule), options);
}

/** @param {any} seed */
function seedFrom(seed) {
  if (typeof seed !== 'object' || seed === null || Object.keys(seed).join() !== 'bits') return seed;
  const { bits } = seed;
  if (typeof bits !== 'string' || !/^\d+$/.test(bits)) return seed;
  // More digits are only larger, and take long.
  return BigInt(bits.replace(/^0+/, '').slice(0, 21));
}

/** @param {unknown} value */
function number(value) {
  return value === 'Infinity' ? Infinity : value;
}
