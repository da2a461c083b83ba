// The record of one operation, read entry by entry. A script, a generator, says what must come: it yields what it waits
// for, and gets the entry that came. What the outside decides (how a callback ended, and when) is read here.

import { Objection } from './objection.mjs';

/** An abort ends what the operation is at. */
export class Cut {}

/** Entries that say nothing by themselves. */
const ASIDE = new Set(['arm', 'fire', 'block', 'hookEnd', 'isFailure', 'protection', 'reported', 'end']);
/** Hooks that an operation calls when it ends: whether they come is not followed here. */
const LAST_HOOKS = ['onSuccess', 'onGiveUp'];
/** Entries that an operation makes when it goes on. */
const ACTS = new Set(['fn', 'settle', 'retryIf', 'retryOnResult', 'beforeRetry']);

/**
 * How much of a timer is left when it fires. Hosts fire up to 1 ms early; if more is missing, or the clock has hardly
 * moved, the clock is not that of the timers.
 */
function restOf({ at, ms }, now) {
  const missing = at + ms - now;
  return missing > 0 && missing <= 2 && now - at >= missing ? missing : 0;
}

const ceil = Math.ceil;

/** A class that extends it has the script, and `broken(entry)`: the rule that an unexpected entry breaks. */
export class Reading {
  constructor(oracle, operation, state, call) {
    const { policy, plan } = operation;
    this.oracle = oracle;
    this.operation = operation;
    this.state = state;
    this.options = policy.options;
    this.uses = policy.uses;
    this.sync = plan.via === 'sync';
    /** The last entry that was taken: its time is now. */
    this.last = call;
    this.timers = new Map();
    this.over_ = false;
  }

  /** @param {Generator} script */
  start(script) {
    this.script = script;
    this.want = script.next().value;
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
    this.accept(entry);
  }

  /** The entry that the script waits for has come. */
  accept(entry) {
    this.last = entry;
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

  *hook(name, { number, hedge, rule = 'order' }) {
    if (!this.uses.hooks.includes(name)) return;
    const is = (entry) => entry.name === name;
    const fits = (entry) => is(entry) && entry.event.attempt === number && entry.event.hedge === hedge;
    yield* this.expect('hook', rule, `${name} of attempt ${number}`, { fits });
    yield* this.expect('hookEnd', 'order', `the end of ${name}`, { fits: is });
  }
}
