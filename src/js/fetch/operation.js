// @ts-check
// One retried fetch: sends its attempts, and says of each outcome whether another attempt may follow.

import { isLongest } from '../options/checks.js';
import { failure, problemOf } from '../options/messages.js';
import { LONGEST } from '../options/rules.js';
import { readDirectives } from '../run/directives.js';
import { RetryError, keepReport } from '../run/report.js';
import { watch } from '../run/run.js';
import { addressOf, isRequest } from './body.js';
import { HttpStatusError } from './error.js';
import { NETWORK, UNPROCESSED, failureOf, headerOf, isAt, isIdempotent, isSafe, retryAfterMs } from './http.js';
import { isKey } from './options.js';
import { FetchRequest } from './request.js';
import { discard, keepAbortable } from './response.js';
import { FetchSteps } from './steps.js';

/** @typedef {import('../run/attempt.js').Attempt} Attempt */
/** @typedef {import('./steps.js').Ruling} Ruling */

/**
 * The outcome of an attempt.
 * @typedef {object} Outcome
 * @property {any} response undefined if the attempt failed
 * @property {number} failure what is known of a failure without response
 * @property {Attempt} attempt
 */

export class FetchOperation {
  /**
   * @param {import('./options.js').FetchSettings} settings
   * @param {Function} inner
   * @param {unknown} input
   * @param {unknown} init
   */
  constructor(settings, inner, input, init) {
    this.own = settings.own;
    this.common = settings.common;
    this.settings = settings;
    this.inner = inner;
    this.request = new FetchRequest(input, init, this.common.maxAttempts, this.common.protection !== undefined);
    /** @type {Attempt | undefined} the running one, or the last */
    this.attempt = undefined;
    /** The response that the last attempt brought, unless it was cancelled. @type {any} */
    this.response = undefined;
    /** The request that `prepare` returned instead of the one that it got. @type {any} */
    this.replacement = undefined;
    this.over = false;
    /**
     * The report of an operation that ended with a response that should have been retried.
     * @type {object | undefined}
     */
    this.report = undefined;
    /** Whether a callback of the caller's own is making the request: its errors are not the request's. */
    this.preparing = false;
    /** @type {Outcome | undefined} */
    this.outcome = undefined;
    /** @type {Ruling | undefined} */
    this.ruling = undefined;
    /** Name of the option that decided about the outcome. */
    this.asked = 'retryOn';
    /** The wait that the response asks for, if it was read. @type {number | undefined} */
    this.hintMs = undefined;

    const { signal, attemptTimeoutMs, totalTimeoutMs, protection } = this.common;
    /** The signals that abort the operation. */
    this.signals = [...new Set([this.request.signal, signal])].filter((signal) => signal !== undefined);
    /** Whether more than one thing may end an attempt: then it needs a signal of its own. */
    this.ownSignal =
      attemptTimeoutMs < Infinity || totalTimeoutMs < Infinity || this.signals.length > 1 || !!protection?.hedge;
    this.addKey();
    this.mayRepeat = this.repeats();
    this.request.once = !this.mayRepeat;
  }

  async run() {
    try {
      const { shared, ownSeed } = this.settings;
      const index = ownSeed ? 0 : shared.operations++;
      const steps = new FetchSteps(this.common, this, index);
      const response = await watch(steps, shared.metrics, this.request.signal);
      if (this.own.throwOnStatus && this.report !== undefined) throw this.statusError(response, this.report);
      const signals = this.ownSignal ? this.signals : [];
      if (signals.length > 0 || this.request.isRequest || this.own.prepare !== undefined)
        keepAbortable(response, { attempt: /** @type {Attempt} */ (this.attempt), request: this.request }, signals);
      return response;
    } catch (error) {
      if (!gives(error, this.response)) discard(this.response);
      // Who is rejected may send the request elsewhere.
      if (!this.request.isSent && !readDirectives(error).rejected) this.request.drop(error);
      throw error;
    } finally {
      this.over = true;
      this.request.release();
    }
  }

  /**
   * Makes one attempt. Runs synchronously up to the inner fetch, unless it awaits a callback.
   * @param {Attempt} attempt
   */
  async send(attempt) {
    this.attempt = attempt;
    this.reset();
    const signal = this.signalOf(attempt);
    const { prepare } = this.own;
    this.preparing = this.request.hasFactory;
    const next = this.request.next(attempt.attempt, signal);
    let [input, init] = next instanceof Promise ? await next : next;
    this.preparing = false;
    const made = init;
    try {
      if (prepare !== undefined) [input, init] = await this.prepared(prepare, attempt, input, init, signal);
      if (next instanceof Promise || prepare !== undefined) attempt.signal.throwIfAborted();
    } catch (error) {
      // Not sent: what the body comes from, a file, say, would stay open.
      if (this.request.hasFactory) discard(init === made ? init : input);
      throw error;
    }
    const answer = this.inner(input, init);
    this.request.isSent = true;
    const response = await answer;
    if (this.over || this.attempt !== attempt || (this.ownSignal && attempt.signal.aborted)) {
      // Too late: the operation has gone on without it.
      discard(response);
      return response;
    }
    this.response = response;
    if (this.own.throwOnStatus && response?.status >= 400) throw new HttpStatusError(response);
    return response;
  }

  /**
   * Returns the signal to pass to the inner fetch instead of the request's own, or undefined.
   * @param {Attempt} attempt
   */
  signalOf(attempt) {
    if (this.ownSignal) return attempt.signal;
    const { signal, isRequest } = this.request;
    if (signal === undefined) return this.signals[0] ?? (attempt.attempt > 1 ? attempt.signal : undefined);
    // React answers a GET without `init.signal` from memory: no second attempt would reach the server.
    return isRequest && attempt.attempt > 1 ? signal : undefined;
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
    this.preparing = true;
    const answer = await prepare(request, attempt);
    if (answer !== undefined && !isRequest(answer)) {
      throw problemOf('prepare', answer, ['', 'a Request or nothing'], 'return');
    }
    this.preparing = false;
    const abort = signal ?? this.request.signal;
    // Additions of hosts to the second argument may have no place in a Request.
    const extras = this.request.extras();
    this.replacement = answer;
    const sent = answer ?? request;
    this.request.alive[2] = sent;
    return [
      sent,
      abort === undefined && extras === undefined ? undefined : { ...extras, ...(abort && { signal: abort }) },
    ];
  }

  /**
   * Returns the same values as `retryIf` and `retryOnResult`, which this replaces.
   * @param {any} result of the attempt: a response, or an error
   * @param {boolean} failed
   * @param {Attempt} attempt
   */
  ask(result, failed, attempt) {
    const error = failed ? result : undefined;
    const thrown = error instanceof HttpStatusError && error.response === this.response;
    const response = thrown ? error.response : failed ? undefined : result;
    const failure = response === undefined ? failureOf(error, (error) => this.isOwn(error)) : NETWORK;
    this.outcome = { response, failure, attempt };
    if (response === undefined && this.preparing) return true;
    const retryable =
      response === undefined ? failure === NETWORK || failure === UNPROCESSED : this.retriesStatus(response, attempt);
    const { retryOn } = this.own;
    if (typeof retryOn === 'function') {
      this.asked = 'retryOn';
      return retryOn(
        Object.freeze({ response, error, attempt: attempt.attempt, method: this.request.method, retryable }),
      );
    }
    // A policy may have these.
    this.asked = response === undefined ? 'retryIf' : 'retryOnResult';
    const predicate = response === undefined ? this.common.retryIf : this.common.retryOnResult;
    return predicate === undefined || retryOn !== undefined ? retryable : predicate(response ?? error, attempt);
  }

  /** Follows an answer that asks for another attempt: the request must not, or cannot, always be sent again. */
  allowRetry() {
    const { response, failure, attempt } = /** @type {Outcome} */ (this.outcome);
    /** @type {Ruling} */
    const ruling = { retry: true, stop: undefined, hintMs: NaN };
    if (response === undefined && this.preparing) ruling.stop = 'callback';
    else if (failure !== UNPROCESSED && !this.mayRepeat) ruling.retry = false;
    else {
      if (response !== undefined) ruling.hintMs = this.hintOf(response, attempt);
      if (!this.request.replays && attempt.attempt < this.common.maxAttempts) ruling.stop = 'bodyNotReplayable';
      this.ruling = ruling;
    }
    return ruling;
  }

  /**
   * Returns whether an error is about this request's own connection, before its first byte was sent.
   * @param {any} error
   */
  isOwn(error) {
    const request = this.replacement ?? this.request;
    try {
      if (this.replacement === undefined ? this.request.streams : request.body !== null) return false;
      const url = addressOf(this.replacement ?? this.request.input);
      return url !== undefined && isAt(error, url, /^(manual|error)$/.test(request.redirect));
    } catch {
      return false;
    }
  }

  /**
   * @param {any} response
   * @param {Attempt} attempt
   */
  retriesStatus(response, attempt) {
    // A mock of fetch may answer with anything.
    const { status, type, headers } = response ?? {};
    const { retryOn, isTransient } = this.own;
    if (typeof retryOn === 'object') return retryOn.includes(status);
    // The second is a status that is hidden.
    if (
      typeof status !== 'number' ||
      (status >= 200 && status < 300) ||
      (status === 0 && `${type}`.startsWith('opaque'))
    )
      return false;
    const asked = headerOf(headers, 'x-should-retry');
    if (/^(true|false)$/.test(asked)) return asked === 'true';
    // A server that forbids, or finds a body too large, and says when to come back, limits the rate.
    return isTransient(status) || ((status === 403 || status === 413) && this.hintOf(response, attempt) > 0);
  }

  /**
   * Returns the wait that a response asks for, in ms, or NaN.
   * @param {any} response
   * @param {Attempt} attempt
   */
  hintOf(response, attempt) {
    const { hint, respectRetryAfter } = this.own;
    if (this.hintMs === undefined) {
      const ms = hint?.(response, attempt);
      if (ms !== undefined && !isLongest(ms)) throw problemOf('hint', ms, LONGEST, 'return');
      const headers = respectRetryAfter ? retryAfterMs(response) : undefined;
      this.hintMs = ms === undefined ? (headers ?? NaN) : Math.max(ms, headers ?? 0);
    }
    return this.hintMs;
  }

  /** Returns whether the server may process the request twice. */
  repeats() {
    const { method } = this.request;
    const { methods } = this.own;
    return (methods === undefined ? isIdempotent(method) : methods.includes(method)) || this.hasKey;
  }

  /** Whether the server receives a key with the attempts of this request. */
  get hasKey() {
    // Without CORS, browsers drop such a header.
    return this.request.mode !== 'no-cors' && !!this.request.headers.get(this.own.idempotencyHeader);
  }

  /** Sets the key of the request, if it needs one. */
  addKey() {
    const { idempotencyKey, idempotencyHeader } = this.own;
    const { request } = this;
    if (idempotencyKey === undefined || isIdempotent(request.method) || request.mode === 'no-cors' || this.hasKey)
      return;
    const key =
      typeof idempotencyKey === 'function'
        ? idempotencyKey(request.outline())
        : idempotencyKey === 'auto'
          ? uuid()
          : idempotencyKey;
    if (!isKey(key)) throw problemOf('idempotencyKey', key, ['', 'a string of visible ASCII characters'], 'return');
    request.setHeader(idempotencyHeader, /** @type {string} */ (key));
  }

  /**
   * @param {any} response
   * @param {any} report
   */
  statusError(response, report) {
    const status = new HttpStatusError(response);
    const error = this.common.finalError === 'wrap' ? new RetryError(status, report) : status;
    // The attempts had results; what the last of them is thrown as belongs to the errors, too.
    if (error instanceof RetryError) error.errors.push(status);
    keepReport(error, report);
    return error;
  }

  /**
   * Returns the protection of the request's destination: its origin, unless the caller's function names another.
   * @returns {import('../options/seam.js').Protection | undefined}
   */
  get protection() {
    const { protection } = this.common;
    const { protectionKey } = this.own;
    if (protection === undefined) return undefined;
    if (protectionKey === undefined) {
      const { origin } = this.request;
      return origin === undefined ? undefined : protection.of(origin);
    }
    const key = protectionKey(this.request.outline());
    if (key !== null && typeof key !== 'string')
      throw problemOf('protectionKey', key, ['', 'a string or null'], 'return');
    return key === null ? protection : protection.of(key);
  }

  /** Returns the fields of an outcome's events that only `fetch` has. */
  extraFields() {
    const status = this.response?.status;
    const hintMs = this.ruling?.hintMs ?? NaN;
    return { ...(status !== undefined && { status }), ...(hintMs >= 0 && { hintMs }) };
  }

  /** Whether a second attempt may start while a slow one is running: two copies of the request do no more than one. */
  get mayHedge() {
    const { method, replays } = this.request;
    return this.mayRepeat && replays && isSafe(method);
  }

  /** Forgets the last attempt. */
  reset() {
    this.response = this.ruling = this.outcome = this.hintMs = this.replacement = undefined;
  }

  /**
   * Returns a copy for one attempt of a round. What it does not have of its own is the operation's.
   * @returns {FetchOperation}
   */
  beside() {
    this.reset();
    return Object.create(this);
  }

  /**
   * Takes over the state of an attempt of the round.
   * @param {FetchOperation} attempt
   */
  join(attempt) {
    Object.assign(this, attempt);
  }

  /** Another attempt follows, so the response is never read. */
  discard() {
    discard(this.response);
    this.response = undefined;
  }
}

/**
 * Returns whether the caller gets this response with the error.
 * @param {unknown} error
 * @param {unknown} response
 */
function gives(error, response) {
  const status = error instanceof RetryError ? error.cause : error;
  return status instanceof HttpStatusError && status.response === response;
}

/** Returns a random UUID. Pages that are not served over HTTPS have no `randomUUID`. */
function uuid() {
  const { crypto } = globalThis;
  if (crypto === undefined)
    throw failure(
      TypeError,
      "idempotencyKey 'auto' needs crypto, which this host lacks. Pass a function that returns a unique text",
    );
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(36));
  // Version 4: the 8 keeps its upper two bits.
  return '00000000-0000-4000-8000-000000000000'.replace(/[08]/g, (digit, at) =>
    (Number(digit) | (bytes[at] & (digit === '0' ? 15 : 3))).toString(16),
  );
}
