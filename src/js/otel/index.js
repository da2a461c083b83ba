// Spans and metrics of operations, by the application's own @opentelemetry/api. Names of HTTP are those of the semantic
// conventions 1.45; the rest has names of its own.

import { observedFetch } from './fetch.js';
import { Observer } from './observer.js';
import { observed } from './policy.js';

/** @param {any} api of OpenTelemetry, in part or whole @param {{ always?: boolean, keys?: boolean }} [options] */
export function telemetry(api, options = {}) {
  if (Object(api) !== api)
    throw new TypeError(`rejitter: telemetry must be called with the @opentelemetry/api, got ${String(api)}`);
  const observer = new Observer(api, options);
  const { keys, meters } = observer;
  return {
    /** Returns a policy whose operations are observed. @param {any} policy */
    policy: (policy) => observed(observer, policy),

    // The global fetch of the moment may become this one.
    fetch: (/** @type {any} */ createFetch, /** @type {any} */ theirs, inner = globalThis.fetch) =>
      observedFetch(observer, createFetch, theirs, inner),

    /** For the instrumentations of undici and fetch: called with the span of each request. @param {any} span */
    requestHook(span) {
      const at = observer.find();
      if (at === undefined || at.number === 0) return;
      if (at.number > 1) span.setAttribute('http.request.resend_count', at.number - 1);
      at.trace.sends(span, at.number);
    },

    /** For `onEvent` of `protect`: shows holds, in spans if operations are known. @param {any} event */
    onEvent({ type, key, holdMs }) {
      if (type !== 'held') return;
      const at = observer.find();
      if (at) at.trace.pauses('hold', holdMs, { 'rejitter.hold_ms': holdMs });
      else meters.record('hold.duration', holdMs, meters.counts(undefined, keys ? key : undefined).labels);
    },

    /** Observes budgets and breakers. @param {any} protection @param {string} name */
    protection: (protection, name) => meters.protection(protection, name, keys),
  };
}
