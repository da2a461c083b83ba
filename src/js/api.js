// @ts-check
// The public functions, over whatever loads the core: each host has its own way to the wasm.

import { fromData, toData } from './data.js';
import { Delays } from './delays.js';
import { Metrics } from './metrics.js';
import { run } from './operation.js';
import { Settings, defaults, readOnly, readOptions, readRunOptions, requireFunction } from './options.js';
import { PRESETS } from './presets.js';
import { DECORRELATED, EQUAL, EXPONENTIAL, FIXED, FULL, LINEAR, NONE, TRUNCATED, show } from './rules.js';

// What needs no core.
export { isPermanent, permanent, retryAfter } from './marks.js';
export { RetryError, TimeoutError, retryReport } from './report.js';

const newMetrics = () => new Metrics();

/** @param {() => import('./decision.js').Core} load */
export function createApi(load) {
  const standard = defaults(load);
  const fullJitter = defaults(load, { jitter: FULL, named: 'jitter' });
  const equalJitter = defaults(load, { jitter: EQUAL, named: 'jitter' });
  const decorrelatedJitter = defaults(load, { jitter: DECORRELATED, named: 'jitter' });
  const exponentialBackoff = defaults(load, { backoff: EXPONENTIAL, jitter: NONE, named: 'backoff' });
  const linearBackoff = defaults(load, { backoff: LINEAR, jitter: NONE, named: 'backoff' });
  const fixedDelay = defaults(load, { backoff: FIXED, jitter: NONE, named: 'backoff' });
  const truncatedBackoff = defaults(load, { backoff: TRUNCATED, maxAttempts: Infinity, named: 'backoff' });

  class RetryPolicy {
    /** @type {Settings} */
    #settings;

    /** @param {unknown} [options] options, or settings that were made from some here */
    constructor(options) {
      this.#settings = options instanceof Settings ? options : readOptions(options, standard, newMetrics);
    }

    /**
     * @param {string} name
     * @param {any} [overrides]
     */
    static preset(name, overrides) {
      if (!Object.hasOwn(PRESETS, name)) throw new RangeError(`preset is ${show(name)}; it must be one of ${Object.keys(PRESETS).join(', ')}`);
      const { capRule = 0, options } = PRESETS[name];
      return new RetryPolicy(readOptions({ ...options, ...readOnly(overrides) }, defaults(load, { capRule }), newMetrics));
    }

    /** @param {unknown} data */
    static fromJSON(data) {
      const { capRule, options } = fromData(data);
      return new RetryPolicy(readOptions(options, defaults(load, { capRule }), newMetrics));
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
  }

  return {
    RetryPolicy,
    /** @param {any} fn @param {any} [options] */
    retry: (fn, options) => once(fn, options, standard),
    /** @param {any} fn @param {any} [options] */
    retryWithFullJitter: (fn, options) => once(fn, options, fullJitter),
    /** @param {any} fn @param {any} [options] */
    retryWithEqualJitter: (fn, options) => once(fn, options, equalJitter),
    /** @param {any} fn @param {any} [options] */
    retryWithDecorrelatedJitter: (fn, options) => once(fn, options, decorrelatedJitter),
    /** @param {any} fn @param {any} [options] */
    retryWithExponentialBackoff: (fn, options) => once(fn, options, exponentialBackoff),
    /** @param {any} fn @param {any} [options] */
    retryWithLinearBackoff: (fn, options) => once(fn, options, linearBackoff),
    /** @param {any} fn @param {any} [options] */
    retryWithFixedDelay: (fn, options) => once(fn, options, fixedDelay),
    /** @param {any} fn @param {any} [options] */
    retryWithTruncatedBackoff: (fn, options) => once(fn, options, truncatedBackoff),
  };
}

/**
 * @param {any} fn
 * @param {unknown} options
 * @param {Settings} base
 */
function once(fn, options, base) {
  let settings;
  try {
    requireFunction(fn);
    settings = readOptions(options, base);
  } catch (error) {
    return Promise.reject(error);
  }
  return run(settings, fn, undefined);
}
