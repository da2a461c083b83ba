// @ts-check
// One retried fetch: it sends the attempts, and keeps or cancels their responses.

import { problemOf } from '../options/messages.js';
import { reasonOf } from '../run/cancellation.js';
import { readDirectives } from '../run/directives.js';
import { RetryError, keepReport } from '../run/report.js';
import { watch } from '../run/run.js';
import { isRequest } from './body.js';
import { HttpStatusError } from './error.js';
import { isSafe } from './http.js';
import { sendFrom } from './inner.js';
import { Outcomes } from './outcomes.js';
import { FetchRequest } from './request.js';
import { isRepeatable, keyOf } from './repeats.js';
import { discard, keepAbortable } from './response.js';
import { FetchSteps } from './steps.js';

/** @typedef {import('../run/attempt.js').Attempt} Attempt */

export class FetchOperation extends Outcomes {
  /** The running attempt, or the last one. @type {Attempt | undefined} */
  attempt;
  /**
   * The response before a wait, which the caller gets if no attempt brings another one; and its attempt.
   * @type {{ response?: any, attempt?: Attempt }}
   */
  held = {};
  over = false;
  /** The report of an operation that ended with a response that should have been retried. @type {object | undefined} */
  report;

  /**
   * @param {import('./options.js').FetchSettings} settings
   * @param {import('./inner.js').Place} place
   * @param {unknown} input
   * @param {unknown} init
   */
  constructor(settings, place, input, init) {
    const { common } = settings;
    super(settings, new FetchRequest(input, init, common.maxAttempts, common.protection !== undefined));
    this.settings = settings;
    this.place = place;

    const { signal, attemptTimeoutMs, totalTimeoutMs, protection } = this.common;
    /** The signals that abort the operation. */
    this.signals = [...new Set([this.request.signal, signal])].filter((signal) => signal !== undefined);
    /** Whether more than one thing may end an attempt: then it needs a signal of its own. */
    this.ownSignal =
      attemptTimeoutMs < Infinity || totalTimeoutMs < Infinity || this.signals.length > 1 || !!protection?.hedge;
    this.request.once = !this.mayRepeat;
  }

  async run() {
    try {
      const { shared, ownSeed } = this.settings;
      const index = ownSeed ? 0 : shared.operations++;
      const steps = new FetchSteps(this.common, this, index);
      const response = await watch(steps, shared.metrics, this.request.signal);
      if (this.own.throwOnStatus && this.report !== undefined) throw this.statusError(response, this.report);
      this.leave(response);
      const attempt = /** @type {Attempt} */ (this.response === response ? this.attempt : this.held.attempt);
      const signals = this.ownSignal || attempt.attempt > 1 ? this.signals : [];
      if (signals.length > 0 || this.request.isRequest || this.own.prepare !== undefined)
        keepAbortable(response, { attempt, request: this.request }, signals);
      return response;
    } catch (error) {
      this.leave(error);
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
      if ((next instanceof Promise || prepare !== undefined) && attempt.signal.aborted) throw reasonOf(attempt.signal);
    } catch (error) {
      // Not sent: what the body comes from, a file, say, would stay open.
      if (this.request.hasFactory) discard(init === made ? init : input);
      throw error;
    }
    const answer = sendFrom(this.place, input, init);
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
    // React answers a GET without `init.signal` from memory: no second attempt would reach the server. Node warns of
    // many listeners of one signal, and keeps those of each attempt.
    if (this.ownSignal || attempt.attempt > 1) return attempt.signal;
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
    const { own, mayRepeat } = this;
    const key = keyOf(this.request, own);
    this.preparing = true;
    this.round.isSafe = false;
    const answer = await prepare(request, attempt);
    if (answer !== undefined && !isRequest(answer)) {
      throw problemOf('prepare', answer, ['', 'a Request or nothing'], 'return');
    }
    const sent = answer ?? request;
    if (key !== '' && keyOf(sent, own) === '') sent.headers.set(own.idempotencyHeader, key);
    this.mayRepeat = !this.request.once && isRepeatable(sent, own, key);
    // The attempt before may have been processed.
    if (attempt.attempt > 1 && mayRepeat && !this.mayRepeat)
      throw problemOf('prepare', sent, ['', 'a request that is safe to repeat, with the key of the others'], 'return');
    this.round.isSafe = isSafe(sent.method);
    this.preparing = false;
    const abort = signal ?? this.request.signal;
    // Additions of hosts to the second argument may have no place in a Request.
    const extras = this.request.extras();
    this.replacement = answer;
    this.request.alive[2] = sent;
    return [
      sent,
      abort === undefined && extras === undefined ? undefined : { ...extras, ...(abort && { signal: abort }) },
    ];
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

  /** Whether a second attempt may start while a slow one is running: two copies of the request do no more than one. */
  get mayHedge() {
    const { method, replays } = this.request;
    return this.mayRepeat && replays && isSafe(method) && this.round.isSafe;
  }

  /** Forgets the last attempt. */
  reset() {
    this.response = this.askedMs = this.outcome = this.hintMs = this.replacement = undefined;
  }

  /**
   * Returns a copy for one attempt of a round. What it does not have of its own is the operation's.
   * @returns {FetchOperation}
   */
  beside() {
    this.reset();
    this.round.isSafe = true;
    return Object.create(this);
  }

  /**
   * Takes over the state of an attempt of the round.
   * @param {FetchOperation} attempt
   */
  join(attempt) {
    Object.assign(this, attempt);
  }

  /** Another attempt follows. Its outcome, or a wait that the deadline ends, decides whether the response is read. */
  hold() {
    const { response, attempt, common } = this;
    discard(this.held.response);
    this.held = { response, attempt };
    this.response = undefined;
    // If nothing but another outcome can follow, its connection is of more use.
    if (!(common.totalTimeoutMs < Infinity || common.protection || this.own.throwOnStatus)) discard(response);
  }

  /** Another attempt of the round counts: the response is never read. */
  discard() {
    discard(this.response);
  }

  /**
   * Cancels the responses that the caller does not get.
   * @param {any} outcome
   */
  leave(outcome) {
    for (const response of [this.response, this.held.response]) if (!gives(outcome, response)) discard(response);
  }
}

/**
 * Returns whether the caller gets this response, or an error that has it.
 * @param {any} outcome
 * @param {unknown} response
 */
function gives(outcome, response) {
  if (outcome === response) return true;
  try {
    for (let depth = 0; depth < 3; depth++, outcome = outcome.cause) if (outcome.response === response) return true;
  } catch {
    // No error of ours.
  }
  return false;
}
