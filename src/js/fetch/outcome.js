// @ts-check
// The outcome of a fetch's attempt: whether another attempt may cure it, and the wait that it asks for.

import { isLongest } from '../options/checks.js';
import { problemOf } from '../options/messages.js';
import { LONGEST } from '../options/rules.js';
import { reportFailure } from '../run/hooks.js';
import { NETWORK, UNPROCESSED, headerOf, isTransient, retryAfterMs } from './http.js';

/** @typedef {import('../run/attempt.js').Attempt} Attempt */

export class Outcome {
  /** The wait that the response asks for, NaN for none, once it is to be retried. @type {number | undefined} */
  askedMs;
  /** @type {number | undefined} */
  #hintMs;
  #settings;

  /**
   * @param {import('./options.js').FetchSettings} settings
   * @param {any} response undefined if the attempt failed
   * @param {number} failure what is known of a failure without response
   * @param {Attempt} attempt
   * @param {boolean} preparing whether a callback of the caller's failed, and not the request
   */
  constructor(settings, response, failure, attempt, preparing) {
    this.#settings = settings;
    this.response = response;
    this.failure = failure;
    this.attempt = attempt;
    this.preparing = preparing;
    /** Whether the network failed. */
    this.failed = !preparing && (failure === NETWORK || failure === UNPROCESSED);
  }

  /** Whether another attempt may have another outcome. */
  get isTransient() {
    if (this.response === undefined) return this.failed;
    // A mock of fetch may answer with anything.
    const { status, type, headers } = this.response ?? {};
    const { retryOn } = this.#settings;
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
    return isTransient(status) || ((status === 403 || status === 413) && this.hintMs > 0);
  }

  /** The wait that the response asks for, in ms, or NaN. */
  get hintMs() {
    return (this.#hintMs ??= this.#readHint());
  }

  #readHint() {
    const { hint, respectRetryAfter } = this.#settings;
    const { response } = this;
    let ms;
    try {
      ms = hint?.(response, this.attempt);
      if (ms !== undefined && !isLongest(ms)) throw problemOf('hint', ms, LONGEST, 'return');
    } catch (error) {
      // The caller's mistake must not cost the response.
      reportFailure(error);
      ms = undefined;
    }
    const headers = respectRetryAfter ? retryAfterMs(response) : undefined;
    return ms === undefined ? (headers ?? NaN) : Math.max(ms, headers ?? 0);
  }
}
