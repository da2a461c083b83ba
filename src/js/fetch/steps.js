// @ts-check
// The steps of a retried fetch: those of every operation, and what becomes of requests and responses between them.

import { Operation } from '../run/operation.js';
import { NETWORK, UNPROCESSED } from './http.js';
import { UNLIMITED } from '../run/run.js';

/** @typedef {import('../options/settings.js').Settings} Settings */

export class FetchSteps extends Operation {
  /**
   * @param {Settings} settings
   * @param {import('./operation.js').FetchOperation} fetch
   * @param {number} index
   */
  constructor(settings, fetch, index) {
    super(settings, (attempt) => fetch.send(attempt), index, 0, UNLIMITED);
    this.fetch = fetch;
  }

  get polls() {
    return true;
  }

  get asked() {
    return this.fetch.asked;
  }

  get protection() {
    return this.fetch.protection;
  }

  get labels() {
    const { method, origin } = this.fetch.request;
    return { ...super.labels, method, origin };
  }

  /**
   * The response of the attempt that has ended, or whether the network failed: what they say does not depend on
   * methods.
   */
  get facts() {
    const { fetch } = this;
    if (fetch.outcome === undefined) return undefined;
    const { response, failure, attempt } = fetch.outcome;
    const { preparing } = fetch;
    return {
      response,
      // A function of the caller's failed, and not what it makes requests for.
      preparing,
      failed: !preparing && (failure === NETWORK || failure === UNPROCESSED),
      get hintMs() {
        return fetch.hintOf(response, attempt);
      },
    };
  }

  predicate() {
    const { fetch, gate } = this;
    const attempt = /** @type {import('../run/attempt.js').Attempt} */ (this.attempt);
    // Everyone slows down, whether or not this request is sent again.
    if (gate !== undefined && fetch.response?.status === 429)
      gate.heard(this, Math.max(0, fetch.hintOf(fetch.response, attempt)) || 0);
    return fetch.ask(this.outcome, this.failed, attempt);
  }

  /** The request must not, or cannot, always be sent again. */
  refusal() {
    const { failed, limits } = this;
    const reason = this.fetch.objection();
    if (reason === '') return failed ? 'notRetryable' : 'success';
    if (!failed) this.emit('onFailure', this.attempts, this.outcomeFields());
    if (limits.aborted) return 'aborted';
    if (reason === undefined) this.hintMs = this.fetch.askedMs;
    return reason;
  }

  /** @param {number} delayMs */
  wait(delayMs) {
    const step = super.wait(delayMs);
    this.fetch.hold();
    return step;
  }

  get mayHedge() {
    return this.fetch.mayHedge;
  }

  /**
   * Gives an attempt of a round a fetch of its own.
   * @param {FetchSteps} lane
   */
  copyTo(lane) {
    const fetch = this.fetch.beside();
    lane.fetch = fetch;
    lane.fn = (attempt) => fetch.send(attempt);
  }

  /** @param {FetchSteps} lane */
  copyFrom(lane) {
    this.fetch.join(lane.fetch);
  }

  /** Another attempt of the round counts: the response of this one is never read. */
  drop() {
    this.fetch.discard();
  }

  /** @param {string} reason */
  report(reason) {
    const report = super.report(reason);
    this.fetch.report = report;
    return report;
  }

  /**
   * @param {string} name
   * @param {number} attempt
   * @param {object} [fields] of the outcome, if the event has one
   */
  emit(name, attempt, fields) {
    // Most responses are good: whether one is a failure is known once it is to be retried.
    if (name === 'onFailure' && !this.failed && this.fetch.askedMs === undefined) return;
    super.emit(name, attempt, fields && { ...fields, ...this.fetch.extraFields() });
  }
}
