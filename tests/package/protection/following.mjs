// One operation, followed through the record. It is written as the design has it, from the top to the bottom: what
// must come next is taken from the record. How the record is read: reading.mjs.

import { computedWait, draw, hintedWait, resolved } from '../schedules/waits.mjs';
import { FAILURE, NOTHING, SUCCESS } from './machines.mjs';
import { Cut, Reading } from './reading.mjs';
import { Attempt, compareSignals } from './records.mjs';
import { Round } from './round.mjs';
import { compareSettlement, described } from './settlement.mjs';

/** The lane of the draws that protection needs, next to those of waits. */
const BESIDE = 2;

const ceil = Math.ceil;

export class Following extends Reading {
  constructor(oracle, operation, state, call) {
    super(oracle, operation, state, call);
    this.pkg = oracle.pkg;
    this.plan = operation.plan;
    this.parameters = resolved(this.options);
    this.startedAt = call.r;
    this.deadline = call.r + (this.options.totalTimeoutMs ?? Infinity);
    /** All attempts so far. @type {Attempt[]} */
    this.list = [];
    /** Attempts without those that were hedges: waits are numbered by them. */
    this.rounds = 0;
    /** How long the next attempt was held, if it was. @type {number | undefined} */
    this.heldMs = undefined;
    /** Tokens taken for an attempt that has not started. */
    this.taken = 0;
    /** Whether a cooldown holds it. */
    this.holds = false;
    /** Tokens that the last retry took. */
    this.spent = 0;
    /** The breaker's ticket of the attempt that starts. */
    this.pass = undefined;
    /** The attempt that ended last. @type {Attempt | undefined} */
    this.outcome = undefined;
    /** The round that runs. @type {Round | undefined} */
    this.round = undefined;
    /** The attempt that ended the operation, where it may have a hedge. @type {Attempt | undefined} */
    this.winner = undefined;
    /** Calls of `isFailure`. */
    this.asked = 0;
    this.start(this.run(call));
  }

  get attempts() {
    return this.list.length;
  }

  /** The draw of a lane: the caller's own, or that of the seed. */
  draw(lane, number = this.attempts) {
    const { seed } = this.options;
    return seed === undefined ? this.plan.draw : draw(seed, this.operation.index, number, lane);
  }

  take(entry) {
    super.take(entry);
    if (entry.kind === 'isFailure') this.asked += 1;
    if (entry.kind === 'protection' && entry.event.type === 'rejected') this.counted = undefined;
  }

  accept(entry) {
    // A wait, or a hook that says so: the retry was decided.
    this.undecided = false;
    super.accept(entry);
  }

  /** The rule that an unexpected entry breaks: a part that stops what it must not stop says so itself. */
  broken(entry) {
    if (entry.kind !== 'settle') return this.round?.forbidden ?? this.want.rule;
    switch (entry.report?.reason ?? entry.value?.by) {
      case 'breaker':
        return this.state.stale ? 'P7' : this.state.breaker?.phase === 'half-open' ? 'P6' : 'breaker';
      case 'cooldown':
        return 'cooldown';
      case 'budget':
        return this.attempts === 0 ? 'P3' : 'P2';
      default:
        return this.round?.forbidden ?? this.want.rule;
    }
  }

  *run(call) {
    if (call.aborted) {
      this.aborted = true;
      yield* this.settle({ aborted: true, rule: 'P10' });
      return;
    }
    try {
      yield* this.operate();
    } catch (thrown) {
      if (!(thrown instanceof Cut)) throw thrown;
      this.release();
      yield* this.settle({ aborted: true, rule: 'P10' });
    }
  }

  *operate() {
    const { totalTimeoutMs } = this.options;
    if (this.state.hedge !== undefined && totalTimeoutMs !== undefined)
      yield* this.arms(totalTimeoutMs, 'order', 'the timer of the deadline', { of: 'deadline' });
    for (;;) {
      if (!(yield* this.enter())) return;
      yield* this.hook('onAttempt', { number: this.attempts + 1, rule: this.rule });
      const attempt = new Attempt(this.pass, this.heldMs);
      const failure = yield* this.state.hedge === undefined ? this.alone(attempt) : new Round(this).run(attempt);
      if (failure === undefined) return;
      const delay = yield* this.decide(failure);
      if (delay === undefined) return;
      failure.attempt.delayMs = delay.delay;
      if (!(yield* this.wait(delay))) return;
    }
  }

  /** An attempt without hedges. Returns its failure if another one may follow. */
  *alone(attempt) {
    yield* this.call(attempt);
    const end = yield* this.judge(attempt);
    return end.ends === undefined ? end : yield* this.finish(attempt, end);
  }

  /** The callback is called. */
  *call(attempt, rule = this.rule ?? 'P6') {
    const fn = yield* this.expect('fn', rule, attempt.hedge ? 'a hedge' : 'an attempt');
    this.pass = undefined;
    this.list.push(Object.assign(attempt, { fn, from: fn.r, number: this.attempts + 1 }));
    if (fn.n !== attempt.number || fn.number !== fn.n) this.object('order', `attempt ${fn.number} is the ${fn.n}th`);
    if (attempt.hedge) return;
    this.rounds += 1;
    if (this.taken > 0) this.spent = this.taken;
    this.taken = 0;
  }

  /** The checks before an attempt. Returns whether it may start. */
  *enter() {
    const { breaker, cooldown } = this.state;
    let waited = false;
    const late = () => this.refuse('cooldown', this.state.cooldown.left(this.now), 'P11');
    this.rule = undefined;
    this.heldMs = undefined;
    for (;;) {
      if (this.now >= this.deadline) {
        // When a hold began, it was to end before the deadline.
        if (waited) return yield* late();
        yield* this.stop('deadline', 'P11');
        return false;
      }
      if (breaker?.look(this.now) > 0) return yield* this.refuse('breaker', breaker.look(this.now), 'P4');
      const left = cooldown?.left(this.now) ?? 0;
      if (left > 0) {
        const held = cooldown.hold(this.now, this.parameters.base, this.draw(BESIDE));
        const roomMs = this.deadline - this.now - ceil(held) - 1;
        // Where rounding decides, the record says whether there is room.
        const misses = Math.abs(roomMs) < 1e-6 ? this.comes() === 'settle' : roomMs < 0;
        const long = left > (cooldown.maxHoldMs ?? this.parameters.longest);
        if (misses || long) return yield* this.refuse('cooldown', left, 'P8');
        cooldown.held += 1;
        this.holds = true;
        const from = this.now;
        if (!(yield* this.sleep(held, 'P11', `a hold of ${held} ms`))) return yield* late();
        this.leave();
        this.heldMs = (this.heldMs ?? 0) + this.now - from;
        waited = true;
        continue;
      }
      if (!breaker) return true;
      const { pass, wait } = breaker.admit(this.now, this.attempts === 0);
      this.state.stale = false;
      if (pass === undefined) return yield* this.refuse('breaker', wait, 'P5');
      this.pass = pass;
      this.rule = 'P6';
      return true;
    }
  }

  /** Protection rejects the next attempt. */
  *refuse(by, ms, rule) {
    // A wait of 0 without a timer, in retrySync, has passed.
    this.undecided = false;
    this.count(by);
    yield* this.stop(by, rule, ms);
    return false;
  }

  /**
   * How an attempt ends, from its call to the caller's verdict.
   * @returns {Generator<any, { ends?: string, rule?: string, error?: any, exactly?: number }>} why it ends the
   *   operation; without a reason, another one may follow
   */
  *judge(attempt) {
    const end = yield* this.ending(attempt);
    if (end.deadline) return { ends: 'deadline' };
    attempt.end(end, this.now);
    this.outcome = attempt;
    const polls = end.ok && this.uses.retryOnResult;
    if (end.ok && !polls) return { ends: 'success' };
    const { hintMs } = attempt;
    const { cooldown } = this.state;
    // The operation whose own hint set the cooldown waits as that hint says, as long as no other sets it.
    if (hintMs > 0 && cooldown?.start(this.now, Math.min(hintMs, this.parameters.longest)))
      attempt.until = cooldown.at(this.now).until;
    yield* this.hook('onFailure', attempt);
    if (attempt.thrown instanceof this.pkg.RejectedError) {
      this.hear(attempt, NOTHING);
      return { ends: 'notRetryable', rule: 'P12' };
    }
    if (attempt.permanent) {
      this.hear(attempt, NOTHING, true);
      return { ends: 'permanent' };
    }
    const again = yield* this.ask(polls ? 'retryOnResult' : 'retryIf', attempt);
    if (again.ends !== undefined) return again;
    if (again.verdict === false && end.ok) return { ends: 'success' };
    this.hear(attempt, again.verdict === false || hintMs !== undefined ? NOTHING : FAILURE, true);
    if (again.verdict === false) return { ends: 'notRetryable' };
    return { attempt, exactly: again.verdict.afterMs, hintMs, untils: [attempt.until] };
  }

  /** The operation ends with this attempt. */
  *finish(attempt, { ends, rule = 'order', error }) {
    if (ends === 'deadline') {
      for (const each of this.list)
        this.hear(each, each.runs && each.number === 1 && each.heldMs === undefined ? FAILURE : NOTHING);
      if (this.list.some((each) => each.runs)) yield* this.timedOut();
      else yield* this.stop('deadline', 'order');
    } else if (ends === 'success') {
      yield* this.succeed(attempt);
    } else if (ends === 'callback') {
      yield* this.fault(error);
    } else {
      yield* this.stop(ends, rule);
    }
    return undefined;
  }

  /** The wait before a retry, and whether one is made. */
  *decide({ exactly, hintMs, untils }) {
    if (this.attempts >= this.options.maxAttempts) {
      yield* this.stop('exhausted', 'order');
      return undefined;
    }
    const { longest, followsFar } = this.parameters;
    if (exactly === undefined && hintMs > longest && !followsFar) {
      yield* this.stop('hint', 'order');
      return undefined;
    }
    const { breaker, budget, cooldown } = this.state;
    const computed = computedWait(this.parameters, this.rounds, {});
    const wait = hintMs > 0 ? hintedWait(this.parameters, hintMs, computed) : computed;
    const own = exactly ?? wait.at(this.draw(0, this.rounds));
    const set = untils.includes(cooldown?.at(this.now).until);
    const hold = set ? 0 : (cooldown?.hold(this.now, this.parameters.base, this.draw(BESIDE)) ?? 0);
    const delay = Math.max(own, hold);
    const room = this.deadline - this.now;
    if (ceil(own) + 1 > room) {
      yield* this.stop('deadline', 'order');
      return undefined;
    }
    if (ceil(delay) + 1 > room) {
      this.count('cooldown');
      yield* this.stop('cooldown', 'P11', cooldown.left(this.now));
      return undefined;
    }
    const open = breaker?.look(this.now) ?? 0;
    if (open > delay) {
      this.count('breaker');
      yield* this.stop('breaker', this.opened ? 'breaker' : 'P4', open);
      return undefined;
    }
    if (budget !== undefined) {
      this.taken = budget.take(hintMs !== undefined);
      this.undecided = this.taken > 0;
      if (this.taken === 0) {
        this.counted = 'budget';
        yield* this.stop('budget', 'P1');
        return undefined;
      }
    }
    yield* this.hook('onRetry', { number: this.attempts });
    return { delay, rule: hold > own ? 'P11' : 'order' };
  }

  count(by) {
    this.state[by].rejected += 1;
    this.counted = by;
  }

  /** The wait, and `beforeRetry`. Returns whether an attempt may follow. */
  *wait({ delay, rule }) {
    if (!(yield* this.sleep(delay, rule, `a wait of ${delay} ms`))) {
      yield* this.stop('deadline', rule);
      return false;
    }
    if (this.now >= this.deadline) {
      yield* this.stop('deadline', 'order');
      return false;
    }
    if (!this.uses.beforeRetry) return true;
    const asked = yield* this.expect('beforeRetry', 'order', 'beforeRetry');
    const answer = yield* this.answer(asked);
    if (answer.deadline) {
      yield* this.stop('deadline', 'order');
      return false;
    }
    if (answer.ok) return true;
    yield* this.fault(answer.value.thrown);
    return false;
  }

  /** Returns the verdict of a predicate, or why that ended the operation. */
  *ask(name, attempt) {
    if (!this.uses[name]) return { verdict: true };
    const fits = ({ outcome }) => attempt.timeout || outcome === attempt.shown;
    const asked = yield* this.expect(name, 'order', name, { fits });
    const answer = yield* this.answer(asked);
    if (answer.deadline) return { ends: 'deadline' };
    if (answer.ok) return { verdict: answer.value.thrown };
    this.hear(attempt, NOTHING);
    return { ends: 'callback', error: answer.value.thrown };
  }

  *succeed(attempt) {
    this.hear(attempt, SUCCESS, true);
    const { budget, hedge } = this.state;
    budget?.succeeded(this.rounds > 1 ? this.spent : 0);
    hedge?.succeeded(attempt.hedge);
    this.credited = attempt;
    yield* this.settle({ ok: true, value: attempt.shown, rule: 'P10' });
    return undefined;
  }

  /** Returns the verdict that the breaker hears, if `isFailure` has a say. */
  verdict(attempt, usual) {
    if (this.state.breaker?.options.isFailure === undefined) return usual;
    this.shouldAsk = (this.shouldAsk ?? 0) + 1;
    const says = attempt.shown?.says;
    if (says === true) return FAILURE;
    if (says === false) return SUCCESS;
    return says === 'ignore' ? NOTHING : usual;
  }

  /** The parts hear of an attempt's end, once. @param {boolean} [asks] whether `isFailure` has a say */
  hear(attempt, usual, asks = false) {
    if (attempt.heard) return;
    attempt.heard = true;
    this.state.hedge?.hear(attempt, this.now, usual === SUCCESS, this.options.attemptTimeoutMs);
    const verdict = asks ? this.verdict(attempt, usual) : usual;
    // A result is never the cause of a RejectedError.
    const cause = attempt.ok ? undefined : attempt.shown;
    this.end(attempt.pass, verdict, cause, attempt.number);
  }

  /** The breaker hears of the end of what it let pass. */
  end(pass, verdict, cause, number = this.attempts) {
    const { breaker } = this.state;
    if (breaker === undefined || pass === undefined) return;
    this.state.stale = pass.generation !== breaker.generation;
    this.opened = breaker.end(this.now, pass, verdict, this.draw(BESIDE, number), cause) === 'opened';
  }

  /** Leaves the place among the held attempts. */
  leave() {
    if (this.holds) this.state.cooldown.held -= 1;
    this.holds = false;
  }

  /** Puts back what an attempt that does not come has taken. */
  release() {
    this.leave();
    // A first attempt that a signal ended which is a timeout had all the time there was.
    const late = ({ number, runs, heldMs }) =>
      this.aborted && this.plan.timesOut && this.plan.signal && number === 1 && runs && heldMs === undefined;
    for (const attempt of this.list) this.hear(attempt, late(attempt) ? FAILURE : NOTHING);
    this.end(this.pass, NOTHING);
    this.pass = undefined;
    this.round?.release();
    if (this.taken > 0) this.state.budget.putBack(this.taken);
    // onEvent aborted before the tokens were taken.
    if (this.undecided) this.state.budget.granted -= 1;
    this.undecided = false;
    this.taken = 0;
  }

  /** The deadline came while an attempt ran. */
  *timedOut() {
    if (this.outcome?.ok) yield* this.stop('timeout', 'order');
    else yield* this.settle({ timeout: true, reason: 'timeout', rule: 'order' });
  }

  /** A callback other than the operation failed. */
  *fault(error) {
    this.release();
    yield* this.settle({ ok: false, value: error, reason: 'callback', rule: 'order' });
    const { ok, timeout, shown } = this.outcome ?? {};
    const own = timeout ? error.cause instanceof this.pkg.TimeoutError : error.cause === shown;
    if (ok === false && !own) this.object('P12', 'the failure is not the cause');
  }

  /** The operation ends with its own last outcome, or without an attempt with a RejectedError. */
  *stop(reason, rule, ms) {
    const cause = reason === 'breaker' ? this.state.breaker.cause : undefined;
    this.release();
    if (this.attempts === 0) {
      if (reason === 'deadline') yield* this.settle({ timeout: true, reason: 'timeout', rule });
      else yield* this.settle({ by: reason, ms, cause, rule });
      return;
    }
    const { outcome } = this;
    const ends = { reason, ms: ['breaker', 'cooldown'].includes(reason) ? ms : undefined, rule };
    if (outcome.timeout) yield* this.settle({ timeout: true, ...ends });
    else yield* this.settle({ ok: outcome.ok, value: outcome.shown, ...ends });
  }

  *settle(end) {
    const entry = yield* this.expect('settle', end.rule, described(end));
    const left = [...this.oracle.timers.values()].filter((each) => each === this).length;
    if (left > 0) this.object('P13', `${left} timers are left at settlement`);
    const says = this.plan.via !== 'off' && this.state.breaker?.options.isFailure !== undefined;
    if (says && this.asked !== (this.shouldAsk ?? 0) && !end.timeout)
      this.object('isFailure', `isFailure was called ${this.asked} times instead of ${this.shouldAsk ?? 0}`);
    const cut = this.aborted && entry.value === this.operation.reason;
    if (this.state.hedge !== undefined && !(cut && this.winner)) compareSignals(this, entry);
    // A hook may abort after the outcome was decided.
    if (cut) {
      // So may onEvent, before anything was rejected or credited.
      if (this.counted !== undefined) this.state[this.counted].rejected -= 1;
      if (this.credited) {
        this.state.budget?.changes.pop();
        this.state.hedge?.takeBack(this.credited.hedge);
      }
      return;
    }
    compareSettlement(this, entry, end);
  }
}
