// @ts-check
// A policy: options that were read once, for any number of operations.

import { isSwitch } from './options/checks.js';
import { fromData, toData } from './options/data.js';
import { failure, problemOf } from './options/messages.js';
import { isPreset, presetRule, presets } from './options/presets.js';
import { SWITCH } from './options/rules.js';
import {
  Settings, readOnly, readOptions, readOverrides, readRunOptions, registerPolicy, requireFunction, settingsOf, settingsOfPolicy,
} from './options/settings.js';
import { Delays, delayOf } from './run/delays.js';
import { Metrics } from './run/metrics.js';
import { run } from './run/operation.js';

const newMetrics = () => new Metrics();

const misused = () => failure(TypeError, 'this must be a RetryPolicy: call policy.run(fn), with the policy before the dot');

/**
 * Returns the settings of the policy that a method was called on.
 * @param {unknown} policy
 */
function settingsBehind(policy) {
  const settings = settingsOfPolicy(policy);
  if (settings === undefined) throw misused();
  return settings;
}

/**
 * The class over whatever loads the core.
 * @param {() => import('./run/decision.js').Core} load
 */
export function policyOf(load) {
  const fresh = settingsOf(load, { newMetrics });

  class RetryPolicy {
    /** @type {Settings} */
    #settings;

    /** @param {unknown} [options] options, or settings that were made from some here */
    constructor(options) {
      const settings = options instanceof Settings ? options : readOptions(options, fresh());
      // Its own, also where the settings were made from another policy's.
      settings.counter = { next: 0 };
      if (settings.metrics !== undefined) settings.metrics = newMetrics();
      this.#settings = settings;
      registerPolicy(this, settings);
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
      return construct(this?.constructor, readOverrides(overrides, settingsBehind(this)));
    }

    toJSON() {
      return toData(settingsBehind(this));
    }

    /**
     * `console.log` of Node shows this.
     * @param {number} _
     * @param {object} options
     * @param {(value: unknown, options: object) => string} inspect
     */
    [Symbol.for('nodejs.util.inspect.custom')](_, options, inspect) {
      return `RetryPolicy ${inspect(toData(settingsBehind(this), true), options)}`;
    }

    /**
     * @param {any} fn
     * @param {any} [options]
     */
    run(fn, options) {
      let settings;
      let signal;
      try {
        settings = this.#settings;
        requireFunction(fn);
        if (options !== undefined) ({ settings, signal } = readRunOptions(options, settings));
      } catch (error) {
        return Promise.reject(settings === undefined ? misused() : error);
      }
      return run(settings, fn, signal);
    }

    /**
     * @param {any} fn
     * @param {any} [options]
     */
    wrap(fn, options) {
      const settings = settingsBehind(this);
      requireFunction(fn);
      const { withAttempt = false } = readOnly(options, ['withAttempt']);
      if (!isSwitch(withAttempt)) throw problemOf('withAttempt', withAttempt, SWITCH);
      /**
       * @this {unknown}
       * @param {unknown[]} args
       */
      const wrapped = function (...args) {
        return run(settings, withAttempt ? (attempt) => fn.call(this, attempt, ...args) : () => fn.apply(this, args), undefined);
      };
      const { name, length } = fn;
      return Object.defineProperties(wrapped, {
        name: { value: name, configurable: true },
        length: { value: Math.max(0, length - +withAttempt), configurable: true },
      });
    }

    /** @param {any} [options] */
    delays(options) {
      return new Delays(settingsBehind(this), options);
    }

    /**
     * @param {number} k
     * @param {any} [options]
     */
    delayMs(k, options) {
      return delayOf(settingsBehind(this), k, options);
    }

    metrics() {
      return settingsBehind(this).metrics?.snapshot();
    }
  }

  /**
   * Makes a policy of a subclass without calling its constructor, which may take other arguments.
   * @param {any} Class
   * @param {Settings} settings
   * @returns {RetryPolicy}
   */
  const construct = (Class, settings) => Reflect.construct(RetryPolicy, [settings], Class ?? RetryPolicy);

  /**
   * @param {any} Class
   * @param {{ capRule: number, options: Record<string, unknown> }} source a preset, or data
   * @param {unknown} overrides
   */
  const make = (Class, { capRule, options }, overrides) => {
    const settings = readOptions(options, settingsOf(load, { newMetrics, capRule })());
    return construct(Class, overrides === undefined ? settings : readOverrides(overrides, settings));
  };

  return RetryPolicy;
}
