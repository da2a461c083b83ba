// How long first attempts take, so that a hedge starts when most of them would have ended: the machine of
// core/protection/latency.rs of the crate. JavaScript is smaller here than WebAssembly, and only hedges need it.

/** Slots of a histogram: 24 octaves of 8. */
const SLOTS = 192;

/** Length of a slice, in ms. */
const SLICE_MS = 30_000;

/** Samples below which the histogram says nothing. */
const ENOUGH = 20;

/** Records after which the quantile is computed again. */
const STALE = 64;

/** The shortest delay, in ms: timers have whole ms. */
const SHORTEST_MS = 1;

/** Durations of one slice. */
const newSlice = () => ({ slots: new Uint32Array(SLOTS), total: 0 });

/** Units of a ms. The first slot starts at eight of them; from there on, a number's first four bits are its slot. */
const UNITS = 128;

/** Returns the slot of a duration: below all edges the first one, above them the last one. @param {number} ms */
function slotOf(ms) {
  const units = Math.min(Math.max(ms * UNITS, 8), 2 ** 27 - 1);
  const octave = 28 - Math.clz32(units);
  return octave * 8 + (units >> octave) - 8;
}

/** Returns the upper edge of a slot, at most an eighth above the lower one. @param {number} slot */
function edgeOf(slot) {
  return ((9 + (slot % 8)) * 2 ** (slot >> 3)) / UNITS;
}

/** A histogram of durations. The present slice counts in full, the one before with its share of the last 30 s. */
export class Latency {
  current = newSlice();
  previous = newSlice();
  /** Records since the quantile was computed; STALE or more if it must be computed. */
  unread = STALE;
  delay = 0;

  /** @param {number} now */
  constructor(now) {
    this.startedAt = now;
  }

  /** @param {number} now @param {number} ms */
  record(now, ms) {
    this.#turn(now);
    this.current.slots[slotOf(ms)]++;
    this.current.total++;
    this.unread++;
  }

  /**
   * Returns the time in ms after which a share of `quantile` has ended; undefined while there are too few samples.
   * @type {(now: number, quantile: number) => number | undefined}
   */
  delayMs(now, quantile) {
    this.#turn(now);
    const { current, previous } = this;
    const share = 1 - (now - this.startedAt) / SLICE_MS;
    const total = current.total + previous.total * share;
    if (total < ENOUGH) return undefined;
    if (this.unread >= STALE) {
      this.unread = 0;
      let slot = -1;
      for (let sum = 0; sum < quantile * total && slot < SLOTS - 1; ) {
        slot++;
        sum += current.slots[slot] + previous.slots[slot] * share;
      }
      this.delay = Math.max(edgeOf(slot), SHORTEST_MS);
    }
    return this.delay;
  }

  /** @param {number} now */
  isEmpty(now) {
    return now - this.startedAt >= 2 * SLICE_MS || this.current.total + this.previous.total === 0;
  }

  /** Starts the slice that `now` lies in. A start in the future becomes now. @param {number} now */
  #turn(now) {
    this.startedAt = Math.min(this.startedAt, now);
    const age = now - this.startedAt;
    if (age < SLICE_MS) return;
    this.previous = age < 2 * SLICE_MS ? this.current : newSlice();
    this.current = newSlice();
    this.startedAt += Math.floor(age / SLICE_MS) * SLICE_MS;
    this.unread = STALE;
  }
}

/** Reads `delayMs`. @param {Latency | undefined} latency @param {number} time @param {number} quantile */
export function peek(latency, time, quantile) {
  return latency && Object.assign(new Latency(time), latency).delayMs(time, quantile);
}
