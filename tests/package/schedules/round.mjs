// A round, followed through the record: an attempt, its hedge if it is slow, and how the two end the round.

import { NOTHING } from './machines.mjs';
import { Attempt } from './records.mjs';

/** Entries and events that show how an operation goes on. */
const DECISIONS = ['arm', 'hook', 'settle', 'rejected', 'budget-empty'];

export class Round {
  /** The rule that an attempt, a timer or a hook breaks that nothing here waits for. */
  forbidden = 'hedge';
  /** The attempt and its hedge: what each waits for. @type {{ script: Generator, want: any }[]} */
  lanes = [];
  /** Ends that came while the other lane was at work. @type {object[]} */
  ends = [];
  /** Tokens of the budget that a hedge took which has not started. @type {number | undefined} */
  taken = undefined;

  constructor(following) {
    this.following = following;
    this.state = following.state;
  }

  /** Returns the failure of the round, or nothing if that has ended the operation. */
  *run(attempt) {
    const { following } = this;
    const { hedge } = this.state;
    const { maxAttempts } = following;
    following.round = this;
    yield* following.timeout(attempt);
    const delays = following.attempts + 1 < maxAttempts ? hedge.delays(following.now) : [];
    const armed = following.coming()?.ms;
    const fitting = new Set(delays.filter((ms) => Math.ceil(ms) === armed));
    // The longer of two may not fit before the deadline.
    const [delayMs = delays.at(-1)] = fitting;
    // No timer for a hedge that could not start before the deadline.
    const may = following.now + delayMs < following.deadline;
    const text = `the timer of a hedge after ${delayMs} ms`;
    // If two delays have the same timer, the record says whether one that fires early is armed again.
    const length = fitting.size > 1 ? { ms: undefined, hi: Math.max(...fitting) } : { ms: delayMs };
    const timer = may ? yield* following.arms({ lo: delayMs }, 'hedge', text, { of: 'hedge', ...length }) : undefined;
    yield* following.call(attempt);
    this.add(following.judge(attempt), attempt);
    if (may) this.add(this.hedge(timer, delayMs, text));
    const [last, end] = yield* this.beside();
    following.round = undefined;
    const { ends } = end;
    if (ends === 'deadline') return yield* following.finish(last, end);
    if (ends !== undefined) this.decide(last, end);
    // The operation waits for its round. It goes on when others have had their turn: at what it does next.
    const goesOn = (entry) => DECISIONS.includes(entry.event?.type ?? entry.kind);
    const decided = ends !== undefined;
    yield { kinds: [], rule: 'settlement', text: 'the end of the round', now: true, goesOn, decided };
    return decided ? yield* following.finish(last, end) : this.failure(end);
  }

  /** The hedge, from its timer to its end. Returns nothing if it may not start. */
  *hedge(timer, delayMs, text) {
    const { following } = this;
    const { hedge, breaker, budget, cooldown } = this.state;
    if (!(yield* following.fires(timer, 'hedge', text, 'hedge'))) return { ends: 'deadline' };
    if (following.now >= following.deadline) return undefined;
    const closed = breaker === undefined || breaker.phase === 'closed';
    if (!closed || cooldown?.left(following.now) > 0) return this.refuse('hedge');
    if (!hedge.take()) return this.refuse('hedges');
    const taken = budget?.take(false) ?? 0;
    if (budget !== undefined && taken === 0) {
      hedge.putBack();
      return this.refuse('tokens');
    }
    this.taken = taken;
    const attempt = new Attempt(breaker?.admit(following.now, false).pass, false, undefined, true);
    this.starts = attempt;
    yield* following.hook('onAttempt', { number: following.attempts + 1, hedge: true, rule: 'hedge' });
    yield* following.timeout(attempt);
    yield* following.call(attempt, 'hedge');
    this.lanes[1].attempt = attempt;
    this.taken = undefined;
    hedge.hedges += 1;
    return yield* following.judge(attempt);
  }

  refuse(rule) {
    this.forbidden = rule;
    this.state.hedge.rejected += 1;
    return undefined;
  }

  /** The operation ends: a hedge that has taken tokens does not start. */
  release() {
    if (this.taken === undefined) return;
    this.state.hedge.putBack();
    if (this.taken > 0) this.state.budget.putBack(this.taken);
    this.following.end(this.starts.pass, NOTHING);
    this.taken = undefined;
  }

  add(script, attempt) {
    const { value } = script.next();
    this.lanes.push({ script, want: value, attempt, end: undefined });
  }

  /**
   * Follows both until one ends the operation, or none runs any more. Returns the last one, and its end.
   * @returns {Generator<any, [Attempt, { ends?: string }]>}
   */
  *beside() {
    for (;;) {
      const entry = yield this.want();
      const ended = this.take(entry);
      if (ended !== undefined) return ended;
    }
  }

  /** The lanes wait for this: one that must go on at once comes first. */
  want() {
    const waiting = this.lanes.filter(({ want }) => want !== undefined);
    const owing = waiting.find(({ want }) => want.now);
    const { rule, text, timer, timerRule } = (owing ?? waiting[0]).want;
    return {
      kinds: waiting.flatMap(({ want }) => want.kinds),
      fits: (entry) => waiting.some(({ want }) => accepts(want, entry)),
      now: owing !== undefined,
      forever: waiting.every(({ want }) => want.forever),
      rule,
      text,
      timer,
      timerRule,
    };
  }

  /** An entry for one of the lanes. Returns the end of the round. */
  take(entry) {
    const { lanes } = this;
    const owing = lanes.find(({ want }) => want?.now);
    const lane = [owing, ...lanes].find((each) => each?.want !== undefined && accepts(each.want, entry));
    // Two that end in one macrotask are seen to one after the other.
    if (entry.kind === 'end' && owing !== undefined && lane !== owing) {
      this.ends.push(entry);
      return undefined;
    }
    this.step(lane, entry);
    const ended = this.ended(lane);
    if (ended !== undefined || this.lanes.some(({ want }) => want?.now) || this.ends.length === 0) return ended;
    return this.take(this.ends.shift());
  }

  step(lane, entry) {
    const { value, done } = lane.script.next(entry);
    lane.want = done ? undefined : value;
    if (done) lane.end = value;
    // Once the attempt has ended, no hedge starts.
    const [first, second] = this.lanes;
    if (second !== undefined && second.attempt === undefined && !second.want?.now && !first.attempt.runs)
      second.want = undefined;
  }

  /** Returns the end of the round, if that has come with the end of this lane. */
  ended(lane) {
    if (lane.want !== undefined) return undefined;
    const { attempt, end } = lane;
    if (end?.ends !== undefined) return [attempt, end];
    if (this.lanes.some(({ want }) => want !== undefined)) return undefined;
    const { outcome } = this.following;
    return [outcome, this.lanes.find((each) => each.attempt === outcome).end];
  }

  /** Both have failed: the last failure counts, with the largest hint. */
  failure(end) {
    const ends = this.lanes.map((lane) => lane.end).filter((each) => each !== undefined);
    const hints = ends.map(({ hintMs }) => hintMs).filter((hintMs) => hintMs !== undefined);
    const hintMs = hints.length > 0 ? Math.max(...hints) : undefined;
    const some = (name) => ends.some((each) => each[name]);
    const untils = ends.flatMap(({ untils }) => untils);
    return { ...end, hintMs, untils, throttled: some('throttled'), pays: some('pays') };
  }

  /** One of them ends the operation, and the other has lost. */
  decide(attempt, { ends }) {
    const { following } = this;
    following.outcome = attempt;
    following.winner = attempt;
    if (ends === 'success') following.classify(attempt, false);
    for (const { attempt: other } of this.lanes) {
      if (other === undefined || other === attempt) continue;
      if (other.runs) other.supersededAt = following.now;
      following.hear(other, NOTHING);
    }
  }
}

const accepts = (want, entry) => want.kinds.includes(entry.kind) && (want.fits === undefined || want.fits(entry));
