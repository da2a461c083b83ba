// One retried fetch: an operation whose callback sends requests, and the responses that it keeps or cancels.

import { readMarks } from '../marks.js';
import { isFunction } from '../options/checks.js';
import { abortAttempt } from '../run/attempt.js';
import { record } from '../run/operation.js';
import { RetryError, keepReport } from '../run/report.js';
import { run } from '../run/run.js';
import { reportOf } from '../run/settle.js';
import { reasonOf } from '../run/signals.js';
import { subscribed } from '../run/tracing.js';
import { FetchAttempt } from './attempt.js';
import { leadsToHost } from './inner.js';
import { FetchRequest } from './request.js';
import { cancelBody, keepAbortable } from './response.js';
import { HttpStatusError, label } from './status-error.js';

/** @import { Attempt } from '../run/attempt.js' */
/** @import { Operation } from '../run/operation.js' */

export class FetchCall {
  /** The offered response, its attempt and operation. @type {{ response?: any, attempt?: Attempt, op?: Operation }} */
  #offered = {};
  over = false;
  /** Number of attempts that had a response, or whose request was never sent. */
  closed = 0;
  /** For all attempts of a round: whether the one that runs allows another next to it. */
  isSafe = true;

  /**
   * @param {import('./options.js').Reading} reading @param {import('./inner.js').Place} place
   * @param {unknown} input @param {unknown} init @param {unknown[]} further arguments
   */
  constructor(reading, place, input, init, further) {
    const { settings } = reading;
    const { signal, attemptTimeoutMs, totalTimeoutMs, protection } = settings;
    this.reading = reading;
    this.settings = settings;
    this.place = place;
    this.further = further;
    this.request = new FetchRequest(input, init, settings);
    /** The signals that abort the operation. */
    this.signals = /** @type {AbortSignal[]} */ (
      [this.request.signal, signal].filter((each, i, all) => each && all.indexOf(each) === i)
    );
    /** Whether more than one thing may end an attempt: then it needs a signal of its own. */
    this.ownSignal =
      attemptTimeoutMs < Infinity || totalTimeoutMs < Infinity || this.signals.length > 1 || !!protection?.hedge;
  }

  run() {
    const { request, settings, signals } = this;
    const { shared, ownSeed } = this.reading;
    const { needs, prepare, throwOnStatus, retryOn } = settings;
    const first = this.attempt(!request.once);
    const hasCallback = request.factory || prepare || isFunction(retryOn);
    const mayEnd = needs || signals.length > 0 || throwOnStatus;
    first.isWatched = mayEnd || hasCallback || request.isRequest || subscribed() !== null;
    const index = ownSeed ? 0 : shared.operations++;
    const aborted = signals.find((signal) => signal.aborted);
    if (aborted) {
      // Within the call, as `fetch` does.
      request.cancelBody(reasonOf(aborted));
      if (leadsToHost(this.place)) request.check();
    }
    return run(settings, (attempt) => first.send(attempt), index, shared.metrics, request.signal, first);
  }

  /** Follows the end of the operation, whose outcome an error may replace. @param {Operation} op */
  finish(op) {
    const { request, settings } = this;
    const { run } = op;
    const task = /** @type {FetchAttempt} */ (run.task);
    const { report } = task;
    if (!run.failed && report === undefined && op.attempts > 1) {
      // The caller may need to know that an answer is that to a repetition: 412, 404.
      record(run);
      keepReport(run.outcome, reportOf(op, 'success'));
    } else if (!run.failed && report !== undefined && settings.throwOnStatus) {
      const status = label(new HttpStatusError(/** @type {Response} */ (run.outcome)), request);
      const error = settings.finalError === 'wrap' ? new RetryError(status, report) : status;
      // The attempts had results; what the last of them is thrown as belongs to the errors, too.
      if (error instanceof RetryError) error.errors.push(status);
      keepReport(error, report);
      run.failed = true;
      run.outcome = error;
    }
    const { failed, outcome } = run;
    // Who is rejected may send the request elsewhere.
    if (failed && !request.isSent && !readMarks(outcome).rejected) request.cancelBody(outcome);
    this.over = true;
    // The caller takes one response at most. The others give their connections back.
    for (const { response, attempt } of [task, this.#offered]) {
      if (!gives(outcome, response)) cancelBody(response);
      else if (attempt) this.#keep(response, attempt);
    }
    request.cancelCopy();
  }

  /** The caller gets this response if no attempt follows. @type {(from: FetchAttempt, op: Operation) => void} */
  offer({ response, attempt }, op) {
    const { totalTimeoutMs, protection, throwOnStatus } = this.settings;
    cancelBody(this.#offered.response);
    this.#offered = { response, attempt, op };
    // If another one is made in any case, the connection is of more use.
    if (!(totalTimeoutMs < Infinity || protection || throwOnStatus)) cancelBody(response);
  }

  /** Keeps a response abortable, which the caller gets. @param {any} response @param {Attempt} attempt */
  #keep(response, attempt) {
    const { request } = this;
    const signals = this.ownSignal || attempt.attempt > 1 ? this.signals : [];
    if (signals.length > 0 || request.isRequest || this.settings.prepare !== undefined)
      keepAbortable(response, { abort: (reason) => abortAttempt(attempt, reason), request }, signals);
  }

  /**
   * Gives the connection of the last response to the request that is sent now, which may need it: where hosts limit
   * their number, it would wait for ever. If the deadline ends that request, the response is only the cause.
   */
  cancelOffered() {
    const { response, op } = this.#offered;
    // There is none, or a mock of fetch answers with nothing.
    if (!response) return;
    cancelBody(response);
    if (op?.run.failed !== false || this.settings.totalTimeoutMs === Infinity) return;
    op.run.failed = true;
    op.run.outcome = label(new HttpStatusError(response), this.request);
  }

  /** Not in FetchAttempt: a bundler renames a class that names itself. @param {boolean} mayRepeat the request */
  attempt(mayRepeat) {
    return new FetchAttempt(this, mayRepeat);
  }
}

/** Returns whether the caller gets a response, or an error that has it. @param {any} outcome @param {any} response */
function gives(outcome, response) {
  try {
    for (let depth = 0; depth < 3 && outcome; depth++, outcome = outcome.cause)
      if (outcome === response || outcome.response === response) return true;
  } catch {
    // No error of ours.
  }
  return false;
}
