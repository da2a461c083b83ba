// @ts-check
// The attempts of a retried fetch: what is sent, and whether it may be sent again. Without hedges, the attempts of an
// operation are made by one object.

import { problemOf } from '../options/messages.js';
import { emit, outcomeOf } from '../run/events.js';
import { reasonOf } from '../run/signals.js';
import { addressOf, isRequest } from './body.js';
import { HttpStatusError } from './error.js';
import { UNKNOWN, UNPROCESSED, failureOf, isAt, isSafe } from './http.js';
import { sendFrom } from './inner.js';
import { Outcome } from './outcome.js';
import { isRepeatable, keyOf } from './repeats.js';
import { discard } from './response.js';

/** @typedef {import('../run/attempt.js').Attempt} Attempt */
/** @typedef {import('../run/steps.js').Operation} Operation */

export class FetchAttempt {
  #call;
  /** The running attempt, or the last one. @type {Attempt | undefined} */
  attempt;
  /** The response that it brought. @type {any} */
  response;
  /** @type {Outcome | undefined} */
  #outcome;
  /** The request that `prepare` returned instead of the one that it got. @type {any} */
  #replacement;
  /** Whether a callback of the caller's own is making the request: its errors are not the request's. */
  #preparing = false;
  /** Whether the request, as it was sent last, may be sent again. */
  #mayRepeat;
  /** Name of the option that decided about the outcome. */
  askedOption = 'retryOn';

  /** @param {import('./call.js').FetchCall} call @param {boolean} mayRepeat */
  constructor(call, mayRepeat) {
    this.#call = call;
    this.#mayRepeat = mayRepeat;
  }

  get protection() {
    return this.#call.protection;
  }

  get labels() {
    const { method, origin } = this.#call.request;
    return { method, origin };
  }

  /**
   * Makes one attempt. Runs synchronously up to the inner fetch, unless it awaits a callback.
   * @param {Attempt} attempt
   */
  async send(attempt) {
    const { request, settings, place, ownSignal } = this.#call;
    this.attempt = attempt;
    this.response = this.#outcome = this.#replacement = undefined;
    const signal = this.#signalFor(attempt);
    const { prepare, throwOnStatus } = settings;
    this.#preparing = request.hasFactory;
    const next = request.next(attempt.attempt, signal);
    let [input, init] = next instanceof Promise ? await next : next;
    this.#preparing = false;
    const made = init;
    try {
      if (prepare !== undefined) [input, init] = await this.#prepared(prepare, attempt, input, init, signal);
      if ((next instanceof Promise || prepare !== undefined) && attempt.signal.aborted) throw reasonOf(attempt.signal);
    } catch (error) {
      // Not sent: what the body comes from, a file, say, would stay open.
      if (request.hasFactory) discard(init === made ? init : input);
      throw error;
    }
    const answer = sendFrom(place, input, init);
    request.isSent = true;
    const response = await answer;
    if (this.#call.over || this.attempt !== attempt || (ownSignal && attempt.signal.aborted)) {
      // Too late: the operation has gone on without it.
      discard(response);
      return response;
    }
    this.response = response;
    if (throwOnStatus && response?.status >= 400) throw new HttpStatusError(response);
    return response;
  }

  /**
   * Returns the signal to pass to the inner fetch instead of the request's own, or undefined.
   * @param {Attempt} attempt
   */
  #signalFor(attempt) {
    const { request, signals, ownSignal } = this.#call;
    // React answers a GET without `init.signal` from memory: no second attempt would reach the server. Node warns of
    // many listeners of one signal, and keeps those of each attempt.
    if (ownSignal || attempt.attempt > 1) return attempt.signal;
    return request.signal === undefined ? signals[0] : undefined;
  }

  /**
   * @param {(request: Request, attempt: Attempt) => unknown} prepare
   * @param {Attempt} attempt
   * @param {any} input
   * @param {any} init
   * @param {AbortSignal | undefined} signal
   */
  async #prepared(prepare, attempt, input, init, signal) {
    const call = this.#call;
    const { request, settings } = call;
    const key = keyOf(request, settings);
    const made = init === undefined && request.isRequest ? input : new Request(input, init);
    this.#preparing = true;
    call.isSafe = false;
    const answer = await prepare(made, attempt);
    if (answer !== undefined && !isRequest(answer)) {
      throw problemOf('prepare', answer, ['', 'a Request or nothing'], 'return');
    }
    const sent = answer ?? made;
    if (key !== '' && keyOf(sent, settings) === '') sent.headers.set(settings.idempotencyHeader, key);
    const couldRepeat = this.#mayRepeat;
    this.#mayRepeat = !request.once && isRepeatable(sent, settings, key);
    // The attempt before may have been processed.
    if (attempt.attempt > 1 && couldRepeat && !this.#mayRepeat)
      throw problemOf('prepare', sent, ['', 'a request that is safe to repeat, with the key of the others'], 'return');
    call.isSafe = isSafe(sent.method);
    this.#preparing = false;
    const abort = signal ?? request.signal;
    // Additions of hosts to the second argument may have no place in a Request.
    const extras = request.extras();
    this.#replacement = answer;
    request.alive[2] = sent;
    return [
      sent,
      abort === undefined && extras === undefined ? undefined : { ...extras, ...(abort && { signal: abort }) },
    ];
  }

  /** Returns the same values as `retryIf` and `retryOnResult`, which this replaces. @param {Operation} op */
  ask(op) {
    const { outcome: result, failed } = op;
    const { settings, request } = this.#call;
    const attempt = /** @type {Attempt} */ (op.attempt);
    const error = failed ? /** @type {any} */ (result) : undefined;
    const thrown = error instanceof HttpStatusError && /** @type {any} */ (error).response === this.response;
    const response = thrown ? this.response : failed ? undefined : result;
    const failure = response === undefined ? failureOf(error, (error) => this.#isOwn(error)) : UNKNOWN;
    const preparing = response === undefined && this.#preparing;
    const outcome = (this.#outcome = new Outcome(settings, response, failure, attempt, preparing));
    // Everyone slows down, whether or not this request is sent again.
    if (op.admission !== undefined && response?.status === 429)
      op.admission.throttle(op, Math.max(0, outcome.hintMs) || 0);
    if (preparing) return true;
    const retryable = (this.#mayRepeat || failure === UNPROCESSED) && outcome.isTransient;
    const { retryOn, retryIf, retryOnResult } = settings;
    if (typeof retryOn === 'function') {
      this.askedOption = 'retryOn';
      return retryOn(Object.freeze({ response, error, attempt: attempt.attempt, method: request.method, retryable }));
    }
    // A policy may have these.
    this.askedOption = response === undefined ? 'retryIf' : 'retryOnResult';
    const predicate = response === undefined ? retryIf : retryOnResult;
    return predicate === undefined || retryOn !== undefined ? retryable : predicate(response ?? error, attempt);
  }

  /**
   * Returns why no attempt follows an answer that asks for one: the request must not, or cannot, always be sent again.
   * @param {Operation} op
   */
  forbids(op) {
    const { request, settings } = this.#call;
    const outcome = /** @type {Outcome} */ (this.#outcome);
    const { response, failure, attempt, preparing } = outcome;
    if (!preparing && failure !== UNPROCESSED && !this.#mayRepeat) return op.failed ? 'notRetryable' : 'success';
    if (!preparing) outcome.askedMs = response === undefined ? NaN : outcome.hintMs;
    if (!op.failed) emit(op, 'onFailure', op.attempts, outcomeOf(op));
    if (op.limits.aborted) return 'aborted';
    if (preparing) return 'callback';
    if (!request.replays && attempt.attempt < settings.maxAttempts) return 'bodyNotReplayable';
    op.hintMs = outcome.askedMs;
    return undefined;
  }

  /**
   * Returns whether an error is about this request's own connection, before its first byte was sent.
   * @param {any} error
   */
  #isOwn(error) {
    const { request } = this.#call;
    const sent = this.#replacement ?? request;
    try {
      if (this.#replacement === undefined ? request.streams : sent.body !== null) return false;
      const url = addressOf(this.#replacement ?? request.input);
      return url !== undefined && isAt(error, url, /^(manual|error)$/.test(sent.redirect));
    } catch {
      return false;
    }
  }

  /** @returns {import('../run/task.js').Facts | undefined} */
  get facts() {
    return this.#outcome;
  }

  /** Whether a second attempt may start while a slow one is running: two copies of the request do no more than one. */
  get mayHedge() {
    const { request, isSafe: isSafeNow } = this.#call;
    return this.#mayRepeat && request.replays && isSafe(request.method) && isSafeNow;
  }

  /** Returns what makes an attempt of a round. What this one brought is of the past. */
  another() {
    this.response = this.#outcome = undefined;
    this.#call.isSafe = true;
    return this.#call.attempt(this.#mayRepeat);
  }

  /**
   * Most responses are good: whether one is a failure is known once it is to be retried.
   * @param {string} hook
   * @param {boolean} failed
   */
  hides(hook, failed) {
    return hook === 'onFailure' && !failed && this.#outcome?.askedMs === undefined;
  }

  eventFields() {
    const status = this.response?.status;
    const hintMs = this.#outcome?.askedMs ?? NaN;
    return { ...(status !== undefined && { status }), ...(hintMs >= 0 && { hintMs }) };
  }

  /** Another attempt follows. Its outcome, or a wait that the deadline ends, decides whether the response is read. */
  hold() {
    const call = this.#call;
    const { response, attempt } = this;
    const { totalTimeoutMs, protection, throwOnStatus } = call.settings;
    discard(call.held.response);
    call.held = { response, attempt };
    this.response = undefined;
    // If nothing but another outcome can follow, its connection is of more use.
    if (!(totalTimeoutMs < Infinity || protection || throwOnStatus)) discard(response);
  }

  /** Another attempt of the round counts: the response is never read. */
  discard() {
    discard(this.response);
  }

  /** @param {object} report */
  set report(report) {
    this.#call.report = report;
  }
}
