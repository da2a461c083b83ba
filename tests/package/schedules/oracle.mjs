// The oracle of one operation: walks over the record with the rules of the design in hand, and objects
// where something happened that they do not allow or did not happen that they demand.
//
// It reads from the record what the outside did (how each callback ended and when, what was aborted),
// and derives what the package must do next.

import { Endings } from './endings.mjs';
import { END, Objection, same } from './record-reader.mjs';
import { OWN_CURVE, computedWait, draw, hintedWait } from './waits.mjs';

/** @returns {{ rule: number, text: string }[]} objections */
export function objectionsTo(world, operation, pkg) {
  const walk = new Walk(world, operation, pkg);
  try {
    walk.walk();
  } catch (thrown) {
    if (thrown instanceof Objection)
      return [{ rule: thrown.rule, text: `operation ${operation.id}: ${thrown.message}` }];
    // Something that is read here cannot be read: not what a sound package gives.
    if (thrown !== END) return [{ rule: 14, text: `operation ${operation.id}: ${thrown?.message}` }];
  }
  return [];
}

class Walk extends Endings {
  walk() {
    const { operation } = this;
    const { call } = operation;
    const settles = this.visible.filter((entry) => entry.kind === 'settle');
    this.require(settles.length <= 1, 13, 'settled twice');
    if (settles.length === 1) {
      const after = this.visible.find((entry) => entry.i > settles[0].i);
      this.require(after === undefined, 15, () => `${after?.name ?? after?.kind} after settlement`);
      this.require(
        settles[0].listeners.every((count, i) => count === 0 || this.shared(operation.signals[i], settles[0])),
        15,
        'a listener is left at settlement',
      );
      if (this.world.schedule.single) this.require(settles[0].timers === 0, 15, 'a timer is left at settlement');
    }
    if (call.aborted) this.rejected();
    for (;;) this.attempt();
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

  rejected() {
    this.abort = undefined;
    const settle = this.take('settle');
    this.require(settle.turn === this.operation.call.turn, 11, 'an aborted signal was noticed late');
    this.require(this.wasAborted(settle), 11, 'rejected with something else than the reason');
    this.require(settle.report === undefined, 14, 'the reason of an abort has a report');
    throw END;
  }

  attempt() {
    const n = this.n + 1;
    const opened = this.hook('onAttempt', n, {});
    if (opened) this.require(opened.t < this.deadline, 8, () => `onAttempt ${n} came at or after the deadline`);
    if (opened && this.time >= this.deadline) {
      this.ended = { i: opened.exit, t: this.time, turn: opened.turn };
      if (!this.cut) this.expiredBefore(n);
    }
    const entry = this.take('fn');
    this.started = entry;
    this.n = n;
    this.require(n <= this.maxAttempts, 1, () => `attempt ${n} of ${this.maxAttempts}`);
    this.checkBeginning(entry, n);
    this.settleAttempt(entry);
    if (this.outcome.misplaced) this.returnedMark();
    const { failed, value, mark } = this.outcome;
    const fields = failed ? { error: value } : { result: value };
    if (!failed && !this.uses.retryOnResult) this.success();
    this.record(fields, entry);
    this.hook('onFailure', n, fields);
    if (this.cut) this.aborted();
    if (mark.permanent) this.finish('permanent');
    const exactly = this.verdict(entry);
    if (n >= this.maxAttempts) {
      this.failure = this.lost(entry);
      // Without a core, the operation may not know that this was the last attempt.
      this.finish(this.failure && this.claim('unavailable') ? 'unavailable' : 'exhausted');
    }
    const { delayMs, lo, hi } = this.delay(exactly, entry);
    this.meetDeadline(delayMs ?? lo, delayMs ?? hi);
    this.begunWait = { delayMs, lo, hi, from: this.decidedAt, after: this.last, unsure: this.ended.unsure };
    const retry = this.hook('onRetry', n, fields);
    if (retry) this.checkDelay(n, retry.event.delayMs, 'onRetry');
    if (retry) this.begunWait.from = Math.max(this.begunWait.from, retry.exitT);
    this.checkTimer();
    const next = this.peek();
    if (this.cut) this.aborted();
    if (next === undefined) this.nothing('nothing came after the wait');
    if (next.kind === 'settle' || next.name === 'onGiveUp') {
      this.require(next.t >= this.deadline - this.world.early, 13, 'ended during a wait, before the deadline');
      const { busy, early, late } = this.world;
      // Node's shortest timer is 1 ms.
      const due = this.begunWait.from + Math.max(1, Math.ceil(delayMs ?? hi));
      this.require(
        busy + early + late > 0 || this.ended.unsure || due >= this.deadline - 1e-6,
        8,
        () => `a wait that ended ${this.deadline - due} ms before the deadline was cut short by it`,
      );
      this.late = next;
      this.finish('deadline');
    }
    this.lastRecord.delayMs = delayMs;
    if (this.uses.beforeRetry) this.before(n, fields);
  }

  /** A callback that returns a mark, which it should have thrown, has made a mistake. No retry fixes it. */
  returnedMark() {
    const { n } = this;
    this.outcome = { failed: false, value: this.outcome.value, mark: {} };
    const next = this.peek();
    // The design does not say whether onFailure is called, nor what the record holds.
    if (!this.cut && next?.name === 'onFailure' && next.event.attempt === n) this.at += 1;
    if (this.cut) this.aborted();
    this.silent = true;
    this.finish(
      'callback',
      (error) => error instanceof TypeError && !this.world.own.has(error) && error.message.startsWith('rejitter: '),
    );
  }

  /** Takes the call of beforeRetry, which the operation awaits between the wait and the next attempt. */
  before(n, fields) {
    const entry = this.take('beforeRetry');
    this.require(entry.t < this.deadline, 8, () => `beforeRetry after attempt ${n} came at or after the deadline`);
    this.checkEvent(entry, 'beforeRetry', n, fields);
    if (entry.event.delayMs !== undefined) this.checkDelay(n, entry.event.delayMs, 'beforeRetry');
    this.checkWait(entry);
    const end = this.answer(entry, 'beforeRetry');
    if (!end.ok) this.slip(end);
    if (this.time >= this.deadline) this.finish('deadline');
  }

  /**
   * A wait, rounded up as its timer is, that leaves less than a millisecond before the deadline is not started; any
   * other is.
   */
  meetDeadline(lo, hi) {
    const remaining = this.deadline - this.decidedAt - 1;
    // Without a draw the number is the same to the last bit here and there.
    const exact = this.world.busy === 0 && (this.exactly || (this.parameters.jitter === 'none' && this.computed));
    const atOnce = this.claim('deadline') && this.peek().turn === Math.max(this.last.turn, this.ended.turn);
    const least = Math.ceil(exact ? lo : lo * (1 - 1e-12) - 1e-9);
    if (this.ended.unsure ? this.claim('deadline') : least > remaining && (exact || !same(least, remaining)))
      this.finish('deadline');
    // Not known to the last bit, or not before the code that blocked the thread had ended.
    const most = Math.ceil(exact ? hi : hi * (1 + 1e-12) + 1e-9);
    if (atOnce && (most > remaining - this.world.busy || same(most, remaining))) this.finish('deadline');
  }

  /** The wait that ends with this entry. */
  checkWait(entry) {
    const { from, delayMs, lo, hi, after, unsure } = this.begunWait;
    const waited = entry.t - from;
    this.require(entry.turn > after.turn, 21, 'no turn of the event loop between attempts');
    this.require(
      unsure || waited >= (delayMs ?? lo) * (1 - 1e-12) - this.world.early - 1e-6,
      6,
      () => `waited ${waited} ms instead of ${delayMs ?? lo}`,
    );
    this.require(waited <= (delayMs ?? hi) + this.slack, 4, () => `waited ${waited} ms instead of ${delayMs ?? hi}`);
  }

  checkBeginning(entry, n) {
    const { received } = this.operation;
    this.require(entry.t < this.deadline, 8, () => `attempt ${n} began at or after the deadline`);
    if (n === 1) this.require(entry.turn === this.operation.call.turn, 13, 'attempt 1 was not called at once');
    else if (this.uses.beforeRetry)
      this.require(entry.turn === this.ended.turn, 13, () => `attempt ${n} did not follow beforeRetry at once`);
    else this.checkWait(entry);
    if (entry.attempt === undefined) return;
    this.require(entry.number === n, 3, () => `attempt ${n} is called ${entry.number}`);
    this.require(
      entry.attemptsLeft === this.maxAttempts - n,
      3,
      () => `attempt ${n} of ${this.maxAttempts} says attemptsLeft ${entry.attemptsLeft}`,
    );
    this.require(
      entry.name === this.options.name,
      20,
      () => `attempt ${n} says that the operation is called ${entry.name}`,
    );
    this.require(
      Object.is(entry.previousError, n === 1 || !this.outcome.failed ? undefined : this.outcome.value),
      14,
      'previousError is not the previous error',
    );
    if (n === 1) this.require(entry.previousDelayMs === undefined, 4, 'a previous delay in attempt 1');
    else this.checkDelay(n - 1, entry.previousDelayMs, 'previousDelayMs');
    if (entry.signal !== undefined) {
      this.require(entry.aborted === false, 12, () => `attempt ${n} began aborted`);
      this.require(
        !received.slice(0, n - 1).some((other) => other.signal === entry.signal),
        12,
        'attempts share a signal',
      );
    }
    if (entry.elapsedMs !== undefined) {
      this.require(
        this.sameTime(entry.elapsedMs, entry.t - this.startedAt),
        9,
        () => `elapsedMs is ${entry.elapsedMs} at ${entry.t - this.startedAt}`,
      );
      this.require(
        this.sameTime(entry.remainingMs, Math.max(0, this.deadline - entry.t)),
        8,
        () => `remainingMs is ${entry.remainingMs}`,
      );
    }
  }

  /** Finds out how the attempt ended, and whether it was allowed to end so. */
  settleAttempt(entry) {
    const { n } = this;
    const end = entry.end;
    const remaining = this.deadline - entry.t;
    const timed = this.attemptTimeout < remaining;
    this.ended = end;
    if (this.cut) {
      const before = end !== undefined && end.i < this.abort.i ? end : undefined;
      const { aborted } = this.operation.received[n - 1];
      // Ended before, silently: which way, the report says.
      this.silent =
        (before !== undefined && before.turn < this.abort.turn) || (aborted !== undefined && aborted.i < this.abort.i);
      this.running = this.silent ? undefined : entry;
      this.aborted();
    }
    const next = this.peek();
    if (next === undefined) {
      if (end !== undefined || timed || this.deadline < Infinity)
        this.nothing(`attempt ${n} ended, and then nothing came`);
      throw END;
    }
    if (this.claim('timeout')) {
      this.require(next.t >= this.deadline - this.world.early - 1e-6, 8, 'timed out before the deadline');
      this.require(end === undefined || end.turn >= next.turn, 8, 'the attempt had ended when the deadline passed');
      this.running = entry;
      this.timeout();
    }
    const attemptAbort = this.operation.received[n - 1].aborted;
    const cutShort =
      attemptAbort !== undefined &&
      attemptAbort.i < next.i &&
      this.isOurs(attemptAbort.reason) &&
      (end === undefined || end.turn >= attemptAbort.turn);
    const shown = cutShort ? { entry: attemptAbort, value: attemptAbort.reason } : this.shown();
    if (shown !== undefined && this.isOurs(shown.value)) {
      this.require(timed, 10, 'timed out without a limit, or although the deadline came first');
      const declared = shown.entry.turn;
      this.require(
        next.t >= entry.t + this.attemptTimeout - this.world.early - 1e-6,
        10,
        () => `timed out ${next.t - entry.t} ms after its start instead of ${this.attemptTimeout}`,
      );
      this.require(
        end === undefined ||
          end.turn >= Math.min(declared, next.turn) ||
          end.t >= entry.t + this.attemptTimeout - this.world.early,
        10,
        'timed out although it had ended before',
      );
      this.checkCause(shown.value);
      const attempt = this.operation.received[n - 1];
      if (attempt.aborted)
        this.require(
          Object.is(attempt.aborted.reason, shown.value),
          12,
          'the attempt was aborted with another error than it failed with',
        );
      else if (attempt.signal !== undefined) this.object(12, 'a timed-out attempt was not aborted');
      this.outcome = { failed: true, value: shown.value, mark: {} };
      this.ended = attempt.aborted ?? { i: entry.i, t: next.t, turn: next.turn, unsure: true };
    } else {
      this.require(
        end !== undefined && end.turn <= next.turn,
        13,
        () => `${next.name ?? next.kind} came while attempt ${n} was running`,
      );
      const limit = Math.min(this.attemptTimeout, remaining);
      this.require(
        end.t <= entry.t + limit + this.slack,
        timed ? 10 : 8,
        () => `attempt ${n} was allowed ${end.t - entry.t} ms`,
      );
      this.outcome = {
        failed: !end.ok,
        value: end.made.shown,
        mark: end.ok ? {} : end.made,
        misplaced: end.ok && end.made.marked,
      };
      this.ended = end;
      const attempt = this.operation.received[n - 1];
      if (attempt.aborted !== undefined && attempt.aborted.turn < end.turn)
        this.object(12, 'an attempt that went on was aborted');
    }
    if (!this.ended.unsure && !this.cut)
      this.require(
        next.turn === this.ended.turn || next.kind === 'fn' || (next.turn > this.ended.turn && this.starts(next)),
        13,
        'the outcome was noticed late',
      );
  }

  /** Whether a whole wait may lie between an outcome and this. */
  starts(next) {
    return (
      next.name === 'onAttempt' || next.kind === 'beforeRetry' || next.kind === 'settle' || next.name === 'onGiveUp'
    );
  }

  /** Asks the predicate's part of the record. Gives the demanded wait, if any. */
  verdict(received) {
    const { failed, value } = this.outcome;
    const kind = failed ? 'retryIf' : 'retryOnResult';
    // This preset has a predicate: p-retry stops at programming errors.
    if (failed && !this.uses.retryIf && this.world.schedule.preset === 'pRetryRandomized' && isTypeError(value))
      this.finish('notRetryable');
    if (!this.uses[kind]) return undefined;
    const entry = this.take(kind);
    this.require(Object.is(entry.outcome, value), 14, () => `${kind} was called with something else`);
    this.require(
      entry.attempt === received.attempt || received.attempt === undefined,
      14,
      () => `${kind} got another attempt`,
    );
    const end = this.answer(entry, kind);
    this.require(this.peek().kind !== kind, 19, () => `${kind} was called twice`);
    if (!end.ok) this.slip(end);
    const verdict = end.made.thrown;
    if (verdict === true) return undefined;
    if (verdict === false) failed ? this.finish('notRetryable') : this.success();
    const afterMs = typeof verdict === 'object' ? verdict?.afterMs : undefined;
    if (typeof afterMs === 'number' && afterMs >= 0) return afterMs;
    return this.slip(end, typeof afterMs === 'number' ? RangeError : TypeError);
  }

  /** Returns how a callback that the operation awaits ended. */
  answer(entry, kind) {
    const { end } = entry;
    if (this.cut) this.aborted();
    const next = this.peek();
    if (
      next !== undefined &&
      (end === undefined || end.turn > next.turn) &&
      this.claim('deadline') &&
      next.t >= this.deadline - this.world.early
    ) {
      this.late = next;
      this.finish('deadline');
    }
    if (next === undefined) {
      if (end !== undefined || this.deadline < Infinity) this.nothing(`${kind} answered, and then nothing came`);
      throw END;
    }
    this.require(
      end !== undefined && end.turn <= next.turn,
      13,
      () => `${next.name ?? next.kind} came before ${kind} had answered`,
    );
    this.ended = end;
    return end;
  }

  /** Returns the wait that must follow: exactly, or its bounds where the draws are not known. */
  delay(exactly, attempt) {
    const { parameters, n, uses, operation } = this;
    const { mark } = this.outcome;
    const hint = mark.afterMs > 0 && exactly === undefined ? mark.afterMs : undefined;
    this.hintMs = mark.afterMs;
    this.learns = false;
    this.exactly = exactly !== undefined;
    this.computed = exactly === undefined && hint === undefined;
    const { draws, own } = this.numbers();
    this.failure = this.lost(attempt);
    if (this.failure) this.finish('unavailable');
    if (hint > Math.min(parameters.longest, 2 ** 53 - 1) && !parameters.followsFar) this.finish('hint');
    const wanted = uses.random && exactly === undefined && (parameters.jitter !== 'none' || hint !== undefined) ? 1 : 0;
    this.require(draws.length === wanted, 7, () => `${draws.length} draws instead of ${wanted}`);
    if (exactly === undefined && parameters.backoff === 'function' && !OWN_CURVE.includes(parameters.jitter))
      this.require(own !== undefined, 4, 'the backoff function was not called');
    this.decidedAt = this.time;
    if (exactly !== undefined) return { delayMs: exactly, lo: exactly, hi: exactly };
    const computed = computedWait(parameters, n, { previous: this.previous, previousR: this.previousR, own });
    const wait = hint === undefined ? computed : hintedWait(parameters, hint, computed);
    const { seed } = this.options;
    if (seed !== undefined) draws.push(draw(seed, operation.index, n, 0), draw(seed, operation.index, n, 1));
    const drawn = draws.length > 0 ? wait.at(draws[0], draws[1]) : NaN;
    const delayMs = Number.isNaN(drawn) ? (wait.lo === wait.hi ? wait.lo : undefined) : drawn;
    if (this.computed) {
      [this.previous, this.previousR] = [delayMs ?? Infinity, draws[0]];
      // Without the draws, bounds that hang on the previous wait are those of that wait as reported.
      this.learns = delayMs === undefined;
    }
    return { delayMs, lo: wait.lo, hi: wait.hi };
  }

  /** Takes the answers of `random` and a backoff function for one wait. */
  numbers() {
    const draws = [];
    let own;
    while (!this.cut && ['random', 'curve'].includes(this.peek()?.kind)) {
      const { kind } = this.peek();
      const entry = this.take(kind);
      const result = entry.end.made.thrown;
      if (this.cut) this.aborted();
      if (!entry.end.ok) this.slip(entry.end);
      if (kind === 'curve') {
        this.require(
          own === undefined && !this.exactly && entry.k === this.n,
          3,
          () => `backoff(${entry.k}) after attempt ${this.n}`,
        );
        if (!(typeof result === 'number' && result >= 0)) this.slip(entry.end, RangeError);
        own = result;
      } else {
        if (!(typeof result === 'number' && result >= 0 && result < 1)) this.slip(entry.end, RangeError);
        draws.push(result);
      }
    }
    if (this.cut) this.aborted();
    return { draws, own };
  }

  checkDelay(k, reported, where) {
    const { delayMs, lo, hi } = this.begunWait;
    if (delayMs === undefined)
      this.require(
        reported >= lo - 1e-9 && reported <= hi * (1 + 1e-12) + 1e-9,
        4,
        () => `${where} is ${reported}, outside [${lo}, ${hi}]`,
      );
    else this.require(same(reported, delayMs), 7, () => `${where} is ${reported} instead of ${delayMs}`);
    if (this.learns) this.previous = reported;
    this.waits[k - 1] = reported;
  }

  /** The wait's own timer: armed at once, rounded up. */
  checkTimer() {
    if (!this.world.schedule.single || this.cut || this.ended.unsure || this.peek() === undefined) return;
    const { delayMs, lo, hi, after } = this.begunWait;
    const arm = this.entries.find(
      (entry) =>
        entry.kind === 'arm' && entry.i > Math.max(after.i, this.last.i, this.ended.i) && entry.turn >= after.turn,
    );
    const next = this.peek();
    if (arm === undefined || arm.i > next.i) {
      this.require(
        next.kind !== 'fn' && next.kind !== 'beforeRetry' && next.name !== 'onAttempt',
        21,
        'an attempt without a timer before it',
      );
      return;
    }
    const most = 2 ** 31 - 1;
    this.require(
      arm.ms >= Math.min(most, Math.ceil((delayMs ?? lo) * (1 - 1e-12))) &&
        arm.ms <= Math.min(most, Math.ceil((delayMs ?? hi) * (1 + 1e-12) + 1e-9)),
      5,
      () => `a timer of ${arm.ms} ms for a wait of ${delayMs ?? `${lo} to ${hi}`}`,
    );
    this.require(arm.turn === this.last.turn || this.ended.turn === arm.turn, 4, 'the wait began late');
  }
}

function isTypeError(value) {
  try {
    return value instanceof TypeError;
  } catch {
    return false;
  }
}
