// @ts-check
// What the outcomes of a fetch's attempts mean: whether another attempt may follow, and after which wait.

import { isLongest } from '../options/checks.js';
import { problemOf } from '../options/messages.js';
import { LONGEST } from '../options/rules.js';
import { reportFailure } from '../run/hooks.js';
import { addressOf } from './body.js';
import { HttpStatusError } from './error.js';
import { NETWORK, UNPROCESSED, failureOf, headerOf, isAt, retryAfterMs } from './http.js';
import { addKey, isRepeatable } from './repeats.js';

/** @typedef {import('../run/attempt.js').Attempt} Attempt */

/**
 * The outcome of an attempt.
 * @typedef {object} Outcome
 * @property {any} response undefined if the attempt failed
 * @property {number} failure what is known of a failure without response
 * @property {Attempt} attempt
 */

export class Outcomes {
  /** The response that the last attempt brought. @type {any} */
  response;
  /** The request that `prepare` returned instead of the one that it got. @type {any} */
  replacement;
  /** Whether a callback of the caller's own is making the request: its errors are not the request's. */
  preparing = false;
  /** @type {Outcome | undefined} */
  outcome;
  /** The wait that the response asks for, NaN for none, once it is to be retried. @type {number | undefined} */
  askedMs;
  /** Name of the option that decided about the outcome. */
  asked = 'retryOn';
  /** The wait that the response asks for, if it was read. @type {number | undefined} */
  hintMs;
  /** For all attempts of a round: whether the one that runs allows another next to it. */
  round = { isSafe: true };

  /**
   * @param {import('./options.js').FetchSettings} settings
   * @param {import('./request.js').FetchRequest} request
   */
  constructor({ own, common }, request) {
    this.own = own;
    this.common = common;
    this.request = request;
    addKey(request, own);
    /** Whether the request, as it was sent last, may be sent again. */
    this.mayRepeat = isRepeatable(request, own);
  }

  /**
   * Returns the same values as `retryIf` and `retryOnResult`, which this replaces.
   * @param {any} result of the attempt: a response, or an error
   * @param {boolean} failed
   * @param {Attempt} attempt
   */
  ask(result, failed, attempt) {
    const error = failed ? result : undefined;
    const thrown = error instanceof HttpStatusError && /** @type {any} */ (error).response === this.response;
    const response = thrown ? this.response : failed ? undefined : result;
    const failure = response === undefined ? failureOf(error, (error) => this.isOwn(error)) : NETWORK;
    this.outcome = { response, failure, attempt };
    if (response === undefined && this.preparing) return true;
    const retryable =
      (this.mayRepeat || failure === UNPROCESSED) &&
      (response === undefined ? failure === NETWORK || failure === UNPROCESSED : this.retriesStatus(response, attempt));
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

  /** Returns why no attempt follows an answer that asks for one: '' if the request must not be sent again. */
  objection() {
    const { response, failure, attempt } = /** @type {Outcome} */ (this.outcome);
    if (response === undefined && this.preparing) return 'callback';
    if (failure !== UNPROCESSED && !this.mayRepeat) return '';
    this.askedMs = response === undefined ? NaN : this.hintOf(response, attempt);
    return this.request.replays || attempt.attempt >= this.common.maxAttempts ? undefined : 'bodyNotReplayable';
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
      let ms;
      try {
        ms = hint?.(response, attempt);
        if (ms !== undefined && !isLongest(ms)) throw problemOf('hint', ms, LONGEST, 'return');
      } catch (error) {
        // The caller's mistake must not cost the response.
        reportFailure(error);
        ms = undefined;
      }
      const headers = respectRetryAfter ? retryAfterMs(response) : undefined;
      this.hintMs = ms === undefined ? (headers ?? NaN) : Math.max(ms, headers ?? 0);
    }
    return this.hintMs;
  }

  /** Returns the fields of an outcome's events that only `fetch` has. */
  extraFields() {
    const status = this.response?.status;
    const hintMs = /** @type {number} */ (this.askedMs);
    return { ...(status !== undefined && { status }), ...(hintMs >= 0 && { hintMs }) };
  }
}
