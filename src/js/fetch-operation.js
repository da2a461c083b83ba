// @ts-check
// One retried fetch: what its attempts send, and what is made of their outcomes.

import { tagOf } from './fetch-body.js';
import { HttpStatusError } from './fetch-error.js';
import { isKey } from './fetch-options.js';
import { FetchRequest } from './fetch-request.js';
import { discard, keepAbortable } from './fetch-response.js';
import { callHook } from './hooks.js';
import { NETWORK, UNPROCESSED } from './http.js';
import { run } from './operation.js';
import { inheriting } from './options.js';
import { afterMsOf } from './progress.js';
import { RetryError, keepReport } from './report.js';
import { problemOf } from './rules.js';

/** @typedef {import('./attempt.js').Attempt} Attempt */

export class FetchOperation {
  /**
   * @param {import('./fetch-options.js').FetchSettings} settings
   * @param {ReturnType<typeof import('./http.js').createHttp>} http
   * @param {Function | undefined} inner
   * @param {unknown} input
   * @param {unknown} init
   */
  constructor(settings, http, inner, input, init) {
    this.settings = settings;
    this.http = http;
    this.inner = inner;
    this.request = new FetchRequest(input, init, settings.engine.maxAttempts);
    /** @type {Attempt | undefined} the one under way, or the last */
    this.attempt = undefined;
    /** The response that the last attempt brought, unless it was let go of. @type {any} */
    this.response = undefined;
    this.over = false;
    /** The report of an operation that ended with a response which was not good enough. @type {object | undefined} */
    this.report = undefined;
    /** Whether a callback of the caller's own failed, and not the request. */
    this.broken = false;
    /** @type {{ afterMs?: number, stop?: string } | undefined} */
    this.ruling = undefined;
    /** What `onFailure` is told, if the response turns out to be a failure. @type {(() => void) | undefined} */
    this.tellFailure = undefined;

    const { signal, attemptTimeoutMs, totalTimeoutMs } = settings.engine;
    /** Who may abort. */
    this.signals = [...new Set([this.request.signal, signal])].filter((signal) => signal !== undefined);
    /** Whether more than one thing may end an attempt: then it needs a signal of its own. */
    this.ownSignal = attemptTimeoutMs < Infinity || totalTimeoutMs < Infinity || this.signals.length > 1;
    this.engine = this.engineSettings();
    this.addKey();
  }

  /** The engine's settings for this operation alone. */
  engineSettings() {
    const shared = this.settings.engine;
    const engine = inheriting(shared);
    engine.retryIf = (/** @type {unknown} */ error, /** @type {Attempt} */ attempt) => this.judge(undefined, error, attempt);
    engine.retryOnResult = (/** @type {any} */ response, /** @type {Attempt} */ attempt) => this.judge(response, undefined, attempt);
    engine.rule = () => this.ruling;
    engine.hooks = this.hooks(shared.hooks);
    engine.watched = true;
    return engine;
  }

  async run() {
    try {
      const response = await run(this.engine, (attempt) => this.send(attempt), this.request.signal);
      if (this.settings.throwOnStatus && this.report !== undefined) throw this.statusError(response, this.report);
      const signals = this.ownSignal ? this.signals : [];
      if (signals.length > 0 || this.request.isRequest || this.settings.prepare !== undefined) keepAbortable(response, { attempt: /** @type {Attempt} */ (this.attempt), request: this.request }, signals);
      return response;
    } catch (error) {
      if (!gives(error, this.response)) discard(this.response);
      throw error;
    } finally {
      this.over = true;
      this.request.release();
    }
  }

  /**
   * One attempt. Runs synchronously up to the inner fetch, unless a callback of the caller's is
   * waited for.
   * @param {Attempt} attempt
   */
  async send(attempt) {
    this.attempt = attempt;
    this.response = this.ruling = this.tellFailure = undefined;
    const signal = this.signalOf(attempt);
    const { prepare } = this.settings;
    this.broken = this.request.hasFactory;
    const next = this.request.next(attempt.attempt, signal);
    let [input, init] = next instanceof Promise ? await next : next;
    this.broken = false;
    const made = init;
    try {
      if (prepare !== undefined) [input, init] = await this.prepared(prepare, attempt, input, init, signal);
      if (next instanceof Promise || prepare !== undefined) attempt.signal.throwIfAborted();
    } catch (error) {
      // Not sent: what the body comes from, a file, say, would stay open.
      if (this.request.hasFactory) discard(init === made ? init : input);
      throw error;
    }
    const send = this.inner ?? globalThis.fetch;
    const response = await (init === undefined ? send(input) : send(input, init));
    if (this.over || this.attempt !== attempt || (this.ownSignal && attempt.signal.aborted)) {
      // Too late: the operation has gone on without it.
      discard(response);
      return response;
    }
    this.response = response;
    if (this.settings.throwOnStatus && response?.status >= 400) throw new HttpStatusError(response);
    return response;
  }

  /**
   * The signal to pass to the inner fetch in the place of the request's own.
   * @param {Attempt} attempt
   */
  signalOf(attempt) {
    if (this.ownSignal) return attempt.signal;
    return this.request.signal === undefined ? this.signals[0] : undefined;
  }

  /**
   * @param {(request: Request, attempt: Attempt) => unknown} prepare
   * @param {Attempt} attempt
   * @param {any} input
   * @param {any} init
   * @param {AbortSignal | undefined} signal
   */
  async prepared(prepare, attempt, input, init, signal) {
    const request = init === undefined && this.request.isRequest ? input : new Request(input, init);
    this.broken = true;
    const answer = await prepare(request, attempt);
    if (answer !== undefined && tagOf(answer) !== 'Request') {
      throw problemOf('prepare', answer, ['', 'a Request or nothing'], 'return');
    }
    this.broken = false;
    const abort = signal ?? this.request.signal;
    // What hosts add to the second argument may not be part of a Request.
    const extras = this.request.extras();
    const sent = answer ?? request;
    this.request.alive[2] = sent;
    return [sent, abort === undefined && extras === undefined ? undefined : { ...extras, ...(abort && { signal: abort }) }];
  }

  /**
   * What follows an attempt, as the engine's predicates answer it.
   * @param {any} response
   * @param {unknown} error
   * @param {Attempt} attempt
   */
  judge(response, error, attempt) {
    if (error instanceof HttpStatusError && error.response === this.response) response = error.response;
    if (response === undefined && this.broken) {
      this.ruling = { stop: 'callback' };
      return true;
    }
    const { retryOn } = this.settings;
    const failure = response === undefined ? this.http.failureOf(error) : NETWORK;
    const retryable = response === undefined ? failure === NETWORK || failure === UNPROCESSED : this.retriesStatus(response);
    if (typeof retryOn !== 'function') return this.permit(retryable, response, failure, attempt);
    const verdict = retryOn(Object.freeze({ response, error, attempt: attempt.attempt, method: this.request.method, retryable }));
    if (typeof verdict === 'boolean') return this.permit(verdict, response, failure, attempt);
    return Promise.resolve(verdict).then((verdict) => {
      // The engine would refuse it by the name of its own option.
      if (typeof verdict !== 'boolean') afterMsOf(verdict, 'retryOn');
      return this.permit(verdict, response, failure, attempt);
    });
  }

  /** @param {any} response */
  retriesStatus(response) {
    // A mock of fetch may answer with anything.
    const { status, type } = response ?? {};
    const { retryOn, rule } = this.settings;
    if (Array.isArray(retryOn)) return retryOn.includes(status);
    // The core need not be asked about success, nor about a status that is hidden.
    if (typeof status !== 'number' || (status >= 200 && status < 300) || (status === 0 && String(type).startsWith('opaque'))) return false;
    return this.http.retriesStatus(rule, status);
  }

  /**
   * A verdict, unless the request must not, or cannot, be sent again.
   * @param {unknown} verdict
   * @param {any} response
   * @param {number} failure
   * @param {Attempt} attempt
   */
  permit(verdict, response, failure, attempt) {
    if (verdict === false) return false;
    if (failure !== UNPROCESSED && !this.mayRepeat()) return false;
    const { respectRetryAfter, engine } = this.settings;
    const afterMs = response !== undefined && respectRetryAfter ? this.http.hintOf(response) : NaN;
    this.ruling = { afterMs };
    if (!this.request.replays && attempt.attempt < engine.maxAttempts) this.ruling.stop = 'bodyNotReplayable';
    this.tellFailure?.();
    return verdict;
  }

  /** Whether the request may be processed twice. */
  mayRepeat() {
    const { method } = this.request;
    const { methods } = this.settings;
    const listed = methods === undefined ? this.http.isIdempotent(method) : methods.includes(method);
    return listed || this.request.headers.has('idempotency-key');
  }

  /** Gives the request a key by which the server knows its attempts, if it needs one. */
  addKey() {
    const { idempotencyKey } = this.settings;
    const { request, http } = this;
    if (idempotencyKey === undefined || ['GET', 'HEAD'].includes(request.method) || http.isIdempotent(request.method)) return;
    if (request.headers.has('idempotency-key')) return;
    const key = typeof idempotencyKey === 'function' ? idempotencyKey(request.outline()) : idempotencyKey === 'auto' ? uuid() : idempotencyKey;
    if (!isKey(key)) throw problemOf('idempotencyKey', key, ['', 'a string of visible ASCII characters'], 'return');
    request.setHeader('Idempotency-Key', /** @type {string} */ (key));
  }

  /**
   * @param {any} response
   * @param {any} report
   */
  statusError(response, report) {
    const status = new HttpStatusError(response);
    const error = this.settings.engine.finalError === 'wrap' ? new RetryError(status, report) : status;
    // The attempts had results; what the last of them is thrown as belongs to the errors, too.
    if (error instanceof RetryError) error.errors.push(status);
    keepReport(error, report);
    return error;
  }

  /**
   * The caller's hooks, told more; and the end of each response that is not good enough.
   * @param {import('./hooks.js').Hooks | undefined} hooks
   * @returns {import('./hooks.js').Hooks}
   */
  hooks(hooks) {
    /** @type {import('./hooks.js').Hooks} */
    const told = {};
    for (const [name, hook] of Object.entries(hooks ?? {})) {
      told[name] = (event) => hook?.(Object.freeze({ ...event, ...this.known(event) }));
    }
    const { onFailure, onRetry, onGiveUp } = told;
    if (onFailure !== undefined) {
      told.onFailure = (event) => {
        if ('error' in event) return onFailure(event);
        // The engine tells of each response before it is judged; most of them are good.
        this.tellFailure = () => callHook({ onFailure }, 'onFailure', event);
        return undefined;
      };
    }
    told.onGiveUp = (event) => {
      this.report = event.report;
      return onGiveUp?.(event);
    };
    told.onRetry = (event) => {
      try {
        return onRetry?.(event);
      } finally {
        // The engine has decided to try again: nobody will read it.
        discard(this.response);
        this.response = undefined;
      }
    };
    return told;
  }

  /** @param {import('./hooks.js').Event} event */
  known(event) {
    if (!('result' in event) && !('error' in event)) return undefined;
    const status = this.response?.status;
    const hintMs = this.ruling?.afterMs ?? NaN;
    return { ...(status !== undefined && { status }), ...(hintMs >= 0 && { hintMs }) };
  }
}

/**
 * Whether the caller gets this response with the error.
 * @param {unknown} error
 * @param {unknown} response
 */
function gives(error, response) {
  const status = error instanceof RetryError ? error.cause : error;
  return status instanceof HttpStatusError && status.response === response;
}

/** A random UUID, also where there is no `randomUUID`: on pages that are not served over HTTPS. */
function uuid() {
  const { crypto } = globalThis;
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
