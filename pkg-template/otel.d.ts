/**
 * Spans and metrics of operations, by the application's own `@opentelemetry/api`.
 *
 * @module rejitter/otel
 */

import type { FetchOptions, createFetch } from './fetch.js';
import type { RetryPolicy } from './index.js';
import type { Protection, ProtectionEvent } from './protection.js';

/**
 * Members of `@opentelemetry/api`. What is missing is not done: without `metrics` there are no metrics, without
 * `trace` no spans, without `context` the spans of requests are not children of the operation's span and have no
 * `http.request.resend_count`.
 */
export interface OpenTelemetry {
  /** Makes spans. */
  trace?: { getTracer(name: string): object; setSpan(context: any, span: any): any } | undefined;
  /** Makes the operation's span the parent of others. */
  context?: { active(): any; with(context: any, fn: (...args: any[]) => any): any } | undefined;
  /** Makes counters, a histogram and gauges. */
  metrics?: { getMeter(name: string): object } | undefined;
}

/** Options of {@link telemetry}. */
export interface TelemetryOptions {
  /**
   * Makes a span for each operation, not only for those that retry.
   *
   * @default false
   * @example `{ always: true }`
   */
  always?: boolean | undefined;
  /**
   * Adds the attribute `rejitter.key`. Each key of a protection is then a time series of its own.
   *
   * @default false
   * @example `{ keys: true }`
   */
  keys?: boolean | undefined;
}

/** Observes operations. Its functions need no `this`. */
export interface Telemetry {
  /** Returns a copy of a policy whose operations (`run`, `wrap`) are observed. The policy's own hooks are called, too. */
  policy<Policy extends RetryPolicy>(policy: Policy): Policy;
  /**
   * Calls `createFetch` with these arguments. The operations of the fetch that it returns are observed. `fetch`
   * defaults to the global fetch at this call.
   */
  fetch(
    create: typeof createFetch,
    options?: FetchOptions | RetryPolicy,
    fetch?: typeof globalThis.fetch,
  ): ReturnType<typeof createFetch>;
  /**
   * For the option `requestHook` of the instrumentations of undici and of fetch: sets `http.request.resend_count`, and
   * links a hedge to the first request.
   */
  requestHook(span: any): void;
  /** For the option `onEvent` of `protect`: shows holds in the spans of their operations. Needs a context manager. */
  onEvent(event: ProtectionEvent): void;
  /**
   * Observes a protection under a name: the gauges `rejitter.budget.tokens` and `rejitter.circuit.state`. Without
   * `keys`, they show the fewest tokens and the worst state of all keys.
   */
  protection(protection: Protection, name: string): void;
}

/**
 * Makes spans and metrics of operations. Names of HTTP attributes are those of the semantic conventions 1.45.0.
 *
 * An operation that retries has one INTERNAL span, named after the option `name`, with an event for each failed
 * attempt and each wait. The spans of its requests are made by the instrumentations of the clients.
 *
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * import { telemetry } from 'rejitter/otel';
 * const counted = { add() {}, record() {}, addCallback() {} };
 * const meter = { createCounter: () => counted, createHistogram: () => counted, createObservableGauge: () => counted };
 * const observed = telemetry({ metrics: { getMeter: () => meter } }); // an app passes its API
 * const policy = observed.policy(new RetryPolicy({ name: 'load user' }));
 * ```
 */
export function telemetry(api: OpenTelemetry, options?: TelemetryOptions): Telemetry;
