// One operation, followed through the record. It is written as the design has it, from the top to the bottom: what
// must come next is taken from the record, and what the outside decides (how a callback ended, and when) is read there.

import { computedWait, draw, hintedWait, resolved } from '../schedules/waits.mjs';
import { FAILURE, NOTHING, SUCCESS } from './machines.mjs';
import { Objection } from './objection.mjs';
import { Attempt, compareRecords, compareSignals } from './records.mjs';
import { Round } from './round.mjs';

/** An abort ends what the operation is at. */
class Cut {}

/** Entries that say nothing by themselves. */
const ASIDE = new Set(['arm', 'fire', 'block', 'hookEnd', 'isFailure', 'protection', 'reported', 'end']);
/** Hooks that an operation calls when it ends: whether they come is not followed here. */
const LAST_HOOKS = ['onSuccess', 'onGiveUp'];
/**
 * How much of a timer is left when it fires. Hosts fire up to 1 ms early; if more is missing, or the clock has hardly
 * moved, the clock is not that of the timers.
 */
function restOf({ at, ms }, now) {
  const missing = at + ms - now;
  return missing > 0 && missing <= 2 && now - at >= missing ? missing : 0;
}

/** Entries that an operation makes when it goes on. */
const ACTS = new Set(['fn', 'settle', 'retryIf', 'retryOnResult', 'beforeRetry']);

/** The lane of the draws that protection needs, next to those of waits. */
const BESIDE = 2;

const ceil = Math.ceil;
const near = (a, b) => a === b || Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a));

export class Following {
  constructor(oracle, operation, state, call) {
    const { policy, plan } = operation;
    this.oracle = oracle;
    this.pkg = oracle.pkg;
    this.operation = operation;
    this.state = state;
    this.plan = plan;
    this.options = policy.options;
    this.uses = policy.uses;
    this.parameters = resolved(policy.options);
    this.sync = plan.via === 'sync';
    /** The last entry that was taken: its time is now. */
    this.last = call;
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
    /** Generation and lease that the breaker gave to the attempt that starts. */
    this.pass = undefined;
    /** The attempt that ended last. @type {Attempt | undefined} */
    this.outcome = undefined;
    /** The round that runs. @type {Round | undefined} */
    this.round = undefined;
    /** The attempt that ended the operation, where it may have a hedge. @type {Attempt | undefined} */
    this.winner = undefined;
    /** Entries that came since the last that was taken. */
    this.asked = 0;
    this.timers = new Map();
    this.over_ = false;
    this.script = this.run(call);
    this.want = this.script.next().value;
  }

  get attempts() {
    return this.list.length;
  }

  /** The draw of a lane: the caller's own, or that of the seed. */
  draw(lane, number = this.attempts) {
    const { seed } = this.options;
    return seed === undefined ? this.plan.draw : draw(seed, this.operation.index, number, lane);
  }

  get now() {
    return this.last.r;
  }

  /** Whether something must come in this macrotask. */
  get owes() {
    return !this.over_ && this.want.now;
  }

  object(rule, text) {
    throw new Objection(rule, `operation ${this.operation.id}: ${text}`);
  }

  take(entry) {
    if (!this.over_ && this.want.goesOn?.(entry)) this.oracle.goOn(this, entry);
    if (entry.kind === 'arm') this.armed(entry);
    if (entry.kind === 'fire') {
      const timer = this.timers.get(entry.id);
      this.fired = { turn: entry.turn, timer, rest: restOf(timer, entry.r) };
    }
    if (this.over_) {
      if (ACTS.has(entry.kind)) this.object('P10', `${entry.kind} after settlement`);
      return;
    }
    if (entry.kind === 'isFailure') this.asked += 1;
    if (entry.kind === 'protection' && entry.event.type === 'refused') this.counted = undefined;
    if (entry.kind === 'abort') {
      this.aborted = true;
      // Once the outcome is decided, an abort comes too late.
      if (this.want.decided || this.want.kinds.includes('settle')) return;
      this.last = entry;
      this.next(this.script.throw(new Cut()));
      return;
    }
    const fits = this.want.kinds.includes(entry.kind) && (this.want.fits === undefined || this.want.fits(entry));
    if (!fits) {
      const hooked = entry.kind === 'hook' && !LAST_HOOKS.includes(entry.name);
      if (ACTS.has(entry.kind) || hooked)
        this.object(this.broken(entry), `${this.name(entry)} instead of ${this.want.text}`);
      if (entry.kind === 'fire' && this.fired.timer.of === 'hedge')
        this.object('P13', `the timer of a hedge fires instead of ${this.want.text}`);
      if (!ASIDE.has(entry.kind) && entry.kind !== 'hook')
        this.object('order', `${entry.kind} instead of ${this.want.text}`);
      return;
    }
    this.last = entry;
    // A wait, or a hook that says so: the retry was decided.
    this.undecided = false;
    this.next(this.script.next(entry));
  }

  /** The pause before a decision ends. */
  goOn(entry) {
    if (this.over_ || !this.want.goesOn) return;
    this.last = entry;
    this.next(this.script.next());
  }

  next({ value, done }) {
    if (done) this.over_ = true;
    else this.want = value;
    if (!done && value.goesOn) this.oracle.pausing.push(this);
  }

  name(entry) {
    if (entry.kind !== 'settle') return `${entry.name ?? entry.kind} at ${entry.r}`;
    const { ok, value, report } = entry;
    return `${ok ? 'a result' : `${value?.name}`} (${report?.reason ?? value?.by}) at ${entry.r}`;
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

  /** Every timer is one of a wait or hold, of an attempt or its hedge, or of the deadline. */
  armed(entry) {
    const { attemptTimeoutMs, totalTimeoutMs } = this.options;
    // With hedges, each timer is expected by itself: two attempts may have one.
    const ownMs = this.state.hedge === undefined ? attemptTimeoutMs : undefined;
    const lastMs = this.state.hedge === undefined ? totalTimeoutMs : undefined;
    const known = [ownMs, lastMs].filter((ms) => ms !== undefined).map(ceil);
    const wanted = !this.over_ && this.want.kinds.includes('arm') && this.want.fits(entry);
    // One that fired early is armed again for the rest.
    const again = !wanted && this.fired?.turn === entry.turn && this.fired.rest > 0 && entry.ms <= 2;
    if (!wanted && !known.includes(entry.ms) && !again)
      this.object(this.over_ ? 'P13' : this.broken(entry), `a timer of ${entry.ms} ms instead of ${this.want.text}`);
    const ofAttempt = ownMs !== undefined && entry.ms === ceil(ownMs);
    const { of, attempt } = again
      ? this.fired.timer
      : wanted
        ? this.want
        : { of: ofAttempt ? 'attempt' : 'deadline', attempt: undefined };
    const ms = again ? this.fired.rest : of === 'attempt' ? attemptTimeoutMs : totalTimeoutMs;
    this.timers.set(entry.id, { of, attempt, at: entry.r, ms });
  }

  /** Nothing came in the macrotask in which it had to. */
  overdue() {
    this.object(this.want.rule, `nothing came instead of ${this.want.text}`);
  }

  /** At the end of the schedule: only what the callbacks keep waiting waits. */
  over() {
    if (this.over_ || this.want.forever || this.oracle.world.leftWaiting) return;
    this.object(this.want.rule, `it waits for ever for ${this.want.text}`);
  }

  *expect(kinds, rule, text, more = {}) {
    return yield { kinds: [kinds].flat(), rule, text, now: true, ...more };
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
    let [least, most] = [0, 0];
    const late = () => this.refuse('cooldown', this.state.cooldown.left(this.now), 'P11');
    this.rule = undefined;
    this.heldMs = undefined;
    for (;;) {
      if (this.now >= this.deadline) {
        // When a hold began, it was to end before the deadline.
        if (most > 0 || least > 0) return yield* late();
        yield* this.stop('deadline', 'P11');
        return false;
      }
      if (breaker?.look(this.now) > 0) return yield* this.refuse('breaker', breaker.look(this.now), 'P4');
      const left = cooldown?.left(this.now) ?? 0;
      if (left > 0) {
        const { maxHoldMs } = cooldown;
        const held = cooldown.hold(this.now, this.parameters.base, this.draw(BESIDE));
        const misses = this.now + ceil(held) + 1 > this.deadline;
        const long = least + left > maxHoldMs || (most + left > maxHoldMs && this.comes() === 'settle');
        if (misses || long) return yield* this.refuse('cooldown', left, 'P8');
        cooldown.held += 1;
        this.holds = true;
        const from = this.now;
        if (!(yield* this.sleep(held, 'P11', `a hold of ${held} ms`))) return yield* late();
        this.leave();
        this.heldMs = (this.heldMs ?? 0) + this.now - from;
        least += left;
        most += held;
        continue;
      }
      if (!breaker) return true;
      const { pass, wait } = breaker.admit(this.now);
      this.state.stale = false;
      if (pass === undefined) return yield* this.refuse('breaker', wait, 'P5');
      this.pass = pass;
      this.rule = 'P6';
      return true;
    }
  }

  /** The next entry that says how the operation goes on. */
  coming() {
    const { log } = this.oracle.world;
    for (let i = this.last.i + 1; i < log.length; i += 1) {
      const entry = log[i];
      if (entry.op !== this.operation.id) continue;
      if (ACTS.has(entry.kind) || entry.kind === 'arm' || entry.kind === 'block') return entry;
    }
    return undefined;
  }

  comes() {
    return this.coming()?.kind;
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
    this.state[by].refused += 1;
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

  /** Sleeps through a wait or hold. Returns false if the deadline has come first. */
  *sleep(ms, rule, text) {
    const from = this.now;
    if (this.sync) {
      while (this.now < from + ceil(ms) - 1e-6) yield* this.expect('block', rule, text);
      return true;
    }
    return yield* this.fires(yield* this.arms(ms, rule, text), ms, rule, text);
  }

  /** A timer is armed. */
  *arms(ms, rule, text, { of = 'wait', attempt } = {}) {
    const fits = (entry) => Math.abs(entry.ms - ceil(ms)) <= 1e-9;
    const arm = yield* this.expect('arm', rule, text, { fits, of, attempt });
    this.timers.get(arm.id).ms = ms;
    return arm;
  }

  /** A timer fires. Returns false if the deadline has come first. */
  *fires(arm, ms, rule, text) {
    const { of } = this.timers.get(arm.id);
    for (;;) {
      const ends = (entry) => entry.id === arm.id || this.expires(entry);
      const fire = yield { kinds: ['fire'], rule, text, now: false, fits: ends };
      if (fire.id !== arm.id) return false;
      if (this.fired.rest === 0) return true;
      arm = yield* this.arms(this.fired.rest, rule, text, { of });
    }
  }

  /** Whether a timer that fired is the deadline's. */
  expires(entry) {
    return entry.kind === 'fire' && this.fired.timer.of === 'deadline' && this.fired.rest === 0;
  }

  /** How the attempt ends: by itself, by its timeout, by the deadline. */
  *ending(attempt) {
    const times = ({ of, attempt: owner = attempt }) => of === 'attempt' && owner === attempt;
    const ends = (entry) => {
      if (entry.kind === 'end') return entry.of === attempt.fn;
      return this.expires(entry) || (times(this.fired.timer) && this.fired.rest === 0);
    };
    const want = { kinds: ['end', 'fire'], rule: 'order', text: 'the end of the attempt', fits: ends };
    const entry = yield { ...want, now: false, forever: true };
    if (entry.kind === 'end') return entry;
    return { [times(this.fired.timer) ? 'timeout' : 'deadline']: true, ok: false };
  }

  /** Waits for the end of a callback other than the operation. */
  *answer(asked) {
    const ends = (entry) => (entry.kind === 'end' ? entry.of === asked : this.expires(entry));
    const want = { kinds: ['end', 'fire'], rule: 'order', text: `the answer of ${asked.kind}`, fits: ends };
    const entry = yield { ...want, now: this.comesNow(asked), forever: true };
    return entry.kind === 'end' ? entry : { deadline: true };
  }

  /** Whether a callback ended in the macrotask in which it was called. */
  comesNow(asked) {
    const { log } = this.oracle.world;
    for (let i = asked.i + 1; log[i]?.turn === asked.turn; i += 1) if (log[i].of === asked) return true;
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
    for (const attempt of this.list) this.hear(attempt, NOTHING);
    this.end(this.pass, NOTHING);
    this.pass = undefined;
    this.round?.release();
    if (this.taken > 0) this.state.budget.putBack(this.taken);
    // onEvent aborted before the tokens were taken.
    if (this.undecided) this.state.budget.granted -= 1;
    this.undecided = false;
    this.taken = 0;
  }

  *hook(name, { number, hedge, rule = 'order' }) {
    if (!this.uses.hooks.includes(name)) return;
    const is = (entry) => entry.name === name;
    const fits = (entry) => is(entry) && entry.event.attempt === number && entry.event.hedge === hedge;
    yield* this.expect('hook', rule, `${name} of attempt ${number}`, { fits });
    yield* this.expect('hookEnd', 'order', `the end of ${name}`, { fits: is });
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

  *settle({ ok = false, value, aborted, timeout, by, ms, cause, reason, rule }) {
    const text = aborted ? 'the reason of the abort' : by ? `a rejection by ${by}` : `the end (${reason ?? 'success'})`;
    const entry = yield* this.expect('settle', rule, text);
    const { RejectedError, RetryError, TimeoutError } = this.pkg;
    const was = this.name(entry);
    const left = [...this.oracle.timers.values()].filter((each) => each === this).length;
    if (left > 0) this.object('P13', `${left} timers are left at settlement`);
    const says = this.plan.via !== 'off' && this.state.breaker?.options.isFailure !== undefined;
    if (says && this.asked !== (this.shouldAsk ?? 0) && !timeout)
      this.object('isFailure', `isFailure was called ${this.asked} times instead of ${this.shouldAsk ?? 0}`);
    const cut = this.aborted && entry.value === this.operation.reason;
    if (this.state.hedge !== undefined && !(cut && this.winner)) compareSignals(this, entry);
    // A hook may abort after the outcome was decided.
    if (cut) {
      // So may onEvent, before anything was rejected or credited.
      if (this.counted !== undefined) this.state[this.counted].refused -= 1;
      if (this.credited) {
        this.state.budget?.changes.pop();
        this.state.hedge?.takeBack(this.credited.hedge);
      }
      return;
    }
    if (aborted) this.object('P10', `${was} instead of the reason of the abort`);
    if (by !== undefined) {
      if (!(entry.value instanceof RejectedError))
        this.object(this.broken(entry), `${was} instead of a rejection by ${by}`);
      if (entry.value.by !== by) this.object(rule, `rejected by ${entry.value.by} instead of ${by}`);
      if (!near(ms, entry.value.retryAfterMs))
        this.object(by, `retryAfterMs is ${entry.value.retryAfterMs} instead of ${ms}`);
      if (by === 'breaker' && cause !== undefined && entry.value.cause !== cause)
        this.object('P12', 'the cause is not the failure that opened the circuit');
      return;
    }
    if (this.attempts > 0 && entry.value instanceof RejectedError && entry.value !== value)
      this.object('P12', `${was} after ${this.attempts} attempts`);
    const { report } = entry;
    if (entry.ok !== ok) this.object(this.broken(entry), `${was} instead of ${text}`);
    if (reason !== undefined && report !== undefined && report.reason !== reason)
      this.object(
        report.reason === 'exhausted' ? rule : this.broken(entry),
        `the reason is ${report.reason} instead of ${reason}`,
      );
    if (report !== undefined && reason !== undefined && report.attempts !== this.attempts)
      this.object('P12', `${report.attempts} attempts instead of ${this.attempts}`);
    if (reason !== undefined && report !== undefined) compareRecords(this, report, entry);
    if (ms !== undefined && report !== undefined && !near(ms, report.retryAfterMs))
      this.object(reason, `retryAfterMs is ${report.retryAfterMs} in the report instead of ${ms}`);
    let out = entry.value;
    if (!ok && this.options.finalError === 'wrap' && out instanceof RetryError) out = out.cause;
    if (timeout ? !(out instanceof TimeoutError) : !Object.is(out, value))
      this.object('P12', `${was} is not the callback's own outcome`);
  }
}
