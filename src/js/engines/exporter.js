// @ts-check
// Writes a policy as an engine's own configuration, and lists what that cannot say.

import { settingsOf } from './policy.js';

/**
 * An option that the engine does not follow.
 * @typedef {{ option: string, wanted: unknown, got: unknown, text: string }} Loss
 */

/** Options that change no wait and no attempt, or that each exporter reads by itself. */
const OTHERS =
  /^(version|name|unref|metrics|final.*|backoff|jitter|baseMs|capMs|capRule|factor|stepMs|truncateAt|max[AB].*)$/;

/** Ten years in ms: "no cap" for engines that need one. */
const FOREVER = 315_360_000_000;

/** JSON has no infinity. @param {any} value */
const number = (value) => (value === 'Infinity' ? Infinity : value);

/** One policy on its way to one engine. */
export class Draft {
  /** @type {Loss[]} */
  losses = [];

  /** @param {string} engine @param {any} policy */
  constructor(engine, policy) {
    settingsOf(policy);
    const data = { __proto__: null, ...policy.toJSON() };
    const list = Array.isArray(data.backoff) ? data.backoff.map(number) : undefined;
    const { jitter, capRule = 'bound', truncateAt = 10, factor = 2 } = data;
    const { type = jitter, ratio } = /** @type {any} */ ({ __proto__: null, ...jitter });
    const longest = list ? Math.max(...list) : 0;
    const capMs = number(data.capMs) ?? Math.max(10_000, longest, data.baseMs ?? 0);
    const truncated = data.backoff === 'truncated' ? capMs / 2 ** (truncateAt - 1) : 100;
    this.engine = engine;
    this.policy = policy;
    this.data = data;
    this.backoff = list ? 'a list' : data.backoff;
    this.jitter = type;
    this.ratio = ratio;
    this.capRule = capRule;
    this.factor = factor;
    this.maxAttempts = number(data.maxAttempts);
    this.baseMs = list ? list[0] : (data.baseMs ?? truncated);
    this.capMs = Math.min(capMs, FOREVER);
    this.stepMs = data.stepMs ?? this.baseMs;
    if (this.backoff === 'fixed') this.factor = 1;
    if (this.factor === 1) this.capMs = this.baseMs = Math.min(this.baseMs, this.capMs);
    if (this.backoff === 'truncated') this.capMs = Math.min(this.capMs, this.baseMs * 2 ** (truncateAt - 1));
    if (this.backoff === 'fibonacci') this.factor = 1.618;
    if (list) this.capMs = Math.min(this.capMs, longest);
  }

  /** @param {string} option @param {unknown} wanted @param {unknown} got @param {string} text */
  lose(option, wanted, got, text) {
    this.losses.push(Object.freeze({ option, wanted, got, text: `${option}: ${this.engine} ${text}.` }));
  }

  /**
   * Returns a number within the engine's limits.
   * @param {string} option
   * @param {number} value
   * @param {number} least
   * @param {number} most
   */
  within(option, value, least, most) {
    const got = Math.min(Math.max(value, least), most);
    if (got !== value) this.lose(option, value, got, `allows ${least} to ${most}`);
    return got;
  }

  /**
   * Returns whole seconds, rounded up.
   * @param {string} option
   * @param {number} ms
   * @param {number} most
   * @param {number} [times] the engine multiplies by this
   */
  seconds(option, ms, most, times = 1) {
    const seconds = Math.min(Math.max(1, Math.ceil(ms / 1000 / times)), most);
    const got = seconds * 1000 * times;
    if (got !== ms) this.lose(option, ms, got, `counts whole seconds, between 1 and ${most}`);
    return seconds;
  }

  /** Expects backoffs with a base, a factor and a cap. @param {string[]} [others] */
  exponential(others = []) {
    const known = ['exponential', 'fixed', 'truncated', ...others].includes(this.backoff);
    if (!known || /^(deco|slotted|polly)/.test(this.jitter))
      this.lose('backoff', this.backoff, 'exponential', `multiplies each wait by ${this.factor}`);
  }

  /**
   * The engine's own jitter.
   * @param {string} got
   * @param {string} text
   * @param {string} [capRule]
   * @param {string} [capText]
   */
  draws(got, text, capRule, capText) {
    if (this.jitter !== got) this.lose('jitter', this.jitter, got, text);
    else if (capRule && capRule !== this.capRule)
      this.lose('capMs', this.capMs, this.capMs, /** @type {string} */ (capText));
  }

  /** The factor of engines that double. */
  doubles() {
    if (this.factor !== 2) this.lose('factor', this.factor, 2, 'doubles the waits');
  }
}

/**
 * @template Config
 * @param {string} name of the function
 * @param {string} engine
 * @param {string[]} known further options that the engine has
 * @param {(draft: Draft) => Config} build
 */
export function exporter(name, engine, known, build) {
  const named = {
    /** @param {any} policy @param {{ strict?: boolean }} [options] */
    [name](policy, options) {
      const { strict = false } = /** @type {any} */ ({ __proto__: null, ...options });
      const draft = new Draft(engine, policy);
      const config = build(draft);
      const { data, losses } = draft;
      for (const option of Object.keys(data))
        if (!OTHERS.test(option) && !known.includes(option))
          draft.lose(option, data[option], undefined, 'has no such option');
      if (strict && losses.length > 0)
        throw new RangeError(`rejitter: the policy loses something. ${losses.map(({ text }) => text).join(' ')}`);
      return { config, losses };
    },
  };
  return named[name];
}
