// How an operation may end, and what must then be true.

import { judgeReport } from './reports.mjs';
import { END, Story } from './story.mjs';

export class Endings extends Story {
  record(told, entry) {
    const { n } = this;
    const known = this.watched || n > 1;
    this.lastRecord = {
      attempt: n, ...told, unsure: this.ended?.unsure === true,
      startMs: known ? entry.t - this.startedAt : 0,
      durationMs: known && this.ended ? this.ended.t - entry.t : undefined,
    };
    this.records.push(this.lastRecord);
  }

  success() {
    if (this.cut) this.aborted();
    const { value } = this.outcome;
    this.hook('onSuccess', this.n, { result: value });
    this.abort = undefined;
    const settle = this.take('settle');
    this.require(settle.ok && Object.is(settle.value, value), 14, 'did not resolve with the result');
    this.require(settle.turn === this.ended.turn, 13, 'resolved late');
    throw END;
  }

  /** The deadline passed while a hook blocked, before an attempt. */
  expiredBefore(n) {
    this.late = this.last;
    if (n === 1) this.timeout();
    this.finish('deadline');
  }

  timeout() {
    const previous = this.n > 1 && this.lastRecord !== undefined ? this.lastRecord : undefined;
    this.ending('timeout', (error) => {
      this.require(this.isOurs(error), 8, 'the deadline passed during an attempt, and the rejection is no TimeoutError');
      const caused = previous !== undefined && 'error' in previous;
      this.require('cause' in error === caused && (!caused || Object.is(error.cause, previous.error)), 14, 'the cause is not the previous failure');
      return true;
    });
  }

  aborted() {
    // Of the numbers for one wait, the first may abort; the others may still be asked for.
    const numbers = ['random', 'curve'];
    while (numbers.includes(this.last.kind) && numbers.includes(this.peek()?.kind) && this.peek().turn === this.abort.turn) this.at += 1;
    this.ending('aborted', undefined);
  }

  finish(reason, accepts) {
    const { failed, value } = this.outcome ?? { failed: true };
    this.ending(reason, accepts ?? (failed ? (error) => Object.is(error, value) : undefined));
  }

  /**
   * The end without success.
   * @param {((error: unknown) => boolean) | undefined} accepts undefined: resolves with the last result
   */
  ending(reason, accepts) {
    const rejects = accepts !== undefined || reason === 'aborted';
    const cause = this.late ?? (reason === 'timeout' ? this.peek() : undefined);
    const due = reason === 'aborted' ? this.abort.turn : cause?.turn ?? Math.max(this.last.turn, this.ended?.turn ?? 0);
    const { abort } = this;
    this.abort = undefined;
    let told;
    if (this.uses.hooks.includes('onGiveUp')) {
      told = this.take('hook', 'onGiveUp');
      this.require(told.event.reason === reason, 13, `onGiveUp says ${told.event.reason} instead of ${reason}`);
      this.require(told.event.attempt === this.n, 3, `onGiveUp says attempt ${told.event.attempt}`);
      this.require('error' in told.event === rejects, 18, 'onGiveUp has the wrong kind of outcome');
      this.require(told.frozen && Object.isFrozen(told.event.report), 20, 'the event or report is not frozen');
    }
    const settle = this.take('settle');
    this.require(settle.ok !== rejects, 13, `${settle.ok ? 'resolved' : 'rejected'} (${reason})`);
    this.require(Math.min(settle.turn, told?.turn ?? Infinity) <= due || this.ended?.unsure, reason === 'aborted' ? 11 : 13, `ended ${settle.turn - due} turns late (${reason})`);
    this.require(settle.t <= this.deadline + this.slack, 8, 'settled after the deadline');
    if (!rejects) {
      this.require(Object.is(settle.value, this.outcome.value), 14, 'did not resolve with the last result');
    } else {
      const wrapped = this.options.finalError === 'wrap' && reason !== 'aborted';
      const error = wrapped ? this.unwrapped(settle, reason) : settle.value;
      this.error = error;
      if (reason === 'aborted') {
        this.abort = abort;
        this.require(this.wasAborted(settle), 11, 'rejected with something else than the reason');
            if (told) this.require(Object.is(told.event.error, settle.value), 14, 'onGiveUp has another error than the rejection');
        const under = this.underWay && this.operation.given[this.n - 1];
        if (under?.signal && !under.aborted && this.underWay.end === undefined) this.object(11, 'the attempt under way was not aborted');
        if (under?.aborted && this.underWay.end === undefined) this.require(Object.is(under.aborted.reason, settle.value), 12, 'the attempt was aborted with another reason');
      } else this.require(accepts(error), 14, `rejected with another error (${reason})`);
    }
    const shared = reason === 'aborted' && this.world.operations.length > 1;
    const report = told?.event.report ?? (shared ? undefined : settle.report);
    judgeReport(this, report, reason, settle, told);
    throw END;
  }

  unwrapped(settle, reason) {
    const { value } = settle;
    this.require(value instanceof this.pkg.RetryError, 14, 'the error is not wrapped');
    this.require(value.reason === reason && value.report === settle.report, 14, 'the wrapper tells another story');
    const errors = settle.report.records.filter((record) => 'error' in record).map((record) => record.error);
    this.require(errors.length === value.errors.length && errors.every((error, i) => Object.is(error, value.errors[i])), 14, 'the wrapper has other errors');
    return value.cause;
  }
}
