// @ts-check
// One operation as a machine of synchronous steps. It says what is to be done next; a driver does that and says how it
// ended: run.js awaits, sync.js blocks. Everything else happens within the steps: hooks, records, the core.

import { isMs } from '../options/checks.js';
import { REASONS } from '../options/codes.js';
import { failure, show } from '../options/messages.js';
import { Attempt } from './attempt.js';
import { INTERRUPTED } from './cancellation.js';
import { decide } from './decision.js';
import { readDirectives, mistakeIn } from './directives.js';
import { OperationState } from './operation-state.js';
import { hide } from './report.js';
import { now, restOf } from './timer.js';

// Steps that the driver performs.
/** Nothing yet: the operation starts. */
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
/** Wait for `pending`, the ms for which protection holds the next attempt. */
export const HOLD = 6;
/** Call `fn`, which starts a round of attempts, and wait for the function that goes on after it. */
export const ROUND = 7;

/** Number of causes that are searched for an error before it becomes one of them. */
const DEEPEST = 10;

/** True once this process was warned that the core is unavailable. */
let warned = false;

export class Operation extends OperationState {
  /** The step that the driver performs now. */
  step = BEGIN;
  /** @type {unknown} */
  pending;

  /**
   * Returns what to do next.
   * @param {any} answer what the last step brought: a value, or what was thrown; after a wait, the time
   * @param {boolean} threw
   */
  next(answer, threw) {
    const { step } = this;
    /** @type {number | string} 'success' and the reasons to stop are strings */
    let next;
    try {
      if (step === BEGIN) next = this.start();
      else if (step === CALL) next = this.review(answer, threw);
      else if (threw) throw answer;
      else if (step === ASK) next = this.decide(answer);
      else next = step === ROUND ? answer() : this.goOn(answer);
    } catch (thrown) {
      next = this.callbackFailed(thrown);
    }
    if (typeof next === 'string') {
      this.settle(next);
      this.limits.dispose();
      next = END;
    }
    return (this.step = next);
  }

  start() {
    const { limits } = this;
    this.startedAt = now();
    limits.start(this);
    if (limits.aborted) {
      // Nothing happened that a hook or a report could show.
      this.failed = true;
      this.outcome = limits.reason;
      return END;
    }
    limits.metrics?.begun();
    this.gate = this.protection?.use().gate();
    return this.begin();
  }

  /** @returns {import('../options/seam.js').Protection | undefined} */
  get protection() {
    return this.settings.protection;
  }

  /** Starts an attempt, unless protection holds it, after which this is called again, or rejects it. */
  begin() {
    const { settings, limits } = this;
    const held = this.gate?.enter(this, HOLD, ROUND);
    if (held !== undefined) return held;
    const attempt = new Attempt(settings, this.attempts + 1, this.startedAt, limits.deadlineAt, this.records.at(-1));
    if (settings.hooks) {
      this.emit('onAttempt', attempt.attempt);
      // A hook may have aborted, or taken the time that was left.
      if (limits.aborted) return 'aborted';
      this.attemptAt = now();
      if (this.attemptAt >= limits.deadlineAt) return 'deadline';
    }
    this.attempts++;
    limits.metrics?.attempted(this.attempts);
    this.attempt = attempt;
    limits.begin(attempt);
    return CALL;
  }

  /**
   * Takes in how an attempt ended.
   * @param {unknown} answer
   * @param {boolean} threw
   */
  review(answer, threw) {
    const { limits } = this;
    const timeout = limits.endAttempt();
    if (answer === INTERRUPTED) {
      if (timeout === undefined) return 'timeout';
      answer = timeout;
    }
    this.failed = threw;
    const mistake = threw ? undefined : mistakeIn(answer);
    if (mistake !== undefined) throw mistake;
    // The attempt may have aborted, and so may a hook below.
    if (limits.aborted) return 'aborted';
    const directives = threw ? readDirectives(answer) : undefined;
    this.outcome = directives ? directives.error : answer;
    if (!threw && !this.polls) return 'success';
    this.hintMs = directives?.afterMs;
    this.note();
    if (/** @type {number} */ (this.hintMs) >= 0) this.gate?.heard(this, this.hintMs);
    if (this.settings.hooks) this.emit('onFailure', this.attempts, this.outcomeFields());
    if (limits.aborted) return 'aborted';
    return directives?.rejected ? 'notRetryable' : directives?.permanent ? 'permanent' : this.ask();
  }

  /** Whether a result may be followed by another attempt. */
  get polls() {
    return this.settings.retryOnResult !== undefined;
  }

  /** Name of the option that decides about the outcome. @returns {string} */
  get asked() {
    return this.failed ? 'retryIf' : 'retryOnResult';
  }

  /** Asks the caller about the outcome. */
  ask() {
    this.pending = this.predicate();
    return typeof this.pending === 'boolean' ? this.decide(this.pending) : ASK;
  }

  /** @returns {unknown} */
  predicate() {
    const { settings, failed } = this;
    const predicate = failed ? settings.retryIf : settings.retryOnResult;
    return predicate === undefined || predicate(this.outcome, this.attempt);
  }

  /**
   * Follows the predicate.
   * @param {any} verdict its answer
   */
  decide(verdict) {
    const { limits } = this;
    // The predicate may have aborted.
    if (limits.aborted) return 'aborted';
    const again = verdict !== false;
    const exactlyMs = typeof verdict === 'boolean' ? NaN : afterMsOf(verdict, this.asked, limits.alsoAnswered);
    this.gate?.ended(this, again);
    if (!again) return this.failed ? 'notRetryable' : 'success';
    return this.refusal() ?? this.plan(exactlyMs);
  }

  /**
   * Returns the reason why a failure that the caller would retry ends the operation, if there is one.
   * @returns {string | undefined}
   */
  refusal() {
    return undefined;
  }

  /**
   * Computes the wait before another attempt. Protection has the last word: it takes the tokens of a retry that
   * nothing else forbids, and puts them back if the attempt is never made.
   * @param {number} exactlyMs
   * @returns {number | string}
   */
  plan(exactlyMs) {
    const { limits } = this;
    const decision = decide(this.settings, this, this.attempts, limits.deadlineAt, this.hintMs, exactlyMs, this.hedges);
    // random() and backoff() may have aborted.
    if (limits.aborted) return 'aborted';
    if (decision < 0) return /** @type {string} */ (REASONS[-decision]);
    const wait = this.gate?.retry(this, decision) ?? decision;
    return typeof wait === 'string' ? wait : this.wait(wait);
  }

  /** @param {number} delayMs */
  wait(delayMs) {
    this.delayMs = delayMs;
    this.limits.metrics?.waits(delayMs);
    if (this.settings.hooks) this.emit('onRetry', this.attempts, { ...this.outcomeFields(), delayMs });
    // The attempt and the answer need not live as long as the wait.
    this.attempt = this.pending = undefined;
    return WAIT;
  }

  /**
   * Whether a wait is a timer of the host and nothing else: nothing ends it early, and no callback has taken its time
   * since the attempt ended. Then `goOn` sees to the rest of it, which is in `pending`.
   */
  get bare() {
    const { limits, pending, settings } = this;
    if (!limits.endless || pending !== undefined || this.polls) return false;
    return !(settings.watched || settings.retryIf || settings.random || settings.curve);
  }

  /**
   * Follows the wait, `beforeRetry` and a hold.
   * @param {number} time after the wait
   */
  goOn(time) {
    const { beforeRetry } = this.settings;
    const { delayMs } = this;
    if (this.step === WAIT && this.bare) {
      time = now();
      const restMs = restOf(/** @type {number} */ (delayMs), this.endedAt, time);
      if (restMs > 0) {
        this.pending = restMs;
        return WAIT;
      }
    }
    this.record();
    const { ended } = this.limits;
    if (ended !== undefined) return ended;
    this.pending = undefined;
    if (this.step === PREPARE) {
      time = now();
    } else if (this.step === WAIT && beforeRetry !== undefined) {
      const event = this.event(this.attempts, { ...this.outcomeFields(), delayMs });
      this.pending = beforeRetry(Object.freeze(event));
      return PREPARE;
    }
    this.attemptAt = time;
    return this.begin();
  }

  /**
   * Returns the reason to stop for an error that replaces the outcome: of a callback other than the operation
   * itself, or of the core. The failure that was being classified becomes its cause.
   * @param {any} thrown
   */
  callbackFailed(thrown) {
    if (this.limits.aborted) return 'aborted';
    // Ended by the deadline, during a predicate or `beforeRetry`.
    if (thrown === INTERRUPTED) return 'deadline';
    if (thrown !== undefined && thrown === this.fault) {
      warn(thrown);
      return 'unavailable';
    }
    const { error } = readDirectives(thrown);
    this.record();
    if (this.failed) blame(error, this.outcome);
    this.failed = true;
    this.outcome = error;
    return 'callback';
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
    // An error that throws when it is read stays as it is.
  }
}

/**
 * @param {any} verdict
 * @param {string} name of the predicate
 * @param {string} also what else it may answer
 */
function afterMsOf(verdict, name, also) {
  const afterMs =
    typeof verdict === 'object' && verdict !== null && Object.hasOwn(verdict, 'afterMs') ? verdict.afterMs : undefined;
  if (isMs(afterMs)) return afterMs;
  const what = afterMs === undefined ? show(verdict) : `{ afterMs: ${show(afterMs)} }`;
  throw failure(
    typeof afterMs === 'number' ? RangeError : TypeError,
    `${name} must return true, false, { afterMs } between 0 and 2^53 - 1${also}, got ${what}`,
  );
}
