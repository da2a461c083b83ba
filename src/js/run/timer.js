// One wait on the host's timers. They are looked up at each use, so that fake timers, installed
// or removed at any moment, work.

/** The longest delay that timers keep: above it they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The monotonic clock, in ms. */
export function now() {
  return globalThis.performance.now();
}

/**
 * Returns the time between two readings of the clock, in ms. Fake clocks, and those of some hosts, step back.
 * @param {number} from
 */
export function elapsed(from, to = now()) {
  return Math.max(0, to - from);
}

/**
 * Starts a timer of the host, for a wait or for its first part, and returns its id. `unref` lets Node exit meanwhile.
 * @type {(wake: () => void, ms: number, unref: boolean | undefined) => any}
 */
export function armTimer(wake, ms, unref) {
  const id = /** @type {any} */ (globalThis.setTimeout(wake, Math.min(Math.ceil(ms), MAX_TIMER_MS)));
  if (unref) id?.unref?.();
  return id;
}

/**
 * Returns how much of a wait is left when its timer has fired, in ms. Hosts fire timers up to 1 ms early. If more is
 * missing, or the clock has hardly moved, a fake clock drives the timers and not `performance.now`: go on.
 * @type {(ms: number, armedAt: number, now: number) => number}
 */
export function restOf(ms, armedAt, time) {
  // The part that one timer cannot hold.
  const left = Math.max(0, Math.ceil(ms) - MAX_TIMER_MS);
  const missing = armedAt + ms - time;
  const early = missing - left;
  // Timers fire late, too, on a machine that slept.
  return early <= 0 ? Math.max(0, missing) : early <= 2 && time - armedAt >= early ? missing : left;
}

/**
 * Calls `done` once, `ms` from now, unless cancelled by the function that this returns. Also a wait of 0 lets the event
 * loop turn. `unref` lets Node exit meanwhile.
 * @type {(ms: number, done: (now: number) => void, unref: boolean | undefined, now: number) => () => void}
 */
export function startTimer(ms, done, unref, armedAt) {
  /** @type {any} */
  let id;
  const wake = () => {
    const time = now();
    ms = restOf(ms, armedAt, time);
    armedAt = time;
    if (ms > 0) id = armTimer(wake, ms, unref);
    else done(time);
  };
  id = armTimer(wake, ms, unref);
  return () => globalThis.clearTimeout(id);
}
