// @ts-check
// A policy: options that were read once, for any number of operations.

import { fromData, toData } from './data.js';
import { Delays } from './delays.js';
import { Metrics } from './metrics.js';
import { run } from './operation.js';
import { Settings, readOnly, readOptions, readRunOptions, registerPolicy, requireFunction, settingsOf } from './options.js';
import { isPreset, presetRule, presets } from './presets.js';
import { problemOf } from './rules.js';

const newMetrics = () => new Metrics();

/**
 * The class over whatever loads the core.
 * @param {() => import('./decision.js').Core} load
 */
export function policyOf(load) {
  const fresh = settingsOf(load, { newMetrics });
  /** @param {unknown} options @param {number} capRule */
  const read = (options, capRule) => readOptions(options, settingsOf(load, { newMetrics, capRule })());

  return class RetryPolicy {
    /** @type {import('./options.js').Settings} */
    #settings;

    /** @param {unknown} [options] options, or settings that were made from some here */
    constructor(options) {
      this.#settings = options instanceof Settings ? options : readOptions(options, fresh());
      this.#settings.counter = { next: 0 };
      registerPolicy(this, this.#settings);
    }

    /**
     * @param {string} name
     * @param {any} [overrides]
     */
    static preset(name, overrides) {
      if (!isPreset(name)) throw problemOf('preset', name, [typeof name, presetRule()[1]]);
      const { capRule, options } = presets()[name];
      return new RetryPolicy(read({ ...options, ...readOnly(overrides) }, capRule));
    }

    /** @param {unknown} data */
    static fromJSON(data) {
      const { capRule, options } = fromData(data);
      return new RetryPolicy(read(options, capRule));
    }

    toJSON() {
      return toData(this.#settings);
    }

    /**
     * @param {any} fn
     * @param {any} [options]
     */
    run(fn, options) {
      let signal;
      try {
        requireFunction(fn);
        signal = readRunOptions(options);
      } catch (error) {
        return Promise.reject(error);
      }
      return run(this.#settings, fn, signal);
    }

    /** @param {any} fn */
    wrap(fn) {
      requireFunction(fn);
      const settings = this.#settings;
      /**
       * @this {unknown}
       * @param {unknown[]} args
       */
      return function (...args) {
        return run(settings, () => fn.apply(this, args), undefined);
      };
    }

    /** @param {any} [options] */
    delays(options) {
      return new Delays(this.#settings, options);
    }

    metrics() {
      return this.#settings.metrics?.snapshot();
    }
  };
}
