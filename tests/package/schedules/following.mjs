// One operation, followed through the record. It is written as the design has it, from the top to the bottom: what
// must come next is taken from the record. How the record is read: reading.mjs. How it ends: settlement.mjs.

import { FAILURE, NOTHING, SUCCESS } from './machines.mjs';
import { Cut, isA } from './reading.mjs';
import { Attempt } from './records.mjs';
import { Round } from './round.mjs';
import { Settlement } from './settlement.mjs';
import { OWN_CURVE, computedWait, draw, hintedWait, resolved } from './waits.mjs';

/** The lane of the draws that protection needs, next to those of waits. */
const BESIDE = 2;
const LONGEST = 2 ** 53 - 1;

const { ceil } = Math;
const same = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

export class Following extends Settlement {
  constructor(oracle, operation, state, call) {
    super(oracle, operation, state, call);
    this.pkg = oracle.pkg;
    this.plan = operation.plan;
    this.preset = operation.policy.preset;
    this.parameters = resolved(this.options, this.preset);
    this.maxAttempts = this.options.maxAttempts ?? 6;
    this.startedAt = call.t;
    this.deadline = call.t + (this.options.totalTimeoutMs ?? Infinity);
    /** All attempts so far. @type {Attempt[]} */
    this.list = [];
    /** Attempts without those that were hedges: waits are numbered by them. */
    this.rounds = 0;
    /** The last computed wait and its draw. @type {{ previous?: number, previousR?: number }} */
    this.computed = {};
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
    /** Whether the next attempt follows no failure. */
    this.first = true;
    /** Calls of `isFailure`, and those that must be. */
    this.asked = 0;
    this.shouldAsk = 0;
    /** The status that it gets, by attempt. @type {Map<number, number | undefined>} */
    this.statuses = new Map();
    this.start(this.run(call));
  }

  get attempts() {
    return this.list.length;
  }

  /** The draw of a lane for protection: the caller's own, or that of the seed. */
  draw(number = this.attempts) {
    const { seed } = this.options;
    return seed === undefined ? this.plan.draw : draw(seed, this.operation.index, number, BESIDE);
  }

  take(entry) {
    super.take(entry);
    if (entry.kind === 'isFailure') this.classifies(entry.end);
    if (entry.kind === 'protection' && entry.event.type === 'rejected') this.counted = undefined;
  }

  accept(entry) {
    // A wait, or a hook that says so: the retry was decided.
    this.undecided = false;
    super.accept(entry);
  }

  *run(call) {
    if (call.aborted) {
      this.aborted = call;
      yield* this.settle({ aborted: true, silent: true });
      return;
    }
    try {
      yield* this.operate();
    } catch (thrown) {
      if (!(thrown instanceof Cut)) throw thrown;
      this.release();
      yield* this.settle({ aborted: true });
      // The abort came first, before anything was rejected or credited.
      if (this.counted !== undefined) this.state[this.counted].rejected -= 1;
      const { hedge } = this.state;
      if (this.won && hedge) hedge.won -= 1;
      if (this.credited) {
        this.state.budget?.changes.pop();
        hedge?.takeBack();
      }
    }
  }

  *operate() {
    if (this.deadline < Infinity && !this.sync)
      yield* this.arms({ lo: this.options.totalTimeoutMs }, 'deadline', 'the timer of the deadline', {
        of: 'deadline',
        ms: this.options.totalTimeoutMs,
      });
    for (;;) {
      if (!(yield* this.enter())) return;
      yield* this.hook('onAttempt', { number: this.attempts + 1, rule: this.rule });
      // The hook may have taken the time that was left.
      if (this.now >= this.deadline && this.uses.hooks.includes('onAttempt'))
        return yield* this.stop('deadline', 'deadline');
      const attempt = new Attempt(this.pass, this.first, this.heldMs);
      attempt.admittedUntil = this.until;
      const failure = yield* this.state.hedge === undefined ? this.alone(attempt) : new Round(this).run(attempt);
      if (failure === undefined) return;
      const wait = yield* this.decide(failure);
      if (wait === undefined || !(yield* this.wait(failure.attempt, wait))) return;
    }
  }

  /** An attempt without hedges. Returns its failure if another one may follow. */
  *alone(attempt) {
    yield* this.timeout(attempt);
    yield* this.call(attempt);
    const end = yield* this.judge(attempt);
    return end.ends === undefined ? end : yield* this.finish(attempt, end);
  }

  /** The timer of the attempt's own timeout, unless the deadline comes first. */
  *timeout(attempt) {
    const { attemptTimeoutMs: ms = Infinity } = this.options;
    if (ms === Infinity || ms >= this.deadline - this.now) return;
    yield* this.arms({ lo: ms }, 'timeout', `the timeout of attempt ${this.attempts + 1}`, {
      of: 'attempt',
      ms,
      attempt,
    });
  }

  /** The callback is called. */
  *call(attempt, rule = this.rule) {
    const fn = yield* this.expect('fn', rule, attempt.hedge ? 'a hedge' : 'an attempt');
    const previous = this.list.at(-1);
    this.pass = undefined;
    this.list.push(Object.assign(attempt, { fn, from: fn.t, number: this.attempts + 1 }));
    this.checkBeginning(fn, previous);
    if (attempt.hedge) return;
    this.rounds += 1;
    if (this.taken > 0) this.spent = this.taken;
    this.taken = 0;
  }

  /** Checks the facts that an attempt receives. */
  checkBeginning(fn, previous) {
    const { n } = fn;
    this.require(n <= this.maxAttempts, 'attempts', () => `attempt ${n} of ${this.maxAttempts}`);
    this.require(n === this.attempts, 'attempts', () => `attempt ${this.attempts} is the ${n}th`);
    // A wrapped function receives no attempt.
    if (fn.attempt === undefined) return;
    // Its times are not always read.
    this.checkFacts(`attempt ${n}`, fn, n, fn.number, { elapsedMs: fn.t - this.startedAt, ...fn });
    // With hedges, the previous attempt may still run.
    if (this.state.hedge === undefined) {
      if (previous === undefined || previous.ok)
        this.require(fn.previousError === undefined, 'identity', 'there was no previous error');
      else this.sees(previous, fn.previousError, 'previousError');
      if (previous === undefined)
        this.require(fn.previousDelayMs === undefined, 'waits', 'a previous delay in attempt 1');
      else this.checkDelay(previous, fn.previousDelayMs, 'previousDelayMs');
    }
    const { signal } = this.operation.received[n - 1];
    if (signal !== undefined) {
      const others = this.operation.received.slice(0, n - 1);
      this.require(fn.aborted === false, 'signals', () => `attempt ${n} began aborted`);
      this.require(!others.some((other) => other.signal === signal), 'signals', 'attempts share a signal');
    }
    if (fn.elapsedMs === undefined) return;
    const remaining = Math.max(0, this.deadline - fn.t);
    this.require(this.sameTime(fn.remainingMs, remaining), 'deadline', () => `remainingMs is ${fn.remainingMs}`);
  }

  /** The checks before an attempt. Returns whether it may start. */
  *enter() {
    const { breaker, cooldown } = this.state;
    let waited = false;
    const late = () => this.reject('cooldown', this.state.cooldown.left(this.now), 'holds');
    this.rule = 'settlement';
    this.heldMs = undefined;
    for (;;) {
      if (this.now >= this.deadline) {
        // When a hold began, it was to end before the deadline.
        return yield* waited ? late() : this.stop('deadline', 'deadline');
      }
      if (breaker?.look(this.now) > 0) return yield* this.reject('breaker', breaker.look(this.now), 'open');
      const left = cooldown?.left(this.now) ?? 0;
      const probes = left > 0 && !waited && this.first && cooldown.mayProbe(this.now);
      // It is held once.
      if (left > 0 && !waited && !probes) {
        const held = cooldown.hold(this.now, this.parameters.base, this.draw());
        const long = left > (cooldown.maxHoldMs ?? this.parameters.longest);
        if (long || this.misses(held)) return yield* this.reject('cooldown', left, 'longHold');
        cooldown.held += 1;
        this.holds = true;
        const from = this.now;
        if (!(yield* this.sleep({ lo: held }, 'holds', `a hold of ${held} ms`))) return yield* late();
        this.leave();
        this.heldMs = this.now - from;
        waited = true;
        continue;
      }
      const { pass, wait } = breaker?.admit(this.now, this.first) ?? {};
      if (breaker) this.state.stale = false;
      if (wait !== undefined) return yield* this.reject('breaker', wait, 'probes');
      if (probes) cooldown.probe(this.now);
      this.until = left > 0 ? cooldown.at(this.now).until : NaN;
      this.pass = pass;
      if (breaker) this.rule = 'recovery';
      return true;
    }
  }

  /** Protection rejects the next attempt. */
  *reject(by, ms, rule) {
    // A wait of 0 without a timer, in retrySync, has passed.
    this.undecided = false;
    this.state[by].rejected += 1;
    this.counted = by;
    return yield* this.stop(by, rule, { ms });
  }

  /**
   * How an attempt ends, from its call to the caller's verdict.
   * @returns {Generator<any, { ends?: string, rule?: any, fault?: any, exactly?: number }>} why it ends the operation;
   *   without a reason, another one may follow
   */
  *judge(attempt) {
    const end = yield* this.ending(attempt);
    if (end.deadline) return { ends: 'deadline' };
    attempt.end(end, this.last);
    if (attempt.timeout) this.checkTimeout(attempt);
    // A callback that returns a mark, which it should have thrown, has made a mistake. No retry fixes it.
    if (end.ok && end.made.marked) {
      attempt.mistake = true;
      return { ends: 'callback', fault: { mistake: true } };
    }
    this.outcome = attempt;
    const polls = end.ok && this.uses.retryOnResult;
    if (end.ok && !polls) return { ends: 'success' };
    const { hintMs } = attempt;
    const { cooldown } = this.state;
    // The operation whose own hint set the cooldown waits as that hint says, as long as no other sets it.
    if (hintMs > 0 && cooldown?.start(this.now, Math.min(hintMs, this.parameters.longest)))
      attempt.until = cooldown.at(this.now).until;
    yield* this.hook('onFailure', attempt, { outcome: attempt });
    // Not before: a hook may show the error of a timeout.
    if (isA(attempt.thrown, this.pkg.RejectedError)) {
      this.hear(attempt, NOTHING);
      return { ends: 'notRetryable', rule: 'outcome' };
    }
    if (attempt.permanent) {
      this.hear(attempt, NOTHING, true, statusOf(attempt.shown));
      return { ends: 'permanent' };
    }
    const again = yield* this.ask(polls ? 'retryOnResult' : 'retryIf', attempt);
    if (again.ends !== undefined) return again;
    if (again.verdict === false && end.ok) return { ends: 'success' };
    this.classify(attempt, again.verdict !== false);
    if (again.verdict === false) return { ends: 'notRetryable' };
    const { throttled } = attempt;
    return {
      attempt,
      exactly: again.verdict.afterMs,
      hintMs,
      untils: [attempt.until],
      throttled,
      pays: !attempt.answered,
    };
  }

  /** The operation ends with this attempt. */
  *finish(attempt, { ends, rule = 'settlement', fault }) {
    if (ends === 'deadline') {
      for (const each of this.list)
        this.hear(each, each.runs && each.number === 1 && each.heldMs === undefined ? FAILURE : NOTHING);
      return yield* this.stop(this.list.some((each) => each.runs) ? 'timeout' : 'deadline', 8);
    }
    return yield* ends === 'success' ? this.succeed(attempt) : this.stop(ends, rule, { fault });
  }

  /** The wait before a retry, and whether one is made. */
  *decide({ attempt, exactly, hintMs, untils, throttled, pays }) {
    if (this.attempts >= this.maxAttempts) return yield* this.stop('exhausted', 'attempts');
    const { longest, followsFar } = this.parameters;
    this.hintMs = hintMs;
    const hinted = hintMs > 0 && exactly === undefined;
    const { random, curve, fault } = yield* this.numbers(exactly, hinted);
    if (fault !== undefined) return yield* this.stop('callback', 'settlement', { fault });
    if (hinted && hintMs > Math.min(longest, LONGEST) && !followsFar) return yield* this.stop('hint', 'settlement');
    const wait = this.delay(random, curve, exactly, hinted ? hintMs : undefined);
    const { breaker, budget, cooldown } = this.state;
    const set = untils.includes(cooldown?.at(this.now).until);
    const hold = set ? 0 : (cooldown?.hold(this.now, this.parameters.base, this.draw()) ?? 0);
    if (this.misses(wait.lo, wait.hi, wait.exact)) return yield* this.stop('deadline', 'deadline');
    const held = hold > wait.lo;
    if (held && this.misses(hold)) return yield* this.reject('cooldown', cooldown.left(this.now), 'holds');
    if (held) wait.lo = wait.hi = hold;
    const open = breaker?.look(this.now) ?? 0;
    if (open > wait.lo) return yield* this.reject('breaker', open, this.opened ? 'breaker' : 'open');
    this.first = !pays;
    if (budget !== undefined && pays) {
      this.taken = budget.take(throttled);
      this.undecided = this.taken > 0;
      if (this.taken === 0) {
        this.counted = 'budget';
        return yield* this.stop('budget', 'tokens');
      }
    }
    attempt.wait = wait;
    const retry = yield* this.hook('onRetry', { number: this.attempts }, { outcome: attempt });
    if (retry !== undefined) this.checkDelay(attempt, retry.event.delayMs, 'onRetry');
    return { ...wait, rule: held ? 'holds' : 'timers' };
  }

  /** The answers of `random` and of a backoff function for one wait, each called once, in either order. */
  *numbers(exactly, hinted) {
    const { jitter, backoff } = this.parameters;
    const given = {};
    const missing = new Set();
    if (exactly === undefined && this.uses.random === true && (jitter !== 'none' || hinted)) missing.add('random');
    if (exactly === undefined && backoff === 'function') missing.add('curve');
    while (missing.size > 0) {
      // A jitter that has a curve of its own needs no other.
      if (OWN_CURVE.includes(jitter) && !missing.has('random') && this.coming()?.kind !== 'curve') break;
      const asked = yield* this.expect([...missing], 'draws', [...missing].join(' or '));
      const { kind, k } = asked;
      missing.delete(kind);
      if (kind === 'curve')
        this.require(k === this.rounds, 'numbers', () => `backoff(${k}) after attempt ${this.attempts}`);
      const end = yield* this.answer(asked);
      if (!end.ok) return { fault: { end } };
      given[kind] = end.made.thrown;
      const most = kind === 'curve' ? Infinity : 1 - 2 ** -53;
      if (!(typeof given[kind] === 'number' && given[kind] >= 0 && given[kind] <= most))
        return { fault: { type: RangeError } };
    }
    return given;
  }

  /**
   * The wait that must follow, or its bounds where the draws are not known; `exact` if it is the same to the last bit
   * here and there.
   */
  delay(random, own, exactly, hintMs) {
    if (exactly !== undefined) return { lo: exactly, hi: exactly, exact: true };
    const { seed } = this.options;
    const lane = (lane) => draw(seed, this.operation.index, this.rounds, lane);
    const { draw: constant } = this.plan;
    const draws = seed !== undefined ? [lane(0), lane(1)] : [this.uses.random === 'constant' ? constant : random];
    const computed = computedWait(this.parameters, this.rounds, { ...this.computed, own });
    const wait = hintMs === undefined ? computed : hintedWait(this.parameters, hintMs, computed);
    const drawn = draws[0] === undefined ? NaN : wait.at(draws[0], draws[1]);
    const { lo, hi } = Number.isNaN(drawn) ? wait : { lo: drawn, hi: drawn };
    // Without the draws, bounds that hang on the previous wait are those of that wait as reported.
    if (hintMs === undefined) this.computed = { previous: lo === hi ? lo : Infinity, previousR: draws[0] };
    return {
      lo,
      hi,
      exact: hintMs === undefined && (this.parameters.jitter === 'none' || this.uses.random === 'constant'),
      learns: hintMs === undefined,
    };
  }

  /**
   * Whether a wait would not end before the deadline: rounded up as its timer is, it must leave a millisecond. Where
   * rounding decides, the record says it.
   */
  misses(lo, hi = lo, exact = false) {
    const room = this.deadline - this.now;
    const error = exact && this.blur === 0 ? 0 : 1e-6 + this.blur;
    if (ceil(lo - error) + 1 > room + error) return true;
    if (ceil(hi + error) + 1 <= room - error) return false;
    return this.endsNext() && !this.isRejected();
  }

  /** Whether protection was asked about the retry, and rejects it. An abort may hide that from the end. */
  isRejected() {
    const { i } = this.coming();
    const { log } = this.world;
    const says = ({ op, kind, event }) =>
      op === this.operation.id && kind === 'protection' && ['rejected', 'budget-empty'].includes(event.type);
    return ['budget', 'breaker', 'cooldown'].includes(this.endsFor()) || log.slice(this.last.i + 1, i).some(says);
  }

  /** Checks the events about the wait after an attempt. */
  checkDelay(attempt, reported, where) {
    const { wait } = attempt;
    const { lo, hi } = wait;
    if (lo === hi) this.require(same(reported, lo), 'draws', () => `${where} is ${reported} instead of ${lo}`);
    else
      this.require(
        reported >= lo - 1e-9 && reported <= hi * (1 + 1e-12) + 1e-9,
        'waits',
        () => `${where} is ${reported}, outside [${lo}, ${hi}]`,
      );
    if (lo === hi) return;
    wait.lo = wait.hi = reported;
    if (wait.learns) this.computed.previous = reported;
  }

  /** The wait, and `beforeRetry`. Returns whether an attempt may follow. */
  *wait(attempt, { lo, hi, rule }) {
    const text = `a wait of ${lo === hi ? lo : `${lo} to ${hi}`} ms`;
    // Without a timer, there would be no turn of the event loop between attempts.
    if (!(yield* this.sleep(attempt.wait, rule === 'timers' ? 'turns' : rule, text, rule)) || this.now >= this.deadline)
      return yield* this.stop('deadline', 'deadline');
    if (!this.uses.beforeRetry) return true;
    const asked = yield* this.expect('beforeRetry', 'callbacks', 'beforeRetry');
    this.checkEvent(asked, { number: this.attempts }, { outcome: this.outcome });
    if (asked.event.delayMs !== undefined) this.checkDelay(attempt, asked.event.delayMs, 'beforeRetry');
    const end = yield* this.answer(asked);
    if (end.ok) return true;
    return yield* end.deadline
      ? this.stop('deadline', 'deadline')
      : this.stop('callback', 'settlement', { fault: { end } });
  }

  /** Returns the verdict of a predicate, or why that ended the operation. */
  *ask(name, attempt) {
    // This preset has a predicate: p-retry stops at programming errors.
    if (name === 'retryIf' && !this.uses.retryIf && this.preset === 'pRetryRandomized' && isA(attempt.shown, TypeError))
      return { verdict: false };
    if (!this.uses[name]) return { verdict: true };
    const hedged = this.state.hedge !== undefined;
    const fits = hedged ? ({ outcome }) => attempt.timeout || Object.is(outcome, attempt.shown) : undefined;
    const asked = yield* this.expect(name, 'callbacks', name, { fits });
    if (attempt.ok)
      this.require(Object.is(asked.outcome, attempt.shown), 'identity', `${name} was called with something else`);
    else this.sees(attempt, asked.outcome, name);
    const given = attempt.fn.attempt;
    this.require(given === undefined || asked.attempt === given, 'identity', () => `${name} got another attempt`);
    const end = yield* this.answer(asked);
    if (end.deadline) return { ends: 'deadline' };
    const verdict = end.ok ? end.made.thrown : undefined;
    const afterMs = typeof verdict === 'object' ? verdict?.afterMs : undefined;
    if (end.ok && (typeof verdict === 'boolean' || (typeof afterMs === 'number' && afterMs >= 0))) return { verdict };
    // As if it had said no.
    this.classify(attempt, false);
    return {
      ends: 'callback',
      fault: end.ok ? { type: typeof afterMs === 'number' ? RangeError : TypeError } : { end },
    };
  }

  *succeed(attempt) {
    this.classify(attempt, false);
    const { budget, hedge } = this.state;
    this.won = attempt.hedge;
    if (this.won) hedge.won += 1;
    if (attempt.verdict === SUCCESS) {
      budget?.succeeded(this.spent);
      hedge?.succeeded();
      this.credited = true;
    }
    yield* this.hook('onSuccess', attempt, { outcome: attempt, decided: true });
    return yield* this.settle({ outcome: attempt });
  }

  /** What the end of an attempt says, once its caller has classified it. @param {boolean} again as that says */
  classify(attempt, again) {
    const { ok, hintMs, shown } = attempt;
    const status = ok && !again ? undefined : statusOf(shown);
    attempt.throttled = hintMs !== undefined || status === 429;
    // Its own timeout says that it failed, whatever the caller says about another attempt.
    const fails = attempt.timeout || (again && hintMs === undefined);
    const silent = ok ? SUCCESS : fails ? FAILURE : NOTHING;
    const usual = status === undefined || hintMs !== undefined ? silent : SAID[status];
    attempt.answered = ok && usual !== FAILURE && !attempt.throttled;
    this.hear(attempt, usual, true, status);
  }

  /** The caller is told of an end. */
  classifies({ status, attempt }) {
    this.asked += 1;
    this.require(status === this.statuses.get(attempt), 'isFailure', `isFailure of attempt ${attempt} gets ${status}`);
  }

  /** The parts hear of an attempt's end, once. @param {boolean} [asks] whether `isFailure` has a say */
  hear(attempt, usual, asks = false, status = undefined) {
    if (attempt.verdict !== undefined) return;
    this.state.hedge?.hear(attempt, this.now, usual === SUCCESS, this.options.attemptTimeoutMs);
    const said = asks && this.state.isFailure ? this.said(attempt, status) : undefined;
    attempt.verdict = said ?? usual;
    if (said !== undefined) attempt.answered = said !== FAILURE;
    if (attempt.verdict === SUCCESS && !attempt.throttled)
      this.state.cooldown?.succeeded(this.now, attempt.admittedUntil);
    // A result is never the cause of a RejectedError.
    const cause = attempt.ok ? undefined : attempt.shown;
    this.end(attempt.pass, attempt.verdict, cause, attempt.number);
  }

  /** What the caller says about an end. */
  said({ shown, number }, status) {
    this.shouldAsk += 1;
    this.statuses.set(number, status);
    return new Map([
      [true, FAILURE],
      [false, SUCCESS],
      ['ignore', NOTHING],
    ]).get(read(shown, 'says'));
  }

  /** The breaker hears of the end of what it let pass. */
  end(pass, verdict, cause, number = this.attempts) {
    const { breaker } = this.state;
    if (breaker === undefined || pass === undefined) return;
    this.state.stale = pass.generation !== breaker.generation;
    this.opened = breaker.end(this.now, pass, verdict, this.draw(number), cause) === 'opened';
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
    const timesOut = this.aborted && this.operation.signals.some((signal) => signal.timesOut);
    const late = ({ number, runs, heldMs }) => timesOut && number === 1 && runs && heldMs === undefined;
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
}

/** The verdicts of the statuses that schedules have. */
const SAID = {
  ...Object.fromEntries([202, 401, 404, 409, 501].map((status) => [status, SUCCESS])),
  ...Object.fromEntries([408, 500, 503].map((status) => [status, FAILURE])),
  429: NOTHING,
};

/** The status of an outcome, if the schedule gave it one. */
function statusOf(shown) {
  const status = read(shown, 'status');
  return typeof status === 'number' && status in SAID ? status : undefined;
}

/** A property of what may throw when it is read. */
function read(value, name) {
  try {
    return value?.[name];
  } catch {
    return undefined;
  }
}
