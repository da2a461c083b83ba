// Writes a policy as an engine's own configuration, and lists what that cannot say.

import { DEFAULT_CAP_MS } from '../options/codes.js';
import { switchesOf } from '../options/switches.js';
import { settingsOf } from './policy.js';

/** @import { Loss } from '../../../pkg-template/engines.js' */

/** Options that change no wait and no attempt, or that each exporter reads by itself. */
const OTHERS =
  /^(version|name|unref|metrics|final.*|backoff|jitter|baseMs|capMs|capRule|factor|stepMs|truncateAt|max[AB].*)$/;

/** Options that matter to a job of one attempt, after which there is no wait. */
const WITHOUT_WAITS = /^maxAttempts$|TimeoutMs$/;

/** Ten years in ms: "no cap" for engines that need one. Beyond them, nothing is lost. */
export const FOREVER = 315_360_000_000;

/** The greatest number in 32 bits, as which engines keep their counts. */
export const MOST_INT = 2 ** 31 - 1;

/** JSON has no infinity. @param {any} value */
const number = (value) => (value === 'Infinity' ? Infinity : value);

/** One policy on its way to one engine. */
export class Draft {
  /** @type {Loss[]} */
  losses = [];

  /** @param {string} engine @param {any} policy */
  constructor(engine, policy) {
    settingsOf(policy);
    const data = Object.assign(Object.create(null), policy.toJSON());
    /** @type {number[] | undefined} */
    const list = Array.isArray(data.backoff) ? data.backoff.map(number) : undefined;
    const { jitter, capRule = 'bound', factor = 2 } = data;
    const named = typeof jitter === 'string';
    const longest = list ? Math.max(...list) : 0;
    const capMs = number(data.capMs) ?? Math.max(DEFAULT_CAP_MS, longest, data.baseMs ?? 0);
    const bare = policy.with({ jitter: 'none', minMs: 0 });
    this.engine = engine;
    this.policy = policy;
    this.data = data;
    this.list = list;
    this.backoff = list ? 'a list' : data.backoff;
    this.jitter = named ? jitter : jitter.type;
    this.ratio = named || !Object.hasOwn(jitter, 'ratio') ? undefined : jitter.ratio;
    this.capRule = capRule;
    this.factor = factor;
    this.maxAttempts = number(data.maxAttempts);
    this.baseMs = list ? list[0] : bare.delayMs(1);
    this.capMs = capMs;
    this.stepMs = data.stepMs ?? this.baseMs;
    if (this.backoff === 'fixed') this.factor = 1;
    if (this.factor === 1) this.capMs = this.baseMs = Math.min(this.baseMs, this.capMs);
    // No later wait is longer.
    if (this.backoff === 'truncated') this.capMs = bare.delayMs(1024);
    if (this.backoff === 'fibonacci') this.factor = 1.618;
    if (list) this.capMs = Math.min(this.capMs, longest);
    /** The last wait without its cap and jitter. */
    this.lastMs = this.baseMs;
    const growths = Math.max(0, this.maxAttempts - 2);
    if (list) this.lastMs = Infinity;
    else if (this.backoff === 'linear') this.lastMs += this.stepMs * growths || 0;
    else if (this.factor !== 1) this.lastMs *= this.factor ** growths || 0;
  }

  /** @param {string} option @param {unknown} wanted @param {unknown} got @param {string} text */
  lose(option, wanted, got, text) {
    if (this.maxAttempts === 1 && !WITHOUT_WAITS.test(option)) return;
    this.losses.push(Object.freeze({ option, wanted, got, text: `${option}: ${this.engine} ${text}.` }));
  }

  /**
   * Returns a number within the engine's limits, which has multiples of `step`. A cap is lost only if waits come to it.
   * @param {string} option @param {number} value @param {number} least @param {number} most @param {number} [step]
   */
  within(option, value, least, most, step = 0) {
    const whole = step && value < Infinity ? Math.ceil(value / step) * step : value;
    const got = Math.min(Math.max(whole, least), most);
    const unseen = option === 'capMs' && Math.min(this.lastMs, FOREVER) <= Math.min(got, value);
    const steps = step ? ` in steps of ${step}` : '';
    if (got !== value && !unseen) this.lose(option, value, got, `allows ${least} to ${most}${steps}`);
    return got;
  }

  /**
   * Returns whole seconds, rounded up, which the engine multiplies by `times`.
   * @param {string} option @param {number} ms @param {number} most @param {number} [least] @param {number} [times]
   */
  seconds(option, ms, most, least = 1, times = 1) {
    const second = 1000 * times;
    return this.within(option, ms, least * second, most * second, second) / second;
  }

  /** Expects backoffs with a base, a factor and a cap. Other curves of jitters are lost as jitters. */
  exponential(other = 'truncated') {
    if (!['exponential', 'fixed', 'truncated', other].includes(this.backoff))
      this.lose('backoff', this.backoff, 'exponential', `multiplies each wait by ${this.factor}`);
  }

  /**
   * The engine's own jitter. Its greatest draw is `peak` times the wait.
   * @param {string} got @param {string} text @param {string} [capRule] @param {string} [capText] @param {number} [peak]
   */
  draws(got, text, capRule = this.capRule, capText = '', peak = 1) {
    if (this.jitter !== got) this.lose('jitter', this.jitter, got, text);
    else if (capRule !== this.capRule && this.lastMs * peak > this.capMs)
      this.lose('capMs', this.capMs, this.capMs, capText);
  }

  doubles() {
    if (this.factor !== 2) this.lose('factor', this.factor, 2, 'doubles the waits');
  }
}

/**
 * Returns a function of this name, for an engine that knows further options.
 * @type {<Config>(name: string, engine: string, known: string[], build: (draft: Draft) => Config) =>
 *   (policy: any, options?: { strict?: boolean }) => { config: Config, losses: Loss[] }}
 */
export function exporter(name, engine, known, build) {
  const named = {
    /** @param {any} policy @param {{ strict?: boolean }} [options] */
    [name](policy, options = {}) {
      const { strict } = switchesOf(options, ['strict']);
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
