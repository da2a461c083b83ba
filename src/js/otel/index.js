// @ts-check
// Spans and metrics of operations, by the application's own @opentelemetry/api. Names of HTTP are those of the semantic
// conventions 1.45; the rest has names of its own.

import { metersOf } from './metrics.js';
import { Trace } from './trace.js';

/** See POLICY in options/messages.js. */
const POLICY = 'rejitter.policy';

/** In the context of an attempt: its trace, and how often the request was sent before. */
const ATTEMPT = Symbol.for('rejitter.otel');

const HOOKS = ['onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp'];

/** @typedef {{ trace: Trace, number: number }} Place */

/**
 * @param {any} api of @opentelemetry/api: `trace`, `context` and `metrics`; what is missing is left out
 * @param {{ always?: boolean, keys?: boolean }} [options]
 */
export function telemetry(api, options) {
  // What these do not have, they must not have from Object.prototype.
  const { trace, context, metrics } = /** @type {any} */ ({ __proto__: null, ...api });
  const { always = false, keys = false } = /** @type {any} */ ({ __proto__: null, ...options });
  const tracer = trace?.getTracer('rejitter');
  const meters = metersOf(metrics?.getMeter('rejitter'), keys);

  /** @returns {Place | undefined} */
  const place = () => context?.active().getValue(ATTEMPT);

  /**
   * Calls `fn` in a context of its own, in which spans are children of the operation's.
   * @param {Trace} own
   * @param {number} number of the attempt
   * @param {() => any} fn
   */
  function within(own, number, fn) {
    if (!context) return fn();
    const parent = own.span ? trace.setSpan(own.context, own.span) : own.context;
    return context.with(parent.setValue(ATTEMPT, { trace: own, number }), fn);
  }

  /** @param {string} [key] */
  const begin = (key) => new Trace(tracer, context?.active(), always, keys ? key : undefined);

  /**
   * Returns hooks that call those of the caller, too.
   * @param {Trace} own
   * @param {any} options of the call
   * @param {any} settings which may inherit theirs
   */
  function hooks(own, options, settings) {
    const hook = (/** @type {string} */ name) => (/** @type {any} */ event) => {
      const fields = { __proto__: null, ...event };
      own.on(name, fields);
      meters.on(name, fields, own);
      return (options?.[name] ?? settings?.[name])?.(event);
    };
    return Object.fromEntries(HOOKS.map((name) => [name, hook(name)]));
  }

  /** @param {any} policy @param {any} fn @param {any} options @param {(attempt: any) => any} call */
  function run(policy, fn, options, call) {
    // Without a callback, the policy has the message.
    if (typeof fn !== 'function') return policy.run(fn, options);
    const own = begin(options?.key);
    const wrapped = (/** @type {any} */ attempt) => within(own, attempt.attempt, () => call(attempt));
    return policy.run(wrapped, { ...options, ...hooks(own, options, settingsOf(policy)) });
  }

  /** Returns a policy whose operations are observed. @param {any} policy */
  function observe(policy) {
    const made = policy.with({});
    made.run = (/** @type {any} */ fn, /** @type {any} */ options) => run(policy, fn, options, fn);
    made.wrap = (/** @type {any} */ fn, /** @type {any} */ options) => {
      // The policy's own checks the arguments, and has the function's name and length.
      const own = Object.getOwnPropertyDescriptors(policy.wrap(fn, options));
      const { withAttempt = false } = options ?? {};
      const observed = function (/** @type {any[]} */ ...args) {
        // @ts-expect-error The function may be a method.
        const call = (attempt) => fn.apply(this, withAttempt ? [attempt, ...args] : args);
        return run(policy, fn, undefined, call);
      };
      return Object.defineProperties(observed, own);
    };
    made.with = (/** @type {any} */ overrides) => observe(policy.with(overrides));
    made.metrics = () => policy.metrics();
    return made;
  }

  return {
    policy: observe,

    /**
     * Makes a fetch whose operations are observed. The global fetch of the moment may become this one.
     * @param {any} createFetch
     * @param {any} [options]
     * @param {any} [inner]
     */
    fetch(createFetch, options, inner = globalThis.fetch) {
      const send = createFetch(options, (/** @type {any} */ input, /** @type {any} */ init) => {
        const at = place();
        const call = () => inner(input, init);
        return at === undefined ? call() : within(at.trace, ++at.number, call);
      });
      const theirs = settingsOf(options) ?? options;
      return (/** @type {any} */ input, /** @type {any} */ init) => {
        const own = begin();
        const retry = { ...init?.retry, ...hooks(own, init?.retry, theirs) };
        return within(own, 0, () => send(input, { ...init, retry }));
      };
    },

    /** For the instrumentations of undici and fetch: called with the span of each request. @param {any} span */
    requestHook(span) {
      const at = place();
      if (at === undefined || at.number === 0) return;
      if (at.number > 1) span.setAttribute('http.request.resend_count', at.number - 1);
      at.trace.sends(span, at.number);
    },

    /** For `onEvent` of `protect`: shows holds in the spans of their operations. @param {any} event */
    onEvent({ type, holdMs }) {
      if (type === 'held') place()?.trace.event('rejitter.held', { 'rejitter.hold_ms': holdMs });
    },

    /** Observes budgets and breakers. */
    protection: meters.protection,
  };
}

/** @param {any} policy */
function settingsOf(policy) {
  return policy?.[POLICY]?.().settings;
}
