// Hedging a second time, for the oracle: lists of all hedges, successes and durations, from which the numbers follow.

import { Budget } from './machines.mjs';

/** Hedges that may start before any operation has succeeded. */
const FIRST = 10;
/** How long a slice of durations lasts, in ms. */
const SLICE_MS = 30_000;
/** How many durations are needed, and after how many the quantile is taken again. */
const ENOUGH = 20;
const AGAIN = 64;
/** Slots start at 1/16 ms, eight in each of 24 octaves. */
const [LOWEST, OCTAVES] = [-4, 24];
/** Up to this, rounding decides whether a share is reached. */
const EXACT = 1e-9;

export class Hedging {
  constructor({ delayMs, quantile = 0.95, maxRatio = 0.1 }, now) {
    this.delayMs = delayMs;
    this.maxRatio = maxRatio;
    this.latency = delayMs === undefined ? new Latency(quantile, now) : undefined;
    this.budget = new Budget({ capacity: FIRST, perSuccess: maxRatio, cost: 1, refund: false });
    this.successes = 0;
    this.hedges = 0;
    this.won = 0;
    this.rejected = 0;
  }

  /** How long after an attempt its hedge starts: more than one time if rounding decides, none while it is not known. */
  delays(now) {
    return this.latency === undefined ? [this.delayMs] : this.latency.delays(now);
  }

  /** Returns the same as `delays`, and changes nothing. */
  peek(now) {
    if (this.latency === undefined) return [this.delayMs];
    return Object.assign(Object.create(Latency.prototype), this.latency).delays(now);
  }

  take() {
    return this.budget.take(false) > 0;
  }

  putBack() {
    this.budget.putBack(this.budget.cost);
  }

  /** The end of an attempt: how long a first one took that succeeded, timed out or was superseded. */
  hear(attempt, now, succeeded, attemptTimeoutMs = Infinity) {
    if (!attempt.first || this.latency === undefined) return;
    const ms = attempt.durationMs(now);
    if (succeeded || attempt.supersededAt !== undefined || ms >= attemptTimeoutMs) this.latency.record(now, ms);
  }

  succeeded() {
    this.successes += 1;
    this.budget.succeeded(0);
  }

  /** The success did not count: the operation was aborted. */
  takeBack() {
    this.successes -= 1;
    this.budget.changes.pop();
  }

  /** More hedges than this are too many. */
  get most() {
    return FIRST + this.maxRatio * this.successes;
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

  delays(now) {
    this.turn(now);
    const share = 1 - (now - this.sliceStart) / SLICE_MS;
    const counted = this.samples.filter(({ slice }) => slice >= this.slice - 1).sort((a, b) => a.ms - b.ms);
    const sum = (list) => {
      const current = list.filter(({ slice }) => slice === this.slice).length;
      return current + (list.length - current) * share;
    };
    const total = sum(counted);
    if (total < ENOUGH) return [];
    if (this.unread < AGAIN && this.known !== undefined) return this.known;
    this.unread = 0;
    const sums = counted.map((_, i) => sum(counted.slice(0, i + 1)));
    const edge = (share) => edgeAbove(counted.at(sums.findIndex((each) => each >= share)).ms);
    this.known = [-EXACT, EXACT].map((error) => Math.max(1, edge(this.quantile * total + error)));
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
