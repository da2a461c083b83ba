// How an operation may end, and what must then be true.

import { checkReport } from './reports.mjs';
import { END, RecordReader } from './record-reader.mjs';

export class Endings extends RecordReader {
  record(fields, entry) {
    this.lastRecord = {
      attempt: this.n,
      ...fields,
      unsure: this.ended.unsure === true,
      startMs: entry.t - this.startedAt,
      durationMs: this.ended.t - entry.t,
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
    this.require(settle.report === undefined, 14, 'a success has a report');
    throw END;
  }

  /** The deadline passed while a hook blocked, before an attempt. */
  expiredBefore(n) {
    this.late = this.last;
    if (n === 1) this.timeout();
    this.finish('deadline');
  }

  /** The deadline passed during an attempt. After a result, the last result is the outcome. */
  timeout() {
    if (this.outcome?.failed === false) this.ending('timeout', undefined);
    this.ending('timeout', (error) => {
      this.require(
        this.isOurs(error),
        8,
        'the deadline passed during an attempt, and the rejection is not a TimeoutError',
      );
      this.checkCause(error, this.outcome);
      const { signal } = this.operation.received[this.n - 1] ?? {};
      if (signal !== undefined && this.running)
        this.require(
          Object.is(signal.reason, error),
          12,
          'the attempt was aborted with another error than the rejection',
        );
      return true;
    });
  }

  /** An error made by the package has the failure before it, if there was one, as its cause; an attempt's has none. */
  checkCause(error, outcome) {
    const { message } = error;
    this.require(
      message.startsWith('rejitter: ') && message.lastIndexOf('rejitter: ') === 0,
      14,
      () => `an error says ${message}`,
    );
    if (outcome?.failed === false) {
      // The design does not say whether a failure before a result counts.
      this.require(
        !('cause' in error) || this.records.some((record) => 'error' in record && Object.is(record.error, error.cause)),
        14,
        'the cause is not a failure of this operation',
      );
      return;
    }
    this.require(
      'cause' in error === (outcome !== undefined),
      14,
      outcome ? 'the failure before is not the cause' : 'there is a cause, and nothing had failed',
    );
    this.require(Object.is(error.cause, outcome?.value), 14, 'the cause is not the failure before');
  }

  /**
   * Ends the operation with what a callback other than the operation itself threw, or, if it returned an invalid value,
   * with an error of this type.
   * @param {{ ok: boolean, made: any }} end
   * @param {ErrorConstructor} [type]
   */
  slip({ ok, made }, type) {
    this.finish('callback', (error) => {
      if (ok) {
        this.require(
          error instanceof type && !this.world.own.has(error),
          14,
          () => `rejected with something else than a ${type.name}`,
        );
        this.checkCause(error, this.outcome);
        return true;
      }
      if (!Object.is(error, made.shown)) return false;
      const { own, open } = made;
      const now = Object.getOwnPropertyDescriptor(Object(error), 'cause');
      // Nothing is its own cause, nor that of its cause.
      if (!open || isCause(error, this.outcome.value))
        this.require(
          now === undefined ? own === undefined : own !== undefined && Object.is(now.value, own.value),
          14,
          'the error of a callback was changed',
        );
      else if (this.outcome.failed || now !== undefined)
        this.require(
          now !== undefined &&
            (Object.is(now.value, this.outcome.value) ||
              (!this.outcome.failed &&
                this.records.some((record) => 'error' in record && Object.is(record.error, now.value)))),
          14,
          "the cause of a callback's error is not the last failure",
        );
      return true;
    });
  }

  aborted() {
    // The first of the numbers for one wait may abort; the others may still be asked for.
    const numbers = ['random', 'curve'];
    while (
      numbers.includes(this.last.kind) &&
      numbers.includes(this.peek()?.kind) &&
      this.peek().turn === this.abort.turn
    )
      this.at += 1;
    this.ending('aborted', undefined);
  }

  finish(reason, accepts) {
    const { failed, value } = this.outcome ?? { failed: true };
    this.ending(reason, accepts ?? (failed ? (error) => Object.is(error, value) : undefined));
  }

  /**
   * The end without success.
   * @param {((error: unknown) => boolean) | undefined} accepts undefined: after a result
   */
  ending(reason, accepts) {
    const isAbort = reason === 'aborted';
    const failed = accepts !== undefined || isAbort;
    const rejects = !failed && this.options.finalResult === 'reject';
    const cause = this.late ?? (reason === 'timeout' ? this.peek() : undefined);
    const due = isAbort ? this.abort.turn : (cause?.turn ?? Math.max(this.last.turn, this.ended?.turn ?? 0));
    const { abort } = this;
    this.abort = undefined;
    let giveUp;
    if (this.uses.hooks.includes('onGiveUp')) {
      giveUp = this.take('hook', 'onGiveUp');
      this.require(
        giveUp.event.reason === reason,
        13,
        () => `onGiveUp says ${giveUp.event.reason} instead of ${reason}`,
      );
      this.checkEvent(giveUp, 'onGiveUp', this.n, {
        reason,
        ...(failed ? { error: giveUp.event.error } : { result: this.outcome.value }),
      });
      this.require(Object.isFrozen(giveUp.event.report), 20, 'the report is not frozen');
    }
    const settle = this.take('settle');
    this.require(settle.ok === !(failed || rejects), 13, () => `${settle.ok ? 'resolved' : 'rejected'} (${reason})`);
    this.require(
      Math.min(settle.turn, giveUp?.turn ?? Infinity) <= due || this.ended?.unsure,
      isAbort ? 11 : 13,
      () => `ended ${settle.turn - due} turns late (${reason})`,
    );
    this.require(settle.t <= this.deadline + this.slack, 8, 'settled after the deadline');
    if (rejects) this.rejection(settle, reason);
    else if (!failed)
      this.require(Object.is(settle.value, this.outcome.value), 14, 'did not resolve with the last result');
    else {
      const wrapped = this.options.finalError === 'wrap' && !isAbort;
      const error = wrapped ? this.unwrapped(settle, reason) : settle.value;
      this.error = error;
      if (giveUp)
        this.require(Object.is(giveUp.event.error, error), 14, 'onGiveUp has another error than the rejection');
      if (isAbort) {
        this.abort = abort;
        this.require(this.wasAborted(settle), 11, 'rejected with something else than the reason');
        const under = this.running && this.operation.received[this.n - 1];
        if (under?.signal && !under.aborted && this.running.end === undefined)
          this.object(11, 'the running attempt was not aborted');
        if (under?.aborted && this.running.end === undefined)
          this.require(
            Object.is(under.aborted.reason, settle.value),
            12,
            'the attempt was aborted with another reason',
          );
      } else this.require(accepts(error), 14, () => `rejected with another error (${reason})`);
    }
    // One reason ends many operations, so it carries no report.
    if (isAbort) this.require(settle.report === undefined, 14, 'the reason of an abort has a report');
    else if (giveUp && settle.report)
      this.require(giveUp.event.report === settle.report, 14, 'onGiveUp has another report');
    const isObject = (typeof settle.value === 'object' && settle.value !== null) || typeof settle.value === 'function';
    this.require(isAbort || !isObject || settle.report !== undefined, 14, 'there is no report');
    const report = giveUp?.event.report ?? settle.report;
    if (report !== undefined) checkReport(this, report, reason, giveUp ?? settle, settle);
    throw END;
  }

  /** With `finalError: 'wrap'`: returns the error inside. */
  unwrapped(settle, reason) {
    this.checkWrapper(settle, reason);
    const { errors, cause } = settle.value;
    const kept = settle.report.records.filter((record) => 'error' in record).map((record) => record.error);
    this.require(
      kept.length === errors.length && kept.every((error, i) => Object.is(error, errors[i])),
      14,
      'the wrapper has other errors',
    );
    return cause;
  }

  /** With `finalResult: 'reject'`: the rejection has the result. */
  rejection(settle, reason) {
    this.checkWrapper(settle, reason);
    this.require(Object.is(settle.value.result, this.outcome.value), 14, 'the RetryError has another result');
    this.require(!Object.keys(settle.value).includes('result'), 14, 'the result is enumerable');
  }

  checkWrapper({ value, report }, reason) {
    this.require(value instanceof this.pkg.RetryError, 14, 'the rejection is not a RetryError');
    this.require(value.message.startsWith('rejitter: '), 14, () => `a RetryError says ${value.message}`);
    this.require(value.reason === reason && value.report === report, 14, 'the RetryError has another reason or report');
    this.require(!Object.keys(value).includes('report'), 14, 'the report is enumerable');
  }
}

/** Whether an error is this failure, or among its causes. */
function isCause(error, failure) {
  for (let depth = 0; depth < 20; depth += 1) {
    if (Object.is(error, failure)) return true;
    failure = Object.getOwnPropertyDescriptor(Object(failure), 'cause')?.value;
  }
  return false;
}
