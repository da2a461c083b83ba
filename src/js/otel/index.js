// Spans and metrics of operations, by the application's own @opentelemetry/api. Names of HTTP are those of the semantic
// conventions 1.45; the rest has names of its own.

import { behindOf } from '../marks.js';
import { switchesOf } from '../options/switches.js';
import { metersOf } from './metrics.js';
import { Trace } from './trace.js';
import { VERSION } from './version.js';

/** In the context of an operation or attempt: its place. */
const PLACE = Symbol.for('rejitter.otel');

/** Attempts of a policy, and successes, are seen without hooks, which would cost a first success twice as much. */
const HOOKS = ['onFailure', 'onRetry', 'onGiveUp'];

/** Stand for those of each operation. */
const NONE = Object.fromEntries(HOOKS.map((name) => [name, () => {}]));

/**
 * An attempt's place in a trace: its number, or that of requests sent.
 * @typedef {{ trace: Trace, number: number, span: any }} Place
 */

/** @param {any} api of OpenTelemetry, in part or whole @param {{ always?: boolean, keys?: boolean }} [options] */
export function telemetry(api, options = {}) {
  if (Object(api) !== api)
    throw new TypeError(`rejitter: telemetry must be called with the @opentelemetry/api, got ${String(api)}`);
  const { trace, context, metrics } = ownOf(api);
  const { always, keys } = switchesOf(options, ['always', 'keys']);
  const tracer = trace?.getTracer('rejitter', VERSION);
  const meters = metersOf(metrics);

  /** @returns {Place | undefined} */
  const find = () => context?.active().getValue(PLACE);

  /** Calls `fn` where spans are children of the operation's. @param {Place} place @param {() => any} fn */
  function within(place, fn) {
    const { trace: own, span } = place;
    const parent = span ? trace.setSpan(own.context, span) : own.context;
    return context ? context.with(parent.setValue(PLACE, place), fn) : fn();
  }

  /** Starts the trace of an operation. @param {any} theirs options @param {any} settings @param {string} [key] */
  function begin(theirs, settings, key) {
    const own = new Trace(tracer, meters, context?.active(), theirs?.name ?? settings?.name, keys ? key : undefined);
    if (always) own.begin();
    return own;
  }

  /** Returns a policy whose operations are observed. @param {any} policy */
  function observe(policy) {
    const settings = behindOf(policy)?.settings;
    const made = policy.with(NONE);
    const start = made.run;
    const parts = /** @type {any} */ (behindOf(made));
    const derived = Object.getPrototypeOf(Object.getPrototypeOf(made)) !== Object.prototype;
    /** @param {any} options @param {(attempt: any) => any} call */
    const run = (options, call) => {
      options = options && ownOf(options);
      const own = begin(options, settings, options?.key);
      const place = { trace: own, number: 1, span: own.span };
      const hooks = hooksOf(own, HOOKS, options, settings);
      const attempted = (/** @type {any} */ attempt) => {
        own.onAttempt(attempt);
        const { span } = own;
        const { attempt: number } = attempt;
        // A context costs as much as the rest of an operation: the first attempt has the operation's.
        if (number === 1 && place.span === span) return call(attempt);
        return within({ trace: own, number, span }, () => call(attempt));
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
      return own.settled(within(place, operation));
    };
    made.run = (/** @type {any} */ fn, /** @type {any} */ options) =>
      // The policy has the message for what it does not take.
      typeof fn === 'function' && isOptions(options) ? run(options, fn) : policy.run(fn, options);
    made.wrap = (/** @type {any} */ fn, /** @type {any} */ options) => {
      // The policy's own checks the arguments, and has the function's name and length.
      const own = Object.getOwnPropertyDescriptors(policy.wrap(fn, options));
      const { withAttempt = false } = options ?? {};
      const observed = function (/** @type {any[]} */ ...args) {
        // @ts-expect-error The function may be a method.
        return run(undefined, (attempt) => fn.apply(this, withAttempt ? [attempt, ...args] : args));
      };
      return Object.defineProperties(observed, own);
    };
    made.with = (/** @type {any} */ overrides) => observe(policy.with(overrides));
    return made;
  }

  return {
    policy: observe,

    // The global fetch of the moment may become this one.
    fetch(/** @type {any} */ createFetch, /** @type {any} */ options, inner = globalThis.fetch) {
      const send = createFetch(options, (/** @type {any} */ input, /** @type {any} */ init) => {
        const at = find();
        if (at === undefined) return inner(input, init);
        const { trace: own, number } = at;
        at.number += 1;
        return within({ trace: own, number: number + 1, span: own.span }, () => inner(input, init));
      });
      const settings = behindOf(options)?.settings ?? ownOf(options);
      return (/** @type {any} */ input, /** @type {any} */ init) => {
        if (!isOptions(init?.retry)) return send(input, init);
        const theirs = ownOf(init?.retry);
        const own = begin(theirs, settings, keys ? originOf(input) : undefined);
        const retry = { ...theirs, ...hooksOf(own, ['onAttempt', ...HOOKS], theirs, settings) };
        const place = { trace: own, number: 0, span: own.span };
        return own.settled(within(place, () => send(input, { ...init, retry })));
      };
    },

    /** For the instrumentations of undici and fetch: called with the span of each request. @param {any} span */
    requestHook(span) {
      const at = find();
      if (at === undefined || at.number === 0) return;
      if (at.number > 1) span.setAttribute('http.request.resend_count', at.number - 1);
      at.trace.sends(span, at.number);
    },

    /** For `onEvent` of `protect`: shows holds, in spans if operations are known. @param {any} event */
    onEvent({ type, key, holdMs }) {
      if (type !== 'held') return;
      const at = find();
      if (at) at.trace.pauses('hold', holdMs, { 'rejitter.hold_ms': holdMs });
      else meters.record('hold.duration', holdMs, meters.counts(undefined, keys ? key : undefined).labels);
    },

    /** Observes budgets and breakers. @param {any} protection @param {string} name */
    protection: (protection, name) => meters.protection(protection, name, keys === true),
  };
}

/** @param {any} own @param {string[]} names @param {any} theirs options of the call @param {any} settings */
function hooksOf(own, names, theirs, settings) {
  /** @type {Record<string, (event: any) => unknown>} */
  const found = {};
  for (const name of names) {
    const hook = theirs?.[name] === undefined ? settings?.[name] : theirs[name];
    // Any other value stays where it is, for the message.
    if (hook !== undefined && typeof hook !== 'function') continue;
    found[name] = (event) => {
      own[name](event);
      return hook?.(event);
    };
  }
  return found;
}

/** Returns what is not from Object.prototype, where anything may be. @param {any} options @returns {any} */
const ownOf = (options) => ({ __proto__: null, ...options });

/** @param {any} options */
function isOptions(options) {
  return options === undefined || (typeof options === 'object' && options !== null);
}

/** Returns the origin of a request, if it has one. @param {any} input */
function originOf(input) {
  try {
    return new URL(input.url ?? input, globalThis.location?.href).origin;
  } catch {
    return undefined;
  }
}
