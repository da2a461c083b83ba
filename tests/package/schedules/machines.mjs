// The machines of protection a second time, for the reference: each keeps a list of everything that happened to it and
// derives its numbers from the list. The package keeps a few running numbers instead, so the two share no shortcut.

/** Verdicts of an attempt's end for the breaker. */
export const NOTHING = 0;
export const SUCCESS = 1;
export const FAILURE = 2;

/** Tokens are counted in thousandths, which are whole. */
const thousandths = (tokens) => Math.round(tokens * 1000);

const PRESETS = { awsSdk2026: { capacity: 500, perSuccess: 1, cost: 14, throttled: 5, refund: true } };
const USUAL = { capacity: 50, perSuccess: 0.1, cost: 1, refund: true };

export class Budget {
  constructor({ preset, ...options }) {
    const { capacity, perSuccess, cost, throttled, refund } = { ...USUAL, ...PRESETS[preset], ...options };
    this.capacity = thousandths(capacity);
    this.perSuccess = thousandths(perSuccess);
    this.cost = thousandths(cost);
    this.throttledCost = thousandths(throttled ?? cost);
    this.refund = refund;
    this.granted = 0;
    this.rejected = 0;
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
      this.rejected += 1;
      return 0;
    }
    this.granted += 1;
    this.changes.push(-cost);
    return cost;
  }

  putBack(tokens) {
    this.changes.push(tokens);
  }

  /** A retry gained something, for which it took so many. */
  gained(taken) {
    if (this.refund) this.putBack(taken);
  }

  /** An operation succeeded. @param {number} last tokens that its last retry took; 0 at the first attempt */
  succeeded(last) {
    this.changes.push(this.refund && last > 0 ? last : this.perSuccess);
  }

  status() {
    const { tokens, capacity, granted, rejected } = this;
    return { tokens: tokens / 1000, capacity: capacity / 1000, granted, rejected };
  }
}

export class Cooldown {
  constructor({ maxHoldMs, probe = true }) {
    this.maxHoldMs = maxHoldMs;
    /** Whether anybody passes a hold: its probe, and who was held already. */
    this.probes = probe;
    /**
     * Requests to wait, in order: when, and for how long, or that the hold ends.
     * @type {{ at: number, ms: number }[]}
     */
    this.hints = [];
    /** The holds that have let their probe pass. @type {Set<number>} */
    this.probed = new Set();
    /** Attempts that are held now. */
    this.held = 0;
    this.rejected = 0;
  }

  /** Returns whether the hint set the cooldown. */
  start(now, ms) {
    const { until } = this.at(now);
    this.hints.push({ at: now, ms });
    return now + ms > until;
  }

  /** A success of an attempt that was admitted when it was to hold until then. */
  succeeded(now, until) {
    // Nobody asks by this: a clock that was set back changes nothing.
    if (this.at(Infinity).until === until) this.hints.push({ at: now, ms: NaN });
  }

  /** Until when, for how long the server that set it had asked, and which hold that is. */
  at(now) {
    let [until, asked, hold] = [-Infinity, 0, 0];
    for (const { at, ms } of this.hints) {
      // The next hint checks it, with the clock of that time.
      until = Math.min(until, at + asked);
      if (Number.isNaN(ms)) until = -Infinity;
      if (!(at + ms > until)) continue;
      if (until <= at) hold += 1;
      [until, asked] = [at + ms, ms];
    }
    return { until: Math.min(until, now + asked), asked, hold };
  }

  /** Whether an attempt may be the probe of the present hold. */
  mayProbe(now) {
    return !this.probed.has(this.at(now).hold);
  }

  probe(now) {
    this.probed.add(this.at(now).hold);
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

  status(now) {
    const { held, rejected } = this;
    return { remainingMs: Math.max(0, this.at(now).until - now), held, rejected };
  }
}

export class Breaker {
  constructor(options, now) {
    const { openMs = 1000 } = options;
    const usual = { failureRatio: 0.75, minimumCalls: 20, windowMs: 10_000, openMs, closeAfter: 1 };
    this.options = { ...usual, maxOpenMs: Math.max(4000, openMs), ...options };
    this.phase = 'closed';
    this.generation = 0;
    this.opens = 0;
    /** How long the present opening or lease was to last, and the next lease. */
    this.longest = 0;
    this.lease = 0;
    this.until = -Infinity;
    this.changedAt = now;
    this.rejected = 0;
    this.cause = undefined;
    this.empty(now);
  }

  /** Forgets the window, and starts it again. */
  empty(now) {
    this.sliceStart = now;
    this.slice = 0;
    /** First attempts admitted while closed, with their slice and row, and with their verdicts once they have ended. */
    this.admissions = [];
    /** By how much these were more or fewer in a row, and when. @type {{ row: number, at: number, by: number }[]} */
    this.begun = [];
    /** Ends that count, with the slice that they fell into. @type {{ slice: number, ok: boolean }[]} */
    this.ends = [];
  }

  /** Brings the slices up to the time. */
  turn(now) {
    if (now < this.sliceStart) this.sliceStart = now;
    if (now < this.changedAt) this.changedAt = now;
    if (this.begun.some(({ at }) => at > now))
      this.begun = this.begun.map(({ at, ...more }) => ({ at: Math.min(at, now), ...more }));
    const { windowMs } = this.options;
    const whole = Math.floor((now - this.sliceStart) / windowMs);
    this.slice += whole;
    this.sliceStart += whole * windowMs;
    const lasts = now - this.changedAt >= windowMs || this.row >= 20;
    if (this.phase === 'closed' && lasts) this.opens = 0;
  }

  /** How many of these count now: those of this slice, and a share of those of the one before. */
  weigh(now, events) {
    const within = (wanted) => events.filter(({ slice }) => slice === wanted).length;
    return within(this.slice) + within(this.slice - 1) * (1 - (now - this.sliceStart) / this.options.windowMs);
  }

  /** Failures and calls that count now. */
  counted(now) {
    const begun = this.admissions.filter(({ verdict }) => verdict !== NOTHING);
    const failed = this.ends.filter(({ ok }) => !ok);
    const calls = Math.max(this.weigh(now, this.ends), this.weigh(now, begun));
    return { failures: this.weigh(now, failed), calls };
  }

  /** The number of the present row: a row is what was admitted after the last success. */
  get row() {
    return this.ends.filter(({ ok }) => ok).length;
  }

  /** How long asking makes no sense, for certain: an open circuit. */
  look(now) {
    return this.phase === 'open' ? this.busy(now) : 0;
  }

  /** How long admission is denied. Asking is an event: a clock that was set back makes no opening longer. */
  busy(now) {
    if (this.phase === 'closed') return 0;
    if (this.phase === 'half-open' && this.probe === undefined) return 0;
    this.until = Math.min(this.until, now + this.longest);
    return Math.max(0, this.until - now);
  }

  /** Returns what the attempt carries, or how long it is denied. @param {boolean} first of its operation */
  admit(now, first) {
    const wait = this.busy(now);
    if (wait > 0) return { wait };
    if (this.phase === 'open') {
      // Subtracted, as the package does: sums of large times round.
      if (now - this.until >= this.options.windowMs) this.close(now);
      else this.enter('half-open', now);
    }
    if (now < this.changedAt) this.changedAt = now;
    const pass = { generation: this.generation, first };
    if (this.phase === 'closed') {
      this.turn(now);
      if (first) {
        this.admissions.push(Object.assign(pass, { slice: this.slice, row: this.row }));
        this.begun.push({ row: this.row, at: now, by: 1 });
      }
      return { pass };
    }
    this.probe = pass;
    this.longest = this.lease;
    this.until = now + this.lease;
    return { pass };
  }

  /** Follows the end of an attempt. @param {() => number} draw */
  end(now, pass, verdict, draw) {
    if (pass.generation !== this.generation) return undefined;
    if (this.phase === 'half-open') {
      if (pass === this.probe) this.probe = undefined;
      if (verdict === FAILURE) return this.open(now, draw());
      if (verdict === SUCCESS) this.good += 1;
      const closes =
        verdict === SUCCESS ? this.good >= this.options.closeAfter : now - this.changedAt >= this.options.windowMs;
      return closes ? this.close(now) : undefined;
    }
    pass.verdict = verdict;
    if (verdict === NOTHING) {
      if (pass.first) this.begun.push({ row: pass.row, at: now, by: -1 });
      return undefined;
    }
    this.turn(now);
    if (verdict === SUCCESS) this.ends.push({ slice: this.slice, ok: true });
    // A retry's failure says nothing.
    if (verdict === SUCCESS || !pass.first) return undefined;
    this.ends.push({ slice: this.slice, ok: false });
    return this.tooMany(now) ? this.open(now, draw()) : undefined;
  }

  /** Whether the failures are enough to open. */
  tooMany(now) {
    const { failureRatio, minimumCalls, consecutiveFailures } = this.options;
    const { failures, calls } = this.counted(now);
    if (calls >= minimumCalls && failures >= failureRatio * calls) return true;
    const row = this.admissions.filter((each) => each.row === this.row && each.verdict !== NOTHING);
    const failed = row.filter(({ verdict }) => verdict === FAILURE).length;
    if (failed < row.length / 2) return false;
    if (consecutiveFailures !== undefined) return failed >= consecutiveFailures;
    return failed >= 50 || (failed >= 10 && now - this.rowAt >= 1000);
  }

  /** When the first attempt of the present row was admitted. */
  get rowAt() {
    let [count, since] = [0, Infinity];
    for (const { row, at, by } of this.begun) {
      if (row !== this.row) continue;
      if (count === 0) since = at;
      count += by;
    }
    return since;
  }

  open(now, draw) {
    const { openMs, maxOpenMs } = this.options;
    this.opens += 1;
    const most = Math.min(maxOpenMs, openMs * 2 ** (this.opens - 1));
    const ms = most / 2 + (draw * most) / 2;
    this.last(now, ms, ms);
  }

  /** By hand. */
  openFor(now, ms) {
    const { openMs, maxOpenMs } = this.options;
    this.last(now, ms, Math.min(maxOpenMs, Math.max(ms, openMs)));
  }

  last(now, ms, lease) {
    if (this.phase !== 'open') this.enter('open', now);
    this.longest = ms;
    this.lease = lease;
    this.until = now + ms;
  }

  enter(phase, now) {
    this.phase = phase;
    this.changedAt = now;
    this.generation += 1;
    this.probe = undefined;
    this.good = 0;
  }

  close(now, byHand = false) {
    this.enter('closed', now);
    this.empty(now);
    if (byHand) this.opens = 0;
  }

  /** Reading changes nothing. */
  status(now) {
    const read = Object.assign(Object.create(Breaker.prototype), this);
    read.turn(now);
    const { phase, opens, rejected } = read;
    return { state: phase, retryAfterMs: read.busy(now), ...read.counted(now), opens, rejected };
  }
}

/** Hedges that may start before any operation has succeeded. */
const FIRST = 10;
/** How long a slice of durations lasts, in ms. */
const SLICE_MS = 30_000;
/** How many durations are needed, and after how many the quantile is taken again. */
const ENOUGH = 20;
const AGAIN = 64;
/** Slots start at 1/16 ms, eight in each of 24 octaves. */
const [LOWEST, OCTAVES] = [-4, 24];

export class Hedging {
  constructor({ delayMs, quantile = 0.95, maxRatio = 0.1 }, now) {
    this.delayMs = delayMs;
    this.latency = delayMs === undefined ? new Latency(quantile, now) : undefined;
    this.budget = new Budget({ capacity: FIRST, perSuccess: maxRatio, cost: 1, refund: false });
    this.hedges = 0;
    this.won = 0;
    this.rejected = 0;
  }

  /** How long after an attempt its hedge starts; undefined while that is not known. */
  delay(now) {
    return this.delayMs ?? this.latency.delay(now);
  }

  /** The end of a first attempt: how long it took counts if it succeeded, timed out or was superseded. */
  hear({ startedAt, endedAt = performance.now() }, now, counts, attemptTimeoutMs) {
    const ms = endedAt - startedAt;
    if (counts || ms >= attemptTimeoutMs) this.latency?.record(now, ms);
  }

  /** Reading changes nothing. */
  status(now) {
    const { hedges, won, rejected, latency } = this;
    const read = Object.assign(Object.create(Latency.prototype), latency);
    return { delayMs: this.delayMs ?? read.delay(now), hedges, won, rejected };
  }
}

/** Durations of first attempts: those of this slice, and a share of those of the one before. */
export class Latency {
  constructor(quantile, now) {
    this.quantile = quantile;
    this.sliceStart = now;
    this.slice = 0;
    /** @type {readonly { slice: number, ms: number }[]} */
    this.samples = [];
    /** Samples since the delay was taken. */
    this.unread = 0;
    this.known = undefined;
  }

  record(now, ms) {
    this.turn(now);
    this.samples = [...this.samples, { slice: this.slice, ms }];
    this.unread += 1;
  }

  /** Brings the slices up to the time. A start in the future becomes now. */
  turn(now) {
    this.sliceStart = Math.min(this.sliceStart, now);
    const whole = Math.floor((now - this.sliceStart) / SLICE_MS);
    if (whole === 0) return;
    this.slice += whole;
    this.sliceStart += whole * SLICE_MS;
    this.unread = AGAIN;
  }

  delay(now) {
    this.turn(now);
    const share = 1 - (now - this.sliceStart) / SLICE_MS;
    const counted = this.samples.filter(({ slice }) => slice >= this.slice - 1).sort((a, b) => a.ms - b.ms);
    const sum = (list) => {
      const current = list.filter(({ slice }) => slice === this.slice).length;
      return current + (list.length - current) * share;
    };
    const total = sum(counted);
    if (total < ENOUGH) return undefined;
    if (this.unread < AGAIN && this.known !== undefined) return this.known;
    this.unread = 0;
    const reached = counted.findIndex((_, i) => sum(counted.slice(0, i + 1)) >= this.quantile * total);
    this.known = Math.max(1, edgeAbove(counted.at(reached).ms));
    return this.known;
  }
}

/** The upper edge of the slot that a duration falls into: at most an eighth above it. */
function edgeAbove(ms) {
  const octave = Math.floor(Math.log2(Math.max(ms, 2 ** LOWEST)));
  if (octave >= LOWEST + OCTAVES) return 2 ** (LOWEST + OCTAVES);
  const lower = 2 ** octave;
  const eighths = Math.floor((Math.max(ms, lower) / lower - 1) * 8);
  return lower * (1 + (eighths + 1) / 8);
}
