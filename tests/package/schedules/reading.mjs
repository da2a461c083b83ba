// The record of one operation, read entry by entry. A script, a generator, says what must come: it yields what it waits
// for, and gets the entry that came. What the outside decides (how a callback ended, and when) is read here.

import { BARE } from './perform.mjs';
import { describe } from './world.mjs';

/** Something in the record that the design does not allow. The rule is the name of an invariant. */
export class Objection extends Error {
  constructor(rule, text) {
    super(text);
    this.rule = rule;
  }
}

/** An abort ends what the operation is at. */
export class Cut {}

/** Entries that an operation makes when it goes on. */
const ACTS = new Set(['fn', 'settle', 'retryIf', 'retryOnResult', 'beforeRetry', 'hook', 'random', 'curve']);
/** Entries that show how an operation goes on. */
const STEPS = new Set([...ACTS, 'arm', 'block']);

const MAX_TIMER = 2 ** 31 - 1;
const { ceil } = Math;

/** Whether a value is an instance of a class. Some values cannot be asked. */
export function isA(value, type) {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** Whether two numbers are the same, short of what rounding makes of them. */
export const near = (a, b) => a === b || Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));

/**
 * How much of a timer is left when it fires. Hosts fire up to 1 ms early; if more is missing, or the clock has hardly
 * moved, the clock is not that of the timers. One timer holds at most 2^31 - 1 ms.
 */
function restOf({ at, ms }, now) {
  const further = Math.max(0, ceil(ms) - MAX_TIMER);
  const missing = at + ms - now;
  if (missing <= further) return Math.max(0, missing);
  return missing - further <= 2 && now - at >= missing - further ? missing : further;
}

/** A class that extends it has the script, and `broken(entry)`: the rule that an unexpected entry breaks. */
export class Reading {
  constructor(oracle, operation, state, call) {
    const { policy, plan } = operation;
    const { world } = oracle;
    this.oracle = oracle;
    this.world = world;
    this.operation = operation;
    this.state = state;
    this.options = { ...policy.implied, ...policy.options };
    this.uses = policy.uses;
    this.sync = plan.via === 'sync';
    /** The last entry that was taken: its time is now. */
    this.last = call;
    this.timers = new Map();
    this.over_ = false;
    /** How long others may have blocked the thread between a moment and its consequence. */
    this.blur = world.schedule.single || world.protections.length > 0 ? 0 : world.busy;
  }

  /** @param {Generator} script */
  start(script) {
    this.script = script;
    this.want = script.next().value;
  }

  get now() {
    return this.last.t;
  }

  /** Whether something must come in this macrotask. */
  get owes() {
    return !this.over_ && this.want.now;
  }

  object(rule, text) {
    throw new Objection(rule, `operation ${this.operation.id}: ${typeof text === 'function' ? text() : text}`);
  }

  /** `text` as a function where it takes time to write. */
  require(condition, rule, text) {
    if (!condition) this.object(rule, text);
  }

  sameTime(a, b) {
    return near(a, b) || Math.abs(a - b) <= this.blur;
  }

  take(entry) {
    if (!this.over_ && this.want.goesOn?.(entry)) this.oracle.goOn(this, entry);
    if (entry.kind === 'arm') this.armed(entry);
    if (entry.kind === 'fire') {
      const timer = this.timers.get(entry.id);
      this.fired = {
        turn: entry.turn,
        timer,
        rest: timer.ms === undefined ? this.rearms(entry, timer) : restOf(timer, entry.t),
      };
    }
    if (this.over_) {
      if (ACTS.has(entry.kind)) this.object('leftovers', () => `${this.name(entry)} after settlement`);
      return;
    }
    if (entry.kind === 'abort') {
      // Once the outcome is decided, an abort comes too late; in the same macrotask, the record says which came first.
      const late = this.told || ((this.want.decided || this.want.kinds.includes('settle')) && !this.endsAborted());
      if (this.aborted || late) return;
      this.aborted = entry;
      this.last = entry;
      this.next(this.script.throw(new Cut()));
      return;
    }
    const fits = this.want.kinds.includes(entry.kind) && (this.want.fits === undefined || this.want.fits(entry));
    if (fits) {
      this.accept(entry);
      return;
    }
    // The first of the numbers for one wait may abort; the others may still be asked for.
    const number = entry.kind === 'random' || entry.kind === 'curve';
    if (number && this.aborted?.turn === entry.turn) return;
    if (ACTS.has(entry.kind)) this.object(this.broken(entry), () => `${this.name(entry)} instead of ${this.want.text}`);
    if (entry.kind === 'fire' && this.fired.timer.of === 'hedge')
      this.object('leftovers', `the timer of a hedge fires instead of ${this.want.text}`);
  }

  /** The entry that the script waits for has come. */
  accept(entry) {
    this.last = entry;
    // A hook has told how the operation ends.
    this.told ||= entry.name === 'onSuccess' || entry.name === 'onGiveUp';
    this.next(this.script.next(entry));
  }

  /** The pause before a decision ends. */
  goOn(entry) {
    if (this.over_ || !this.want.goesOn) return;
    // The entry itself is still to come.
    this.last = { ...entry, i: entry.i - 1 };
    this.next(this.script.next());
  }

  next({ value, done }) {
    if (done) this.over_ = true;
    else this.want = value;
    if (!done && value.goesOn) this.oracle.pausing.push(this);
  }

  name(entry) {
    if (entry.kind !== 'settle') return `${entry.name ?? entry.kind} at ${entry.t}`;
    const { ok, value, report } = entry;
    return `${ok ? 'a result' : describe(value)} (${report?.reason ?? 'no report'}) at ${entry.t}`;
  }

  /** Every timer is one of a wait or hold, of an attempt or its hedge, or of the deadline. */
  armed(entry) {
    const { ms } = entry;
    this.require(Number.isInteger(ms) && ms >= 0 && ms <= MAX_TIMER, 'timers', () => `a timer of ${ms} ms`);
    const wanted = !this.over_ && this.want.kinds.includes('arm') && this.want.fits(entry);
    // One that fired early, or could not hold the whole time, is armed again for the rest.
    const again = !wanted && this.fired?.turn === entry.turn && this.fired.rest > 0;
    if (!wanted && !(again && ms === Math.min(MAX_TIMER, ceil(this.fired.rest)))) {
      const rule = this.over_
        ? 'leftovers'
        : this.want.kinds.includes('arm')
          ? this.want.timerRule
          : this.broken(entry);
      this.object(rule, () => `a timer of ${ms} ms instead of ${this.over_ ? 'nothing' : this.want.text}`);
    }
    const timer = again ? { ...this.fired.timer, ms: this.fired.rest } : this.want.timer;
    // No wait is longer than its last timer.
    const hi = ms < MAX_TIMER ? Math.min(timer.hi ?? Infinity, ms) : timer.hi;
    this.timers.set(entry.id, { ...timer, hi, at: entry.t });
  }

  /** Nothing came in the macrotask in which it had to. */
  overdue() {
    this.object(this.want.rule, `nothing came instead of ${this.want.text}`);
  }

  /** At the end of the schedule: only what the callbacks keep waiting waits. */
  over() {
    if (this.over_ || this.want.forever || this.world.leftWaiting) return;
    this.object(this.want.rule, `it waits for ever for ${this.want.text}`);
  }

  *expect(kinds, rule, text, more = {}) {
    return yield { kinds: [kinds].flat(), rule, text, now: true, ...more };
  }

  /** The next entry of the operation that is one of these kinds. */
  coming(kinds = STEPS, from = this.last) {
    const { log } = this.world;
    for (let i = from.i + 1; i < log.length; i += 1)
      if (log[i].op === this.operation.id && kinds.has(log[i].kind)) return log[i];
    return undefined;
  }

  /** Whether the operation ends next. */
  endsNext() {
    const next = this.coming();
    return next?.kind === 'settle' || (next?.kind === 'hook' && next.name === 'onGiveUp');
  }

  /** Why the operation ends next, if the record says it. */
  endsFor() {
    const next = this.coming();
    return next?.event?.reason ?? next?.report?.reason;
  }

  /** Whether what the operation does next is to end with the reason of a signal. */
  endsAborted() {
    const next = this.coming(ACTS);
    if (next?.kind === 'hook') return next.name === 'onGiveUp' && next.event.reason === 'aborted';
    return next?.kind === 'settle' && this.wasAborted(next);
  }

  wasAborted({ ok, value }) {
    return (
      !ok &&
      this.operation.signals.some(
        ({ aborted, reason }) => aborted && (Object.is(reason, value) || (reason === BARE && isAbortError(value))),
      )
    );
  }

  /** How long a timer is armed again that has fired, where how long the wait lasts is not known: as the record says. */
  rearms(fire, { at, hi }) {
    const most = hi - (fire.t - at);
    const next = this.coming(STEPS, fire);
    // After months, the sum of two times is rounded.
    const fits = most > 0 && next?.kind === 'arm' && next.turn === fire.turn && next.ms <= ceil(most + 1e-5);
    if (!fits) return 0;
    // The timer of an attempt comes before its call.
    return this.coming(STEPS, next)?.turn === fire.turn ? 0 : next.ms;
  }

  /** Sleeps through a wait or hold. Returns false if the deadline has come first. */
  *sleep({ lo, hi = lo }, rule, text, timerRule = rule) {
    const from = this.now;
    if (this.sync) {
      while (this.now < from + ceil(lo) - 1e-6) yield* this.expect('block', rule, text);
      return true;
    }
    const timer = { of: 'wait', ms: lo === hi ? lo : undefined, hi };
    const ended = yield* this.fires(yield* this.arms({ lo, hi }, rule, text, timer, timerRule), rule, text, timerRule);
    if (ended && lo !== hi)
      this.require(this.now - from >= lo - this.world.early - 1e-6, 'hints', 'the wait was too short');
    return ended;
  }

  /** A timer is armed. */
  *arms({ lo, hi = lo }, rule, text, timer, timerRule = rule) {
    const [least, most] = [lo * (1 - 1e-12) - 1e-9, hi * (1 + 1e-12) + 1e-9].map((ms) => Math.min(MAX_TIMER, ceil(ms)));
    const fits = ({ ms }) => ms >= least && ms <= most;
    return yield* this.expect('arm', rule, text, { fits, timer, timerRule });
  }

  /** A timer fires. Returns false if the deadline has come first. */
  *fires(arm, rule, text, timerRule) {
    const { of, ms, hi } = this.timers.get(arm.id);
    const again = rule === 'turns' ? 'hints' : rule;
    for (;;) {
      const ends = (entry) => entry.id === arm.id || this.expires(entry);
      const fire = yield { kinds: ['fire'], rule, text, now: false, fits: ends };
      if (fire.id !== arm.id) return false;
      const { rest } = this.fired;
      if (rest === 0) return true;
      arm = yield* this.arms({ lo: rest }, again, text, { of, ms: ms === undefined ? undefined : rest, hi }, timerRule);
    }
  }

  /** Whether a timer that fired is the deadline's. */
  expires(entry) {
    return entry.kind === 'fire' && this.fired.timer.of === 'deadline' && this.fired.rest === 0;
  }

  /** How the attempt ends: by itself, by its timeout, by the deadline. */
  *ending(attempt) {
    const times = ({ of, attempt: owner }) => of === 'attempt' && owner === attempt;
    const ends = (entry) => {
      if (entry.kind === 'end') return entry.of === attempt.fn;
      return this.expires(entry) || (times(this.fired.timer) && this.fired.rest === 0);
    };
    const want = { kinds: ['end', 'fire'], rule: 'settlement', text: 'the end of the attempt', fits: ends };
    const entry = yield { ...want, now: false, forever: true };
    if (entry.kind === 'end') return entry;
    return { [times(this.fired.timer) ? 'timeout' : 'deadline']: true, ok: false };
  }

  /** Waits for the end of a callback other than the operation. */
  *answer(asked) {
    const ends = (entry) => (entry.kind === 'end' ? entry.of === asked : this.expires(entry));
    const want = { kinds: ['end', 'fire'], rule: 'settlement', text: `the answer of ${asked.kind}`, fits: ends };
    const entry = yield { ...want, now: asked.end?.turn === asked.turn, forever: true };
    return entry.kind === 'end' ? entry : { deadline: true };
  }
}

/** Whether this is the error that stands for a signal without a reason of its own. */
const isAbortError = (value) => isA(value, Error) && value.name === 'AbortError' && value.code === 20;
