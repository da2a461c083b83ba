// @ts-check
// A policy: options that were read once, for any number of operations.

import { isSwitch } from './options/checks.js';
import { fromData, toData } from './options/data.js';
import { POLICY, failure, problemOf } from './options/messages.js';
import { isPreset, presetRule, presets } from './options/presets.js';
import { SWITCH } from './options/rules.js';
import {
  behindOf,
  isSettings,
  readOnly,
  readOptions,
  readOverrides,
  readRunOptions,
  requireFunction,
  settingsOf,
} from './options/settings.js';
import { DelayIterator, delayOf } from './run/delays.js';
import { Metrics } from './run/metrics.js';
import { run } from './run/run.js';

const misused = () =>
  failure(TypeError, 'this must be a RetryPolicy: call policy.run(fn), with the policy before the dot');

/** @typedef {import('./options/settings.js').Behind<Metrics>} Behind */

/**
 * Returns what the policy that a method was called on consists of.
 * @param {unknown} policy
 * @returns {Behind}
 */
function behind(policy) {
  const found = behindOf(policy);
  if (found === undefined) throw misused();
  return found;
}

/**
 * The class over whatever loads the core.
 * @param {import('./options/settings.js').Load} load
 */
export function policyOf(load) {
  const newSettings = settingsOf(load);

  class RetryPolicy {
    /** @param {unknown} [options] options, or settings that were made from some here */
    constructor(options) {
      const settings = isSettings(options) ? options : readOptions(options, newSettings(), {});
      /** @type {Behind} */
      const parts = { settings, operations: 0, metrics: settings.metrics ? new Metrics() : undefined };
      /** @type {any} */ (this)[POLICY] = () => parts;
    }

    /**
     * @param {string} name
     * @param {any} [overrides]
     */
    static preset(name, overrides) {
      if (!isPreset(name)) throw problemOf('preset', name, [typeof name, presetRule()[1]]);
      return make(this, presets()[name], overrides);
    }

    /**
     * @param {unknown} data
     * @param {unknown} [options] over the data
     */
    static fromJSON(data, options) {
      return make(this, fromData(data), options);
    }

    /** @param {unknown} overrides */
    with(overrides) {
      return construct(this?.constructor, readOverrides(overrides, behind(this).settings, {}));
    }

    toJSON() {
      return toData(behind(this).settings);
    }

    /**
     * `console.log` of Node shows this.
     * @param {number} _
     * @param {object} options
     * @param {(value: unknown, options: object) => string} inspect
     */
    [Symbol.for('nodejs.util.inspect.custom')](_, options, inspect) {
      return `RetryPolicy ${inspect(toData(behind(this).settings, true), options)}`;
    }

    /**
     * @param {any} fn
     * @param {any} [options]
     */
    run(fn, options) {
      try {
        const parts = behind(this);
        requireFunction(fn);
        let { settings } = parts;
        let signal;
        let ownSeed;
        if (options !== undefined) ({ settings, signal, ownSeed } = readRunOptions(options, settings));
        return run(settings, fn, ownSeed ? 0 : parts.operations++, parts.metrics, signal);
      } catch (error) {
        return Promise.reject(error);
      }
    }

    /**
     * @param {any} fn
     * @param {any} [options]
     */
    wrap(fn, options) {
      const policy = behind(this);
      requireFunction(fn);
      // A decorator of a method gets a context and no options.
      const { withAttempt = false } = options?.kind === 'method' ? {} : readOnly(options, ['withAttempt']);
      if (!isSwitch(withAttempt)) throw problemOf('withAttempt', withAttempt, SWITCH);
      /**
       * @this {unknown}
       * @param {unknown[]} args
       */
      const wrapped = function (...args) {
        /** @type {import('./run/operation.js').Callback} */
        const call = withAttempt ? (attempt) => fn.call(this, attempt, ...args) : () => fn.apply(this, args);
        return run(policy.settings, call, policy.operations++, policy.metrics);
      };
      const { name, length } = fn;
      return Object.defineProperties(wrapped, {
        name: { value: name, configurable: true },
        length: { value: Math.max(0, length - +withAttempt), configurable: true },
      });
    }

    /** @param {any} [options] */
    delays(options) {
      return new DelayIterator(behind(this).settings, options);
    }

    /**
     * @param {number} k
     * @param {any} [options]
     */
    delayMs(k, options) {
      return delayOf(behind(this).settings, k, options);
    }

    metrics() {
      return behind(this).metrics?.snapshot();
    }
  }

  /**
   * Makes a policy of a subclass without calling its constructor, which may take other arguments.
   * @param {any} Class
   * @param {import('./options/settings.js').Settings} settings
   * @returns {RetryPolicy}
   */
  const construct = (Class, settings) => Reflect.construct(RetryPolicy, [settings], Class ?? RetryPolicy);

  /**
   * @param {any} Class
   * @param {{ capRule: number, options: Record<string, unknown> }} source a preset, or data
   * @param {unknown} overrides
   */
  const make = (Class, { capRule, options }, overrides) => {
    const settings = readOptions(options, settingsOf(load, { capRule })(), {});
    return construct(Class, overrides === undefined ? settings : readOverrides(overrides, settings, {}));
  };

  return RetryPolicy;
}
