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

/** The last `setTimeout` whose timers fired too early: a fake one. @type {unknown} */
let fake;

/**
 * Returns how much of a wait is left when its timer has fired, in ms; negative if that was late. Hosts fire timers up
 * to 1 ms early. If more is missing, or the clock has hardly moved, a fake clock drives the timers and not
 * `performance.now`: go on.
 * @type {(ms: number, armedAt: number, now: number) => number}
 */
export function restOf(ms, armedAt, time) {
  // The part that one timer cannot hold.
  const left = Math.max(0, Math.ceil(ms) - MAX_TIMER_MS);
  const missing = armedAt + ms - time;
  if (missing - left > Math.min(2, time - armedAt)) {
    fake = globalThis.setTimeout;
    return left;
  }
  return missing;
}

/** More than a busy machine makes timers late: the process was stopped, or its thread was blocked. */
const LATE_MS = 50;

/** Deno takes several turns of the event loop for an answer, and Bun reads its sockets in another thread. */
const TURNS = 5;
const TURN_MS = 4;

/**
 * Calls `done` once, `ms` from now, unless cancelled by the function that this returns. Also a wait of 0 lets the event
 * loop turn. `unref` lets Node exit meanwhile.
 *
 * Hosts run timers before they read their sockets, where the answers lie that came while the process was stopped
 * (SIGSTOP, a container's pause, a thaw, a debugger). So a late timer gives the host a few turns to read, and then says
 * that it was `late`. Pages read first, and their timers are late whenever they are hidden. Fakes need not move the
 * clock: those of sinon, Vitest, Jest and Bun have a `clock`, and Node's and Jest's older ones number their timers.
 * @type {(ms: number, done: (late?: true) => void, unref: boolean | undefined, now: number) => () => void}
 */
export function startTimer(ms, done, unref, armedAt) {
  /** @type {any} */
  let id;
  let turns = TURNS;
  const read = () => {
    if (turns-- > 0) id = armTimer(read, TURN_MS, unref);
    else done(true);
  };
  const wake = () => {
    const { setTimeout, document } = /** @type {any} */ (globalThis);
    ms = restOf(ms, armedAt, (armedAt = now()));
    if (ms > 0) id = armTimer(wake, ms, unref);
    else if (ms >= -LATE_MS || document || setTimeout === fake || setTimeout.clock || id?.id) done();
    else read();
  };
  id = armTimer(wake, ms, unref);
  return () => globalThis.clearTimeout(id);
}
