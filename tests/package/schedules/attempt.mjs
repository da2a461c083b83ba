// An attempt of the reference, from its admission to its end, and what protection hears of that.

import { INTERRUPTED, elapsed, now, timer } from './timer.mjs';
import { FAILURE, NOTHING, SUCCESS } from './machines.mjs';
import { tell } from './states.mjs';
import { TimeoutError, isA, own } from './values.mjs';

export class Attempt {
  /** Cancels its timeout. */
  cancel = () => {};
  /** Ends what is awaited of it. */
  cut = () => {};
  controller = new AbortController();
  /** Whether protection asks for another attempt as for a retry. */
  pays = true;

  /** @param {object} admission as protection gave it: `first`, `pass`, `until`, `heldMs`, `hedge` */
  constructor(op, admission) {
    Object.assign(this, admission, { op, number: op.attempts.length + 1 });
    const { options, startedAt, deadline, attempts } = op;
    const { number } = this;
    const previous = attempts.findLast(({ endedAt, number }) => endedAt !== undefined && number === op.recorded);
    this.view = {
      attempt: number,
      attemptsLeft: op.attemptsLeft(number),
      name: options.name,
      previousError: previous?.failed ? previous.outcome : undefined,
      previousDelayMs: previous?.delayMs,
      signal: this.controller.signal,
      alive: () => this.lives && this.hear(),
      progress: () => this.lives && this.gain(),
      commit: () => this.lives && this.commit(),
      get elapsedMs() {
        return elapsed(startedAt, now());
      },
      get remainingMs() {
        return Math.max(0, deadline - now());
      },
    };
  }

  /** The attempt has started, and its caller awaits it. */
  lives = false;

  /** Its time begins. */
  begin() {
    const { options, deadline, idle } = this.op;
    this.lives = true;
    const ms = options.attemptTimeoutMs;
    this.limit(now(), ms < deadline - now() ? ms : Infinity, idle.firstMs);
  }

  /** Another attempt of its round has won. */
  lose() {
    if (this.runs) {
      this.superseded = true;
      this.outcome = this.view.signal.reason;
    }
    this.close('superseded');
    this.endedAt ??= now();
  }

  /** It was not silent until now. */
  hear() {
    this.heardAt = now();
  }

  /** It gained something that the next attempt need not do again. */
  gain() {
    this.hear();
    this.progressed = true;
  }

  /** It must not be repeated. */
  commit() {
    if (this.committed) return;
    this.committed = true;
    this.op.commits(this);
  }

  /**
   * Sets the one timer that ends it, when its time is up or when it has been silent for too long. A sign of life sets
   * none, so this one is never longer than the silence that may follow that.
   */
  limit(from, leftMs, silentMs) {
    const { idle, options } = this.op;
    const ms = Math.min(leftMs, silentMs, idle.thenMs);
    if (ms === Infinity) return;
    const heard = this.heardAt;
    this.cancel = timer(ms, options.unref, (late) => {
      const time = now();
      // Fake timers need not move the clock.
      const passed = Math.max(ms, time - from);
      const left = leftMs - passed;
      const silent = this.heardAt === heard ? silentMs - passed : idle.thenMs - elapsed(this.heardAt, time);
      if (left > 0 && silent > 0) return this.limit(time, left, silent);
      Object.assign(this, { late, lives: false, timeout: new TimeoutError() });
      this.cut(INTERRUPTED);
      this.controller.abort(this.timeout);
    });
  }

  get runs() {
    return this.startedAt !== undefined && this.endedAt === undefined;
  }

  stop(reason) {
    this.lives = false;
    this.cancel();
    this.cut(INTERRUPTED);
    this.controller.abort(reason);
  }

  /** A server may ask everyone to come later. */
  throttle(time = this.endedAt) {
    const { hintMs, op } = this;
    const { cooldown, limiter } = op.state;
    const ms = Math.min(hintMs, op.parameters.longest);
    const cause = this.failed ? this.outcome : undefined;
    if (hintMs >= 0) this.throttled = true;
    if (hintMs > 0 && cooldown?.start(time, ms)) {
      this.ownUntil = cooldown.at(time).until;
      cooldown.cause = cause;
    }
    if (hintMs > 0 && limiter) {
      const isTooLate = (each) =>
        each.misses(limiter.wait(each, time), time) ||
        cooldown?.left(time) > (cooldown?.maxHoldMs ?? each.parameters.longest);
      limiter.pause(time + ms + op.draw(this.number) * Math.max(op.parameters.base, ms / 2), cause, isTooLate);
    }
    limiter?.release(this);
  }

  /**
   * What the end says, once its caller has classified it.
   * @param {boolean} again whether that asks for another attempt
   */
  classify(again) {
    if (this.verdict !== undefined) return;
    const { failed, outcome, timeout } = this;
    const status = failed || again ? statusOf(outcome) : undefined;
    if (status === 429) {
      this.throttled = true;
      this.throttle(now());
    }
    const silent = !failed ? SUCCESS : timeout || again ? FAILURE : NOTHING;
    const usual = this.throttled ? NOTHING : status === undefined ? silent : SAID[status];
    this.#answers(usual === SUCCESS && !failed, status);
    this.#hear(this.said ?? usual, usual === SUCCESS);
  }

  /** It ends with its operation, or because another one has ended that. */
  close(reason) {
    const { op } = this;
    op.state.limiter?.release(this);
    const isLast = this === op.last;
    if (reason === 'success' && isLast) this.classify(false);
    if (this.verdict !== undefined) return;
    const timesOut = reason === 'timeout' || (reason === 'aborted' && isTimeout(op.reason));
    const waited = (this.heldMs ?? this.queuedMs) !== undefined;
    if (this.number === 1 && this.runs && !waited && !this.hedge && timesOut)
      return this.#hear(FAILURE, false, op.reason);
    if (reason === 'permanent' && isLast) this.#answers(false, statusOf(this.outcome));
    return this.#hear(this.said ?? NOTHING, this.superseded);
  }

  /** Asks `isFailure`. */
  #answers(answered, status) {
    const { isFailure } = this.op.state;
    if (isFailure) {
      const { number, startedAt, endedAt = now() } = this;
      const end = { ...outcomeOf(this), ...(status && { status }), attempt: number };
      this.said = VERDICTS.get(tell(isFailure, { ...end, durationMs: elapsed(startedAt, endedAt) }));
    }
    this.answered = this.said === undefined ? answered : this.said !== FAILURE;
    this.pays = !this.answered;
  }

  /** The parts hear of an end, once; nothing of one that a late timer brought. */
  #hear(verdict, isSample, cause = this.failed ? this.outcome : undefined) {
    const { options, state } = this.op;
    const late = this.late || this.op.late;
    if (late) verdict = NOTHING;
    this.verdict = verdict;
    if (this.first && !late) state.hedge?.hear(this, now(), isSample || this.timeout, options.attemptTimeoutMs);
    if (verdict === SUCCESS && !this.throttled) state.cooldown?.succeeded(now(), this.until);
    state.ended(this.pass, verdict, () => this.op.draw(this.number), cause);
  }
}

/** The outcome of an end, of which there may be none. */
export const outcomeOf = (end) => ((end?.failed ?? true) ? { error: end?.outcome } : { result: end.outcome });

const isTimeout = (reason) => isA(reason, DOMException) && reason.name === 'TimeoutError';

const VERDICTS = new Map([
  [true, FAILURE],
  [false, SUCCESS],
  ['ignore', NOTHING],
]);

/** The verdicts of the statuses that schedules have. */
const SAID = {
  ...Object.fromEntries([202, 401, 404, 409, 501].map((status) => [status, SUCCESS])),
  ...Object.fromEntries([408, 500, 503].map((status) => [status, FAILURE])),
  429: NOTHING,
};

/** The status of an outcome, if the schedule gave it one. Some values cannot be read. */
function statusOf(shown) {
  const status = own(shown, 'status');
  return typeof status === 'number' && status in SAID ? status : undefined;
}
