// @ts-check
// One operation as a machine of synchronous steps. It says what is to be done next; a driver does that and says how it
// ended: run.js awaits, sync.js blocks. Everything else happens within the steps: hooks, records, the core.

import { isMs } from '../options/checks.js';
import { failure, show } from '../options/messages.js';
import { Attempt } from './attempt.js';
import { INTERRUPTED } from './cancellation.js';
import { decide } from './decision.js';
import { readDirectives, returnedDirective } from './directives.js';
import { OperationState } from './operation-state.js';
import { hide } from './report.js';
import { now } from './timer.js';

// What the driver has to do.
/** Nothing yet: the operation begins. */
const BEGIN = 0;
/** Call the callback with `attempt`. */
export const CALL = 1;
/** Wait for `pending`, the answer of the predicate. */
export const ASK = 2;
/** Wait for `delayMs`. */
export const WAIT = 3;
/** Wait for `pending`, the answer of `beforeRetry`. */
export const PREPARE = 4;
/** Nothing more: it has settled. */
export const END = 5;

/** Reasons to stop, at the negated codes of `decide`. */
const REASONS = ['', 'exhausted', 'deadline', 'hint'];

/** Number of causes that are searched for an error before it becomes one of them. */
const DEEPEST = 10;

/** True once this process was warned that the core is unavailable. */
let warned = false;

export class Operation extends OperationState {
  /** What the driver was told to do last. */
  step = BEGIN;
  /** @type {unknown} */
  pending = undefined;

  /**
   * Returns what to do next.
   * @param {any} answer what the last step brought: a value, or what was thrown; after a wait, the time
   * @param {boolean} threw
   */
  next(answer, threw) {
    switch (this.step) {
      case CALL:
        return this.review(answer, threw);
      case ASK:
        return threw ? this.callbackFailed(answer) : this.decide(answer);
      case WAIT:
        return this.afterWait(answer);
      case PREPARE:
        return threw ? this.callbackFailed(answer) : this.prepared();
      default:
        return this.start();
    }
  }

  /** Goes on after a first attempt that somebody else has made. @param {Attempt | undefined} attempt */
  resume(attempt) {
    this.attempts = 1;
    this.attempt = attempt;
    this.step = CALL;
    return this;
  }

  start() {
    const { limits } = this;
    this.startedAt = this.attemptAt = now();
    limits.start(this);
    if (limits.aborted) {
      // Nothing was done that a hook or a report could tell of.
      this.failed = true;
      this.outcome = limits.reason;
      return (this.step = END);
    }
    this.metrics?.begun();
    return this.begin();
  }

  /** Begins an attempt. What may hold or refuse one stands here. */
  begin() {
    const { settings, limits } = this;
    const attempt = new Attempt(settings, this.attempts + 1, this.startedAt, limits.deadlineAt, this.last);
    if (settings.hooks !== undefined) {
      this.emit('onAttempt', attempt.attempt);
      // A hook may have aborted, or taken the time that was left.
      if (limits.aborted) return this.stop('aborted');
      this.attemptAt = now();
      if (this.attemptAt >= limits.deadlineAt) return this.stop(this.attempts === 0 ? 'timeout' : 'deadline');
    }
    this.attempts++;
    this.metrics?.attempted(this.attempts);
    this.attempt = attempt;
    limits.begin(attempt);
    return (this.step = CALL);
  }

  /**
   * Looks at how an attempt ended.
   * @param {unknown} answer
   * @param {boolean} threw
   */
  review(answer, threw) {
    const { settings, limits, lifecycle } = this;
    limits.endAttempt();
    if (answer === INTERRUPTED) return this.stop('timeout');
    this.failed = threw;
    if (!threw) {
      try {
        this.checkResult(answer);
      } catch (mistake) {
        return this.callbackFailed(mistake);
      }
    }
    // The attempt may have aborted, and so may a hook below.
    if (limits.aborted) return this.stop('aborted');
    let permanent = false;
    this.hintMs = undefined;
    if (threw) {
      const directives = readDirectives(answer);
      this.outcome = directives.error;
      permanent = directives.permanent;
      if (directives.afterMs >= 0) this.hintMs = directives.afterMs;
    } else {
      this.outcome = answer;
      if (settings.retryOnResult === undefined && lifecycle === undefined) return this.stop('success');
    }
    this.note();
    // Most results of a fetch are good: whether one is a failure, the predicate says.
    if (threw || lifecycle === undefined) this.emit('onFailure', this.attempts, this.outcomeFields());
    return limits.aborted ? this.stop('aborted') : permanent ? this.stop('permanent') : this.ask();
  }

  /**
   * Throws if the callback must not return this.
   * @param {unknown} result
   */
  checkResult(result) {
    const mistake = returnedDirective(result);
    if (mistake !== undefined) throw mistake;
  }

  /** Asks the caller's predicate about the outcome. */
  ask() {
    const { settings, lifecycle, failed, outcome } = this;
    const attempt = /** @type {Attempt} */ (this.attempt);
    const predicate = failed ? settings.retryIf : settings.retryOnResult;
    let verdict;
    try {
      if (lifecycle !== undefined) verdict = lifecycle.ask(outcome, failed, attempt);
      else verdict = predicate === undefined || predicate(outcome, attempt);
    } catch (thrown) {
      return this.callbackFailed(thrown);
    }
    if (typeof verdict === 'boolean') return this.decide(verdict);
    this.pending = verdict;
    return (this.step = ASK);
  }

  /**
   * Follows the predicate.
   * @param {unknown} verdict its answer
   */
  decide(verdict) {
    let next;
    try {
      next = this.computeNext(verdict);
    } catch (thrown) {
      return this.callbackFailed(thrown);
    }
    return typeof next === 'string' ? this.stop(next) : this.wait(next);
  }

  /**
   * Returns a wait in ms, 'success', or the reason to stop.
   * @param {any} verdict
   * @returns {number | string}
   */
  computeNext(verdict) {
    const { settings, failed, limits, lifecycle, attempts } = this;
    // The predicate may have aborted, and so may random() and backoff().
    if (limits.aborted) return 'aborted';
    const stopped = failed ? 'notRetryable' : 'success';
    if (verdict === false) return stopped;
    const asked = lifecycle?.asked ?? (failed ? 'retryIf' : 'retryOnResult');
    const exactlyMs = verdict === true ? NaN : afterMsOf(verdict, asked, this.alsoAnswers);
    if (lifecycle !== undefined) {
      const ruling = lifecycle.allowRetry();
      if (!ruling.retry) return stopped;
      if (!failed) this.emit('onFailure', attempts, this.outcomeFields());
      if (limits.aborted) return 'aborted';
      if (ruling.stop !== undefined) return ruling.stop;
      this.hintMs = ruling.hintMs;
    }
    const decision = decide(settings, this, attempts, limits.deadlineAt, this.hintMs ?? NaN, exactlyMs);
    return limits.aborted ? 'aborted' : decision >= 0 ? decision : /** @type {string} */ (REASONS[-decision]);
  }

  /** What a predicate may answer beside the rest, for error texts. */
  get alsoAnswers() {
    return ', or a promise of these';
  }

  /** @param {number} delayMs */
  wait(delayMs) {
    this.delayMs = delayMs;
    this.metrics?.waits(delayMs);
    if (this.settings.hooks !== undefined) this.emit('onRetry', this.attempts, { ...this.outcomeFields(), delayMs });
    this.lifecycle?.discard();
    // The attempt and the answer need not live as long as the wait.
    this.attempt = this.pending = undefined;
    return (this.step = WAIT);
  }

  /** Whether a callback may have taken its time since the attempt ended: only then is the clock read again. */
  get mayBeLate() {
    const { settings, lifecycle } = this;
    return settings.watched || settings.retryIf || settings.random || settings.curve || lifecycle;
  }

  /** @param {number} time */
  afterWait(time) {
    const { beforeRetry } = this.settings;
    this.record();
    const { ended } = this.limits;
    if (ended !== undefined) return this.stop(ended);
    if (beforeRetry === undefined) {
      this.attemptAt = time;
      return this.begin();
    }
    try {
      const event = this.event(this.attempts, { ...this.outcomeFields(), delayMs: this.last?.delayMs });
      this.pending = beforeRetry(Object.freeze(event));
    } catch (thrown) {
      return this.callbackFailed(thrown);
    }
    return (this.step = PREPARE);
  }

  /** Follows `beforeRetry`. */
  prepared() {
    this.pending = undefined;
    this.attemptAt = now();
    const { ended } = this.limits;
    return ended === undefined ? this.begin() : this.stop(ended);
  }

  /**
   * Ends the operation because of an error that takes the outcome's place: of a callback other than the operation
   * itself, or of the core. The failure that was being judged becomes its cause.
   * @param {any} thrown
   */
  callbackFailed(thrown) {
    if (this.limits.aborted) return this.stop('aborted');
    // By the deadline, during a predicate or `beforeRetry`.
    if (thrown === INTERRUPTED) return this.stop('deadline');
    if (thrown !== undefined && thrown === this.fault) {
      warn(thrown);
      return this.stop('unavailable');
    }
    this.record();
    if (this.failed) blame(thrown, this.outcome);
    this.failed = true;
    this.outcome = thrown;
    return this.stop('callback');
  }

  /** @param {string} reason or 'success' */
  stop(reason) {
    this.settle(reason);
    this.limits.dispose();
    return (this.step = END);
  }
}

/**
 * Warns once per process that nothing is retried, and why.
 * @param {unknown} fault
 */
function warn(fault) {
  if (warned) return;
  warned = true;
  try {
    console.warn('rejitter: operations are not retried.', fault);
  } catch {
    // Test environments make it throw.
  }
}

/**
 * Makes a failure the cause of the error that takes its place, unless the error has a cause or would be its own.
 * @param {any} error
 * @param {any} failure
 */
function blame(error, failure) {
  try {
    if (!(error instanceof Error) || Object.hasOwn(error, 'cause') || !Object.isExtensible(error)) return;
    try {
      for (let depth = 0, each = failure; depth < DEEPEST && Object(each) === each; depth++, each = each.cause) {
        if (each === error) return;
      }
    } catch {
      // An unreadable failure has no causes.
    }
    hide(error, 'cause', failure);
  } catch {
    // An error that throws when it is looked at stays as it is.
  }
}

/**
 * @param {any} verdict
 * @param {string} name of the predicate
 * @param {string} also what else it may answer
 */
function afterMsOf(verdict, name, also) {
  const afterMs = typeof verdict === 'object' && verdict !== null && Object.hasOwn(verdict, 'afterMs') ? verdict.afterMs : undefined;
  if (isMs(afterMs)) return afterMs;
  const what = afterMs === undefined ? show(verdict) : `{ afterMs: ${show(afterMs)} }`;
  throw failure(
    typeof afterMs === 'number' ? RangeError : TypeError,
    `${name} must return true, false, { afterMs } between 0 and 2^53 - 1${also}, got ${what}`,
  );
}
