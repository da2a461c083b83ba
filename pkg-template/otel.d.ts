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
  trace?: { getTracer(name: string, version?: string): object; setSpan(context: any, span: any): any } | undefined;
  /** Makes the operation's span the parent of others. */
  context?: { active(): any; with(context: any, fn: (...args: any[]) => any): any } | undefined;
  /** Makes counters, histograms and gauges. */
  metrics?: { getMeter(name: string, version?: string): object; getMeterProvider?(): object } | undefined;
}

/** Options of {@link telemetry}. */
export interface TelemetryOptions {
  /**
   * Makes a span for each operation, not only for those that retry or are held.
   *
   * @default false
   * @example `{ always: true }`
   */
  always?: boolean | undefined;
  /**
   * Adds the attribute `rejitter.key`: the option `key` of a run, the origin in `fetch`. Each key is then a time series
   * of its own. Above 600 pairs of name and key, the rest is counted together, as `otel.metric.overflow`.
   *
   * @default false
   * @example `{ keys: true }`
   */
  keys?: boolean | undefined;
}

/** Observes operations. Its functions need no `this`. */
export interface Telemetry {
  /** Returns a copy of a policy whose operations (`run`, `wrap`) are observed. The policy's hooks are called, too. */
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
  /**
   * For the option `onEvent` of `protect`: counts holds in the histogram `rejitter.hold.duration`, and shows them in
   * the spans of their operations, which needs a context manager.
   */
  onEvent(event: ProtectionEvent): void;
  /**
   * Observes a protection under a name: the gauges `rejitter.budget.tokens`, `rejitter.circuit.state` and
   * `rejitter.limiter.queued`. Without `keys`, they show the fewest tokens, the worst state and the longest queue of
   * all keys. If the SDK is registered later, they begin with the first operation after that.
   */
  protection(protection: Protection, name: string): void;
}

/**
 * Makes spans and metrics of operations. Names of HTTP attributes are those of the semantic conventions 1.45.0.
 *
 * An operation that retries or is held has one INTERNAL span, named after the option `name`, with an event for each
 * failed attempt, each wait and each hold. The spans of its requests are made by the instrumentations of the clients.
 * Counters are read when the meter collects, so what was counted before the SDK is registered is not lost. An API that
 * throws changes no operation and skips no hook: its errors go to `console.error`.
 *
 * @throws {TypeError} without an object of the API, and for unknown options
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * import { telemetry } from 'rejitter/otel';
 * const { metrics } = await import('@opentelemetry/api').catch(() => ({}));
 * const observed = telemetry({ metrics });
 * const policy = observed.policy(new RetryPolicy({ name: 'load user' }));
 * ```
 */
export function telemetry(api: OpenTelemetry, options?: TelemetryOptions): Telemetry;
