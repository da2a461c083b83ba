// A policy: options that were read once, for any number of operations.

import { toData } from '../data/write.js';
import { isObject } from '../options/checks.js';
import { POLICY, SEAM, behindOf } from '../marks.js';
import { mistake } from '../options/messages.js';
import { read } from '../options/reader.js';
import { SWITCH } from '../options/rules.js';
import {
  inheriting,
  readOptions,
  readOverrides,
  readRunOptions,
  requireFunction,
  settingsOf,
} from '../options/settings.js';
import { RULES } from '../options/table.js';
import { delayOf, delaysOf } from './delays.js';
import { Metrics } from './metrics.js';
import { hide } from '../run/report.js';
import { run } from '../run/run.js';

/** @typedef {import('../options/settings.js').Behind<Metrics>} Behind */
/** @typedef {Behind & { run: (fn: any, options?: any, hooks?: object) => Promise<any> }} Parts */

/** Returns the parts of the policy that a method was called on. @param {unknown} policy @returns {Parts} */
function behind(policy) {
  const found = /** @type {Parts | undefined} */ (behindOf(policy));
  if (found) return found;
  throw mistake('this', 'notPolicy');
}

/** Called with a comment: bundlers take a copy by spread for one that may have effects. */
const rulesOfRuns = () => ({ ...RULES, metrics: 'ofPolicy' });
const RUN_RULES = /* @__PURE__ */ rulesOfRuns();

/** Gives a policy its parts, and returns them. @type {(policy: any, settings: Behind['settings']) => Parts} */
function initialised(policy, settings) {
  const metrics = settings.metrics ? new Metrics() : undefined;
  const parts = {
    seam: SEAM,
    settings,
    operations: 0,
    metrics,
    /**
     * Runs an operation, for telemetry with hooks in place of the policy's: as options, they would be checked at each
     * call, which takes longer than all the rest of a first success.
     * @type {(fn: any, options?: any, hooks?: object) => Promise<any>}
     */
    run(fn, options, hooks) {
      requireFunction(fn);
      let own = hooks ? inheriting(settings, hooks) : settings;
      let signal;
      let ownSeed;
      if (options !== undefined) [own, signal, ownSeed] = readRunOptions(options, own, RUN_RULES);
      return run(own, fn, ownSeed ? 0 : parts.operations++, metrics, signal);
    },
  };
  policy[POLICY] = () => parts;
  return parts;
}

/** Returns a function that runs an operation per call. @type {(policy: Parts, fn: any, options: any) => any} */
function wrapped(policy, fn, options) {
  requireFunction(fn);
  // A decorator of a method gets a context and no options.
  const { withAttempt = false } = options?.kind === 'method' ? {} : read(options, { withAttempt: SWITCH });
  /** @this {unknown} @param {unknown[]} args */
  const made = function (...args) {
    /** @type {import('../run/operation.js').Callback} */
    const call = withAttempt ? (attempt) => fn.call(this, attempt, ...args) : () => fn.apply(this, args);
    return policy.run(call);
  };
  hide(made, 'name', fn.name);
  hide(made, 'length', Math.max(0, fn.length - +withAttempt));
  return made;
}

/** Makes the class: in a function, so that a bundle has it only if the app uses it. */
function policyClass() {
  const newSettings = settingsOf();
  const rules = { ...RULES, metrics: SWITCH };

  class RetryPolicy {
    /** The quickest way to them, for `run`. Policies that `with` made have none. */
    #parts;

    /** @param {unknown} [options] */
    constructor(options) {
      this.#parts = initialised(this, readOptions(options, newSettings(), rules));
    }

    /** @param {unknown} overrides */
    with(overrides) {
      const settings = readOverrides(overrides, behind(this).settings, rules);
      // Not by the constructor of a subclass, which may take other arguments.
      const made = Object.create(Object.getPrototypeOf(this));
      initialised(made, settings);
      return made;
    }

    toJSON() {
      return toData(behind(this).settings);
    }

    /** For Node's `console.log`. @type {(_: number, options: object, inspect: Function) => string} */
    [Symbol.for('nodejs.util.inspect.custom')](_, options, inspect) {
      return `RetryPolicy ${inspect(toData(behind(this).settings, true), options)}`;
    }

    /** @param {any} fn @param {any} [options] */
    run(fn, options) {
      try {
        return (isObject(this) && #parts in this ? this.#parts : behind(this)).run(fn, options);
      } catch (error) {
        return Promise.reject(error);
      }
    }

    /** @param {any} fn @param {any} [options] */
    wrap(fn, options) {
      return wrapped(behind(this), fn, options);
    }

    /** @param {any} [options] */
    delays(options) {
      return delaysOf(behind(this).settings, options);
    }

    /** @param {number} k @param {any} [options] */
    delayMs(k, options) {
      return delayOf(behind(this).settings, k, options);
    }

    metrics() {
      return behind(this).metrics?.snapshot();
    }
  }

  return RetryPolicy;
}

// Under the name of the class, bundlers would rename that: stacks would have RetryPolicy2.
const made = /* @__PURE__ */ policyClass();
export { made as RetryPolicy };
