// How an operation ends, and what its hooks, its rejection and its report must then say.

import { Reading, isA, near } from './reading.mjs';
import { compareReport, compareSignals } from './records.mjs';
import { describe } from './world.mjs';

/** How the design ends an operation, in words. */
const described = ({ aborted, by, reason }) =>
  aborted ? 'the reason of the abort' : by ? `a rejection by ${by}` : `the end (${reason ?? 'success'})`;

export class Settlement extends Reading {
  /** The rule that an unexpected entry breaks: a part that stops what it must not stop says so itself. */
  broken(entry) {
    const { breaker, stale } = this.state;
    const by = isA(entry.value, this.pkg.RejectedError) ? entry.value.by : undefined;
    switch (entry.report?.reason ?? entry.event?.reason ?? by) {
      case 'breaker':
        return stale ? 'generations' : breaker?.phase === 'half-open' ? 'recovery' : 'breaker';
      case 'cooldown':
        return 'cooldown';
      case 'budget':
        return this.attempts === 0 ? 'firstAttempt' : 'spending';
      default:
        return this.round?.forbidden ?? this.want.rule;
    }
  }

  /**
   * A hook is called, if it is set. Returns its entry.
   * @param {string} name
   * @param {{ number: number, hedge?: true, rule?: string }} attempt
   * @param {{ outcome?: any, reason?: string, failed?: boolean, decided?: boolean }} [more] what its event has
   */
  *hook(name, { number, hedge, rule = 'hooks' }, { decided, ...more } = {}) {
    if (!this.uses.hooks.includes(name)) return undefined;
    const is = (entry) => entry.name === name;
    // Two attempts may have a hook each.
    const lanes = this.round !== undefined && !decided;
    const fits = (entry) => is(entry) && (!lanes || entry.event.attempt === number);
    const entry = yield* this.expect('hook', rule, `${name} of attempt ${number}`, { fits, decided });
    if (lanes || name === 'onAttempt')
      this.require(entry.event.hedge === hedge, 'hedge', `${name} has hedge ${entry.event.hedge}`);
    this.checkEvent(entry, { number }, more);
    yield* this.expect('hookEnd', rule, `the end of ${name}`, { fits: is, decided });
    return entry;
  }

  /** Checks what an attempt and an event say alike. */
  checkFacts(where, { t }, number, seen, { attemptsLeft, elapsedMs, name }) {
    this.require(seen === number, 'numbers', () => `${where} is of attempt ${seen} instead of ${number}`);
    const left = this.maxAttempts - number;
    this.require(attemptsLeft === left, 'numbers', () => `${where} says attemptsLeft ${attemptsLeft}`);
    const elapsed = t - this.startedAt;
    this.require(this.sameTime(elapsedMs, elapsed), 'clock', () => `${where} says ${elapsedMs} at ${elapsed}`);
    this.require(name === this.options.name, 'isolation', () => `${where} says that the operation is called ${name}`);
  }

  checkEvent(entry, { number }, { outcome, reason, failed = outcome && !outcome.ok }) {
    const { event, name = entry.kind, frozen } = entry;
    this.require(frozen, 'isolation', () => `the event of ${name} is not frozen`);
    this.checkFacts(name, entry, number, event.attempt, event);
    this.require(event.reason === reason, 'settlement', () => `${name} says ${event.reason} instead of ${reason}`);
    this.require('error' in event === (failed === true), 'hooks', () => `${name} has an error, or lacks it`);
    this.require('result' in event === (failed === false), 'hooks', () => `${name} has a result, or lacks it`);
    if (outcome === undefined) return;
    if (failed) this.sees(outcome, event.error, name);
    else this.require(Object.is(event.result, outcome.shown), 'identity', () => `${name} has another result`);
  }

  /** Someone gets the error of an attempt. That of a timeout is known once it was seen. */
  sees(attempt, value, where) {
    if (attempt.timeout && !attempt.known) {
      this.require(this.isOurs(value), 'timeout', () => `${where} is not a TimeoutError`);
      this.checkCause(value, undefined);
      Object.assign(attempt, { shown: value, known: true });
    }
    this.require(
      Object.is(value, attempt.shown),
      'identity',
      () => `${where} is not the error of attempt ${attempt.number}`,
    );
  }

  /** An attempt has timed out. */
  checkTimeout(attempt) {
    const { signal, aborted } = this.operation.received[attempt.number - 1];
    if (signal === undefined) return;
    this.require(aborted?.turn === this.last.turn, 'signals', 'a timed-out attempt was not aborted');
    this.sees(attempt, aborted.reason, 'the reason of its signal');
  }

  /** Whether this is an error that the package made for a time that is up. */
  isOurs(value) {
    return isA(value, this.pkg.TimeoutError) && !this.world.own.has(value);
  }

  /** Whether this is the reason of a signal that ends the operation. */
  isReason(value) {
    return this.wasAborted({ ok: false, value });
  }

  /** An error made by the package has the failure before it, if there was one, as its cause; an attempt's has none. */
  checkCause(error, outcome) {
    const { message } = error;
    const once = message.startsWith('rejitter: ') && message.lastIndexOf('rejitter: ') === 0;
    this.require(once, 'identity', () => `an error says ${message}`);
    const has = 'cause' in error;
    if (outcome?.ok) {
      // The design does not say whether a failure before a result counts.
      const known = this.list.some((each) => !each.ok && Object.is(each.shown, error.cause));
      this.require(!has || known, 'identity', 'the cause is not a failure of this operation');
    } else {
      this.require(
        has === (outcome !== undefined),
        'identity',
        outcome ? 'the failure is not the cause' : 'there is a cause',
      );
      if (outcome !== undefined) this.sees(outcome, error.cause, 'the cause');
    }
  }

  /** The operation ends with its own last outcome, or without an attempt with an error of the package. */
  *stop(reason, rule, { ms, fault } = {}) {
    const cause = reason === 'breaker' ? this.state.breaker.cause : undefined;
    this.release();
    const { outcome, attempts } = this;
    const end = { reason, rule, fault, cause, ms: ['breaker', 'cooldown'].includes(reason) ? ms : undefined };
    // After a result, the last result is the outcome.
    if (reason === 'timeout' || (reason === 'deadline' && attempts === 0))
      Object.assign(end, outcome?.ok ? { outcome } : { timeout: true }, { reason: 'timeout' });
    else if (fault === undefined) {
      // Nobody is to take an answer that was to be followed by another one for the last word.
      const pending = outcome?.ok && outcome.answered && end.ms !== undefined;
      Object.assign(end, attempts === 0 || pending ? { by: reason } : { outcome });
    }
    yield* this.settle(end);
  }

  *settle(end) {
    const { aborted, outcome, silent } = end;
    const reason = aborted ? 'aborted' : end.reason;
    const failed = outcome === undefined || !outcome.ok;
    const rule = end.rule ?? (aborted ? 'abort' : 'settlement');
    const giveUp =
      reason === undefined || silent
        ? undefined
        : yield* this.hook(
            'onGiveUp',
            { number: this.attempts, rule },
            { outcome: failed ? undefined : outcome, reason, failed, decided: true },
          );
    const entry = yield* this.expect('settle', rule, described(end), { decided: true });
    this.checkRest(entry);
    compareSignals(this, entry);
    if (end.by === undefined) this.compare(entry, { ...end, reason, failed, rule }, giveUp);
    else this.checkRejection(entry, end, giveUp);
  }

  /** Checks that nothing is left when an operation has settled. */
  checkRest(entry) {
    const left = [...this.oracle.timers.values()].filter((each) => each === this).length;
    this.require(left === 0, 'leftovers', () => `${left} timers are left at settlement`);
    const { signals } = this.operation;
    const kept = entry.listeners.some((count, i) => count > 0 && !this.shared(signals[i], entry));
    this.require(!kept, 'leftovers', 'a listener is left at settlement');
    const says = this.plan.via !== 'off' && this.state.isFailure;
    // The error of a timeout says what it likes.
    if (says && !this.aborted && entry.report?.reason !== 'timeout')
      this.require(
        this.asked === this.shouldAsk,
        'isFailure',
        () => `isFailure was called ${this.asked} times instead of ${this.shouldAsk}`,
      );
  }

  /** Whether another operation may still watch this signal. */
  shared(signal, settle) {
    return this.world.operations.some(
      (other) =>
        other !== this.operation &&
        other.signals.includes(signal) &&
        other.call.i < settle.i &&
        !(other.settled?.i < settle.i),
    );
  }

  /** Before its first attempt and after an answer, protection rejects an operation with an error of its own. */
  checkRejection(entry, { by, ms, cause, rule, reason }, giveUp) {
    const { value, report } = entry;
    this.require(isA(value, this.pkg.RejectedError), this.broken(entry), `${this.name(entry)} is no rejection`);
    this.require(value.by === by, rule, () => `rejected by ${value.by} instead of ${by}`);
    this.require(near(ms, value.retryAfterMs), by, () => `retryAfterMs is ${value.retryAfterMs} instead of ${ms}`);
    if (by === 'breaker' && cause !== undefined)
      this.require(Object.is(value.cause, cause), 'outcome', 'the cause is not the failure that opened the circuit');
    if (giveUp) this.require(Object.is(giveUp.event.error, value), 'identity', 'onGiveUp has another error');
    this.checkReport(entry, reason, giveUp);
    this.require(
      report?.reason === reason,
      'settlement',
      () => `the report says ${report?.reason} instead of ${reason}`,
    );
  }

  checkReport(entry, reason, giveUp) {
    const report = giveUp?.event.report ?? entry.report;
    if (giveUp && entry.report)
      this.require(giveUp.event.report === entry.report, 'identity', 'onGiveUp has another report');
    if (report !== undefined) compareReport(this, report, reason, giveUp ?? entry);
  }

  compare(entry, end, giveUp) {
    const { aborted, outcome, reason, failed, rule } = end;
    const { report, value } = entry;
    const { finalError, finalResult } = this.options;
    const was = () => `${this.name(entry)} instead of ${described(end)}`;
    const rejects = !failed && reason !== undefined && finalResult === 'reject';
    this.require(entry.ok === !(failed || rejects), aborted ? 'abort' : this.broken(entry), was);
    if (aborted) this.require(this.wasAborted(entry), 'abort', was);
    // One reason ends many operations, so it carries no report. An inner operation's error may.
    if (aborted || (reason === undefined && !outcome?.inner))
      this.require(report === undefined, 'identity', 'a success or the reason of an abort has a report');
    else if (report !== undefined && reason !== undefined) {
      const exhausted = report.reason === 'exhausted' ? rule : this.broken(entry);
      this.require(report.reason === reason, exhausted, () => `the reason is ${report.reason} instead of ${reason}`);
      const { ms } = end;
      if (ms !== undefined)
        this.require(near(ms, report.retryAfterMs), reason, () => `retryAfterMs: ${report.retryAfterMs}, not ${ms}`);
    }
    const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
    this.require(
      aborted || !isObject || reason === undefined || report !== undefined,
      'identity',
      'there is no report',
    );
    if (rejects) {
      this.checkWrapper(entry, reason);
      this.require(Object.is(value.result, outcome.shown), 'identity', 'the RetryError has another result');
      this.require(!Object.keys(value).includes('result'), 'identity', 'the result is enumerable');
    } else if (!failed) this.require(Object.is(value, outcome.shown), 'identity', () => `${was()}: another result`);
    else if (!aborted) {
      const wraps = finalError === 'wrap' && !isA(outcome?.thrown, this.pkg.RejectedError);
      const error = wraps ? this.unwrapped(entry, reason) : value;
      if (end.timeout) this.checkDeadline(error);
      else if (end.fault) this.checkFault(error, end.fault);
      else this.sees(outcome, error, 'the rejection');
      if (giveUp) this.require(Object.is(giveUp.event.error, error), 'identity', 'onGiveUp has another error');
    } else if (giveUp) this.require(this.isReason(giveUp.event.error), 'identity', 'onGiveUp has another error');
    if (reason !== undefined && !end.silent) this.checkReport(entry, reason, giveUp);
  }

  /** The deadline passed during an attempt, or before the first one. */
  checkDeadline(error) {
    this.require(
      this.isOurs(error),
      'deadline',
      'the deadline passed during an attempt: the rejection is no TimeoutError',
    );
    if (this.state.hedge !== undefined) return;
    this.checkCause(error, this.outcome);
    const running = this.list.find((attempt) => attempt.runs);
    const { signal } = this.operation.received[(running?.number ?? 0) - 1] ?? {};
    this.require(signal === undefined || signal.reason === error, 'signals', 'the attempt was aborted otherwise');
  }

  /**
   * The operation ended with what a callback other than the operation itself threw, or, if it returned an invalid
   * value, with an error of this type.
   */
  checkFault(error, { end, type, mistake }) {
    const { outcome } = this;
    if (end === undefined) {
      const ours = isA(error, type ?? TypeError) && !this.world.own.has(error);
      this.require(
        ours && error.message.startsWith('rejitter: '),
        'identity',
        () => `rejected with ${describe(error)}`,
      );
      if (!mistake) this.checkCause(error, outcome);
      return;
    }
    const { made } = end;
    this.require(Object.is(error, made.shown), 'identity', 'rejected with another error than that of a callback');
    const now = Object.getOwnPropertyDescriptor(Object(error), 'cause');
    // Nothing is its own cause, nor that of its cause.
    if (!made.open || isCause(error, outcome.shown)) {
      const kept = now === undefined ? made.own === undefined : Object.is(now.value, made.own?.value);
      this.require(kept, 'identity', 'the error of a callback was changed');
    } else if (!outcome.ok) this.sees(outcome, now?.value, "the cause of a callback's error");
    else if (now !== undefined) {
      const known = this.list.some((each) => !each.ok && Object.is(each.shown, now.value));
      this.require(known, 'identity', "the cause of a callback's error is not a failure");
    }
  }

  /** With `finalError: 'wrap'`: returns the error inside. */
  unwrapped(entry, reason) {
    this.checkWrapper(entry, reason);
    const { errors, cause } = entry.value;
    const kept = entry.report.records.filter((record) => 'error' in record).map((record) => record.error);
    const same = kept.length === errors.length && kept.every((error, i) => Object.is(error, errors[i]));
    this.require(same, 'identity', 'the wrapper has other errors');
    return cause;
  }

  checkWrapper({ value, report }, reason) {
    this.require(isA(value, this.pkg.RetryError), 'identity', 'the rejection is not a RetryError');
    this.require(value.message.startsWith('rejitter: '), 'identity', () => `a RetryError says ${value.message}`);
    this.require(
      value.reason === reason && value.report === report,
      'identity',
      'the RetryError has another reason or report',
    );
    this.require(!Object.keys(value).includes('report'), 'identity', 'the report is enumerable');
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
