// The machines of protection a second time, for the oracle: each keeps a list of everything that happened to it and
// derives its numbers from the list. The package keeps a few running numbers instead, so the two share no shortcut.

/** Verdicts of an attempt's end for the breaker. */
export const NOTHING = 0;
export const SUCCESS = 1;
export const FAILURE = 2;

/** Tokens are counted in thousandths, which are whole. */
const thousandths = (tokens) => Math.round(tokens * 1000);

const PRESETS = { awsSdk2026: { capacity: 500, perSuccess: 1, cost: 14, throttled: 5, refund: true } };

export class Budget {
  constructor({ preset, ...options }) {
    const { capacity, perSuccess, cost, throttled, refund } = {
      capacity: 50,
      perSuccess: 0.1,
      cost: 1,
      refund: true,
      ...PRESETS[preset],
      ...options,
    };
    this.capacity = thousandths(capacity);
    this.perSuccess = thousandths(perSuccess);
    this.cost = thousandths(cost);
    this.throttledCost = thousandths(throttled ?? cost);
    this.refund = refund;
    this.granted = 0;
    this.refused = 0;
    /** Changes of the tokens, in order: negative ones were taken. @type {number[]} */
    this.changes = [];
  }

  /** Tokens now: each change is applied and bounded by itself. */
  get tokens() {
    return this.changes.reduce((tokens, change) => Math.min(this.capacity, tokens + change), this.capacity);
  }

  /** Takes the tokens of a retry. Returns how many, or 0 if there are too few. */
  take(throttled) {
    const cost = throttled ? this.throttledCost : this.cost;
    if (this.tokens < cost) {
      this.refused += 1;
      return 0;
    }
    this.granted += 1;
    this.changes.push(-cost);
    return cost;
  }

  putBack(tokens) {
    this.changes.push(tokens);
  }

  /** An operation succeeded. @param {number} last tokens that its last retry took; 0 at the first attempt */
  succeeded(last) {
    this.changes.push(this.refund && last > 0 ? last : this.perSuccess);
  }
}

export class Cooldown {
  constructor({ maxHoldMs = 10_000 } = {}) {
    this.maxHoldMs = maxHoldMs;
    /** Requests to wait, in order: when, and for how long. @type {{ at: number, ms: number }[]} */
    this.hints = [];
    /** Attempts that are held now. */
    this.held = 0;
    this.refused = 0;
  }

  /** Returns whether the hint set the cooldown. */
  start(now, ms) {
    const { until } = this.at(now);
    this.hints.push({ at: now, ms });
    return now + ms > until;
  }

  /** Until when, and for how long the server asked that set it. */
  at(now) {
    let [until, asked] = [-Infinity, 0];
    for (const hint of this.hints) {
      // The next hint checks it, with the clock of that time.
      until = Math.min(until, hint.at + asked);
      if (hint.at + hint.ms > until) [until, asked] = [hint.at + hint.ms, hint.ms];
    }
    return { until: Math.min(until, now + asked), asked };
  }

  /** How long it still holds. Asking is an event: no clock that is set back makes it longer than was asked for. */
  left(now) {
    this.hints.push({ at: now, ms: -Infinity });
    return Math.max(0, this.at(now).until - now);
  }

  /** How long an attempt is held: the time left and a share of the time asked for. */
  hold(now, base, draw) {
    const left = this.left(now);
    return left > 0 ? left + draw * Math.max(base, this.at(now).asked / 2) : 0;
  }
}

export class Breaker {
  constructor(options, now) {
    this.options = {
      failureRatio: 0.5,
      minimumCalls: 10,
      windowMs: 10_000,
      consecutiveFailures: Infinity,
      openMs: 5000,
      closeAfter: 1,
      ...options,
    };
    this.phase = 'closed';
    this.generation = 0;
    this.opens = 0;
    this.lastOpen = 0;
    this.until = -Infinity;
    this.closedAt = now;
    this.hasClosed = false;
    this.refused = 0;
    this.cause = undefined;
    this.empty(now);
  }

  /** Forgets the window, and starts it again. */
  empty(now) {
    this.since = now;
    this.sliceStart = now;
    this.slice = 0;
    /** Ends that count, with the slice that they fell into. @type {{ slice: number, ok: boolean, at: number }[]} */
    this.ends = [];
    /** Admissions while closed, with their slice. @type {number[]} */
    this.admissions = [];
  }

  /** Brings the slices up to the time. */
  turn(now) {
    if (now < this.sliceStart) this.sliceStart = now;
    if (now < this.since) this.since = now;
    if (now < this.closedAt) this.closedAt = now;
    const whole = Math.floor((now - this.sliceStart) / this.options.windowMs);
    this.slice += whole;
    this.sliceStart += whole * this.options.windowMs;
  }

  /** How many of these count now: those of this slice, and a share of those of the one before. */
  weigh(now, slices) {
    const within = (wanted) => slices.filter((slice) => slice === wanted).length;
    return within(this.slice) + within(this.slice - 1) * (1 - (now - this.sliceStart) / this.options.windowMs);
  }

  slicesOf(ok) {
    return this.ends.filter((end) => end.ok === ok).map(({ slice }) => slice);
  }

  /** Failures and calls that count now. */
  counted(now) {
    const failures = this.weigh(now, this.slicesOf(false));
    const ended = this.weigh(now, this.slicesOf(true)) + failures;
    const young = now - this.since < this.options.windowMs;
    return { failures, calls: young ? Math.max(ended, this.weigh(now, this.admissions)) : ended };
  }

  /** Failures since the last success, and when the first of them ended. */
  get row() {
    const last = this.ends.findLastIndex(({ ok }) => ok);
    const row = this.ends.slice(last + 1);
    return { length: row.length, since: row[0]?.at };
  }

  /** How long asking makes no sense, for certain: an open circuit. */
  look(now) {
    return this.phase === 'open' ? this.busy(now) : 0;
  }

  /** How long admission is denied. Asking is an event: a clock that was set back makes no opening longer. */
  busy(now) {
    if (this.phase === 'closed') return 0;
    if (this.phase === 'half-open' && !this.running) return 0;
    this.until = Math.min(this.until, now + this.lastOpen);
    return Math.max(0, this.until - now);
  }

  /** Returns what the attempt carries, or how long it is denied. */
  admit(now) {
    const wait = this.busy(now);
    if (wait > 0) return { wait };
    if (this.phase === 'closed') {
      this.turn(now);
      this.admissions.push(this.slice);
      return { pass: { generation: this.generation, lease: 0 } };
    }
    if (this.phase === 'open') {
      this.phase = 'half-open';
      this.generation += 1;
      this.lease = 0;
      this.good = 0;
    } else {
      this.lease += 1;
    }
    this.running = true;
    this.until = now + this.lastOpen;
    return { pass: { generation: this.generation, lease: this.lease }, probe: true };
  }

  /**
   * Takes in how an attempt ended.
   * @returns {'opened' | 'closed' | undefined}
   */
  end(now, { generation, lease }, verdict, draw, cause, hintMs) {
    if (generation !== this.generation) return undefined;
    if (this.phase === 'half-open') {
      if (lease === this.lease) this.running = false;
      if (verdict === FAILURE) return this.open(now, draw, cause, hintMs);
      if (verdict !== SUCCESS) return undefined;
      this.good += 1;
      return this.good >= this.options.closeAfter ? this.close(now) : undefined;
    }
    if (this.phase !== 'closed') return undefined;
    this.turn(now);
    if (verdict === NOTHING) return undefined;
    // A row does not start in the future, if the clock was set back.
    if (verdict === FAILURE) for (const each of this.ends) each.at = Math.min(each.at, now);
    this.ends.push({ slice: this.slice, ok: verdict === SUCCESS, at: now });
    return verdict === FAILURE && this.tooMany(now) ? this.open(now, draw, cause, 0) : undefined;
  }

  /** Whether the failures are enough to open. */
  tooMany(now) {
    const { failureRatio, minimumCalls, windowMs, consecutiveFailures } = this.options;
    const { failures, calls } = this.counted(now);
    const row = this.row;
    if (row.length >= consecutiveFailures) return true;
    if (calls >= minimumCalls && failures >= failureRatio * calls) return true;
    // Without a minimum the ratio says nothing, and neither does the rule for services that never reach one.
    if (minimumCalls === Infinity) return false;
    const admitted = this.weigh(now, this.admissions);
    return row.length >= 5 && now - row.since >= windowMs && row.length >= failureRatio * admitted;
  }

  open(now, draw, cause, hintMs) {
    const { openMs, windowMs } = this.options;
    if (this.phase === 'closed' && this.hasClosed && now - this.closedAt >= windowMs) this.opens = 0;
    this.opens += 1;
    const most = Math.min(12 * openMs, openMs * 2 ** (this.opens - 1));
    this.openFor(now, Math.max(hintMs || 0, most / 2 + (draw * most) / 2), cause);
    return 'opened';
  }

  openFor(now, ms, cause) {
    this.lastOpen = ms;
    this.until = now + ms;
    this.phase = 'open';
    this.generation += 1;
    this.cause = cause;
  }

  close(now) {
    this.phase = 'closed';
    this.generation += 1;
    this.closedAt = now;
    this.hasClosed = true;
    this.empty(now);
    return 'closed';
  }
}
