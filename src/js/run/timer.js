// One wait on the host's timers. They are looked up at each use, so that fake timers, installed
// or removed at any moment, work.

/** The longest delay that timers keep: above it they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The monotonic clock, in ms. */
export function now() {
  return globalThis.performance.now();
}

/**
 * Starts a timer of the host, for a wait or for its first part.
 * @param {() => void} wake
 * @param {number} ms finite, at least 0
 * @param {boolean | undefined} unref whether Node may exit during the wait
 * @returns {any} its id
 */
export function armTimer(wake, ms, unref) {
  const id = /** @type {any} */ (globalThis.setTimeout(wake, Math.min(Math.ceil(ms), MAX_TIMER_MS)));
  if (unref) id?.unref?.();
  return id;
}

/**
 * Returns how much of a wait is left when its timer has fired, in ms. Hosts fire timers up to 1 ms early. If more is
 * missing, or the clock has hardly moved, a fake clock drives the timers and not `performance.now`: go on.
 * @param {number} ms the whole wait
 * @param {number} armedAt
 * @param {number} time now
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
 * Calls `done` once, `ms` from now, unless cancelled. Also a wait of 0 lets the event loop turn.
 * @param {number} ms finite, at least 0
 * @param {(time: number) => void} done gets the time
 * @param {boolean | undefined} unref whether Node may exit during the wait
 * @param {number} armedAt the time now
 * @returns {() => void} cancels
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
