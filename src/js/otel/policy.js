// A policy whose operations are observed.

import { behindOf } from '../marks.js';
import { HOOKS, hooksOf, isOptions, ownOf } from './observer.js';

/** Stand for the hooks of each operation. */
const NONE = Object.fromEntries(HOOKS.map((name) => [name, () => {}]));

/** @param {import('./observer.js').Observer} observer @param {any} policy @returns {any} */
export function observed(observer, policy) {
  const made = policy.with(NONE);
  const run = runOf(observer, policy, made);
  made.run = (/** @type {any} */ fn, /** @type {any} */ options) =>
    // The policy has the message for what it does not take.
    typeof fn === 'function' && isOptions(options) ? run(options, fn) : policy.run(fn, options);
  made.wrap = (/** @type {any} */ fn, /** @type {any} */ options) => {
    // The policy's own checks the arguments, and has the function's name and length.
    const own = Object.getOwnPropertyDescriptors(policy.wrap(fn, options));
    const { withAttempt = false } = options ?? {};
    const wrapped = function (/** @type {any[]} */ ...args) {
      // @ts-expect-error The function may be a method.
      return run(undefined, (attempt) => fn.apply(this, withAttempt ? [attempt, ...args] : args));
    };
    return Object.defineProperties(wrapped, own);
  };
  made.with = (/** @type {any} */ overrides) => observed(observer, policy.with(overrides));
  return made;
}

/**
 * Returns what runs an operation of `policy` by `made`, and observes it.
 * @param {import('./observer.js').Observer} observer @param {any} policy @param {any} made
 */
function runOf(observer, policy, made) {
  const settings = behindOf(policy)?.settings;
  const start = made.run;
  const parts = /** @type {any} */ (behindOf(made));
  const derived = Object.getPrototypeOf(Object.getPrototypeOf(made)) !== Object.prototype;
  return (/** @type {any} */ options, /** @type {(attempt: any) => any} */ call) => {
    options = options && ownOf(options);
    const own = observer.begin(options, settings, options?.key);
    const begun = own.span;
    const hooks = hooksOf(own, HOOKS, options, settings);
    const attempted = (/** @type {any} */ attempt) => {
      own.onAttempt(attempt);
      const { attempt: number } = attempt;
      // A context costs as much as the rest of an operation: the first attempt has the operation's.
      if (number === 1 && begun === own.span) return call(attempt);
      return observer.within(own, number, () => call(attempt));
    };
    // A subclass may have a run of its own, which takes options.
    const asOptions = derived || HOOKS.some((name) => options?.[name] !== undefined);
    const operation = () => {
      if (asOptions) return start.call(made, attempted, { ...options, ...hooks });
      try {
        return parts.run(attempted, options, hooks);
      } catch (error) {
        return Promise.reject(error);
      }
    };
    return own.settled(observer.within(own, 1, operation));
  };
}
