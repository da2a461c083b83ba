// @ts-check
// One wait on the host's timers. They are looked up at each use, so that fake timers, installed
// or removed at any moment, work.

/** The longest delay that timers keep: above it they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The monotonic clock, in ms. */
export function now() {
  return globalThis.performance.now();
}

/** Calls `done` once, `ms` from now, unless cancelled. Also a wait of 0 lets the event loop turn. */
export class Timer {
  /**
   * @param {number} ms finite, at least 0
   * @param {(time: number) => void} done told the time
   * @param {boolean} unref whether Node may exit meanwhile
   * @param {number} from the time now
   */
  constructor(ms, done, unref, from) {
    this.done = done;
    this.unref = unref;
    this.armedAt = from;
    this.due = this.armedAt + ms;
    this.left = Math.ceil(ms);
    /** Number of host timers that this wait has taken. */
    this.timers = 0;
    /** @type {any} */
    this.id = undefined;
    this.arm();
  }

  arm() {
    const ms = Math.min(this.left, MAX_TIMER_MS);
    this.left -= ms;
    this.timers++;
    this.id = globalThis.setTimeout(() => this.fired(), ms);
    if (this.unref) this.id?.unref?.();
  }

  fired() {
    if (this.left > 0) {
      // A chunk may end late, on a machine that slept; a fake clock may stand still.
      this.left = Math.max(0, Math.min(this.left, Math.ceil(this.due - now())));
      this.arm();
      return;
    }
    // Hosts fire each timer up to 1 ms early: wait for the rest. If more is missing, or the clock has hardly
    // moved meanwhile, a fake clock drives the timers and not `performance.now`: go on.
    const time = now();
    const missing = this.due - time;
    if (missing > 0 && missing <= 2 * this.timers && time - this.armedAt >= missing) {
      this.armedAt = time;
      this.left = Math.ceil(missing);
      this.arm();
      return;
    }
    this.done(time);
  }

  cancel() {
    globalThis.clearTimeout(this.id);
  }
}
