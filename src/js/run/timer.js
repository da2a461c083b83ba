// @ts-check
// One wait on the host's timers. They are looked up at each use, so that fake timers, installed
// or removed at any moment, work.

/** The longest delay that timers keep: above it they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The monotonic clock, in ms. */
export function now() {
  return globalThis.performance.now();
}

/**
 * Calls `done` once, `ms` from now, unless cancelled. Also a wait of 0 lets the event loop turn. One function for
 * everything, because an operation that waits holds each that there is.
 * @param {number} ms finite, at least 0
 * @param {(time: number) => void} done gets the time
 * @param {boolean} unref whether Node may exit during the wait
 * @param {number} armedAt the time now
 * @returns {() => void} cancels
 */
export function startTimer(ms, done, unref, armedAt) {
  const due = armedAt + ms;
  let left = Math.ceil(ms);
  /** Number of host timers that this wait has taken. */
  let timers = 0;
  /** @type {any} */
  let id;
  const turn = () => {
    if (timers > 0) {
      const time = now();
      const missing = due - time;
      if (left > 0) {
        // A chunk may end late, on a machine that slept; a fake clock may stand still.
        left = Math.max(0, Math.min(left, Math.ceil(missing)));
      } else if (missing > 0 && missing <= 2 * timers && time - armedAt >= missing) {
        // Hosts fire each timer up to 1 ms early: wait for the rest. If more is missing, or the clock has hardly
        // moved, a fake clock drives the timers and not `performance.now`: go on.
        armedAt = time;
        left = Math.ceil(missing);
      } else {
        done(time);
        return;
      }
    }
    const part = Math.min(left, MAX_TIMER_MS);
    left -= part;
    timers++;
    id = globalThis.setTimeout(turn, part);
    if (unref) id?.unref?.();
  };
  turn();
  return () => globalThis.clearTimeout(id);
}
