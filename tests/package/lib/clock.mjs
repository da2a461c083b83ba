// A virtual clock: timers and the monotonic time of this process, moved by hand, so that a test of a
// minute's wait takes no time and every timer that was armed is on record.
//
// It behaves as the hosts do where it matters here: an argument above 2^31-1, or one that is not a number,
// fires after 1 ms (this is what turns an overflow into a hot loop), and timers fire in order of time,
// then of arming.

// Taken at load, before anything is replaced: the clock itself must not run on the timers it fakes.
const realImmediate = globalThis.setImmediate;

/** Lets every promise callback run that can run now, and one real turn of the event loop pass. */
export const turn = () => new Promise((done) => void realImmediate(done));

/** Lets promise callbacks run without leaving the current macrotask. */
export async function microtasks() {
  for (let i = 0; i < 64; i += 1) await undefined;
}

const MAX = 2 ** 31 - 1;
/** More timers are a loop that never ends. */
const MOST = 100_000;

/** Resolves after `ms` of the clock that is installed. */
export const sleep = (ms) => new Promise((done) => void setTimeout(done, ms));

/** Replaces a property. Returns a function that puts back what was there. */
export function replace(holder, name, value) {
  const own = Object.getOwnPropertyDescriptor(holder, name);
  // Descriptors inherit nothing that a polluted Object.prototype would add to them.
  const always = { writable: true, configurable: true, enumerable: true };
  Object.defineProperty(holder, name, { __proto__: null, ...always, value });
  return () => {
    if (own) Object.defineProperty(holder, name, { __proto__: null, ...own });
    else delete holder[name];
  };
}

/**
 * Calls `body` while global names are replaced.
 * @param {Record<string, unknown>} globals
 * @param {() => Promise<any>} body
 */
export async function withGlobals(globals, body) {
  const saved = Object.entries(globals).map(([name, value]) => replace(globalThis, name, value));
  try {
    return await body();
  } finally {
    for (const putBack of saved) putBack();
  }
}

/** Options without what a polluted Object.prototype would add to them. */
const own = (options) => ({ __proto__: null, ...options });

export class VirtualClock {
  /**
   * @param {{ skew?: (nth: number) => number, start?: number, pause?: { fromMs: number, toMs: number } }} [options]
   * `skew`: how many ms late (early if negative) the nth timer fires. `pause`: the process is stopped for so long after
   * the start, and what is due meanwhile happens afterwards, in the order of arming.
   */
  constructor(options) {
    const { skew = () => 0, start = 1000, pause = { fromMs: 0, toMs: 0 } } = own(options);
    this.now = start;
    this.skew = skew;
    this.from = start + pause.fromMs;
    this.to = start + pause.toMs;
    /** Each armed timer, in order: `{ ms, at }`; `ms` as it was passed to setTimeout. */
    this.armed = [];
    this.pending = new Map();
    this.saved = undefined;
    this.count = 0;
  }

  install() {
    if (this.saved) throw new Error('the clock is installed already');
    this.saved = [
      replace(globalThis, 'setTimeout', (callback, ms, ...args) => this.arm(callback, ms, args)),
      replace(globalThis, 'clearTimeout', (handle) => this.clear(handle)),
      replace(globalThis.performance, 'now', () => this.now),
    ];
    return this;
  }

  uninstall() {
    for (const putBack of this.saved) putBack();
    this.saved = undefined;
  }

  /** Returns the handle of a timer, with the methods of Node's that the tests use. */
  arm(callback, ms, args, repeats = false) {
    if (typeof callback !== 'function') throw new TypeError('setTimeout: no callback');
    this.count += 1;
    const id = this.count;
    const real = Number(ms);
    const effective = real >= 1 && real <= MAX ? Math.trunc(real) : 1;
    this.armed.push({ ms, at: this.now });
    const lasts = Math.max(0, effective + this.skew(id));
    const timer = {
      due: NaN,
      cleared: false,
      ref: () => timer,
      unref: () => timer,
      hasRef: () => true,
      refresh: () => {
        if (timer.cleared) return timer;
        this.pending.delete(id);
        const due = this.now + lasts;
        timer.due = due > this.from && due < this.to ? this.to : due;
        this.pending.set(id, timer);
        return timer;
      },
      close: () => {
        timer.cleared = true;
        this.pending.delete(id);
      },
      /** What the host calls when it is due. */
      callback: () => {
        if (!repeats) this.pending.delete(id);
        try {
          callback(...args);
        } finally {
          // Hosts arm an interval again even if its callback throws.
          if (repeats) timer.refresh();
        }
      },
      [Symbol.toPrimitive]: () => id,
    };
    return timer.refresh();
  }

  /** A number finds armed timers only. */
  clear(handle) {
    const timer = typeof handle === 'object' ? handle : this.pending.get(Number(handle));
    timer?.close();
  }

  /** The one that was armed first, of several that are due at once: the map has their order. */
  next() {
    let first;
    for (const timer of this.pending.values()) if (!first || timer.due < first.due) first = timer;
    return first;
  }

  /** Fires the next timer, if there is one at or before `limit`. */
  async step(limit = Infinity) {
    await turn();
    const timer = this.next();
    if (!timer || timer.due > limit) return false;
    this.now = Math.max(this.now, timer.due);
    timer.callback();
    await turn();
    return true;
  }

  /** Moves the time by `ms`, firing what falls due on the way. */
  async advance(ms) {
    const end = this.now + ms;
    while (await this.step(end));
    this.now = Math.max(this.now, end);
    await turn();
  }

  /** Fires timers until none is left; a loop that never ends must fail, not hang. */
  async drain() {
    for (let i = 0; i < MOST; i += 1) if (!(await this.step())) return;
    throw new Error(`more than ${MOST} timers fired`);
  }

  /** The arguments of setTimeout, in order. */
  get delays() {
    return this.armed.map((timer) => timer.ms);
  }
}

/** Runs `body(clock)`, which moves a virtual clock itself and may leave promises pending. Resolves with its value. */
export async function onClock(body, options) {
  const clock = new VirtualClock(options).install();
  try {
    return await body(clock);
  } finally {
    clock.uninstall();
  }
}

/**
 * Runs `body(clock)` under a virtual clock, moving the time until the promise that it returns settles.
 * Resolves with `{ clock, value }` or `{ clock, error, rejected: true }`. A promise that nothing can
 * settle any more, and one that takes more than `limit` timers, is an error: a test must not hang.
 */
export const underClock = (body, options) =>
  onClock(async (clock) => {
    const { limit = MOST } = own(options);
    let outcome;
    Promise.resolve(body(clock)).then(
      (value) => void (outcome = { clock, value, rejected: false }),
      (error) => void (outcome = { clock, error, rejected: true }),
    );
    let idle = 0;
    for (let fired = 0; !outcome; fired += 1) {
      if (fired > limit) throw new Error(`not settled after ${limit} timers`);
      idle = (await clock.step()) ? 0 : idle + 1;
      // A few idle turns are allowed: the callback under test may wait for a real turn of the loop.
      if (idle > 20 && !outcome) throw new Error('not settled, and no timer is armed that could settle it');
    }
    return outcome;
  }, options);

/**
 * Runs `body(clock)`, synchronously, on a clock for code that blocks: `Atomics.wait` takes no real time, it moves the
 * monotonic clock. `clock.waits` lists the timeouts of all waits; the body may move `clock.now`; `wake(ms)` says how
 * long a wait of `ms` really lasts.
 */
export function underBlockingClock(body, options) {
  const { start = 1000, wake = (ms) => ms } = own(options);
  const clock = { now: start, waits: [] };
  const { wait } = Atomics;
  const saved = [
    replace(globalThis.performance, 'now', () => clock.now),
    replace(Atomics, 'wait', (cell, index, value, ms) => {
      // The host itself answers whether this thread may block.
      if (ms === 0) return wait(cell, index, value, ms);
      if (clock.waits.length > 100_000) throw new Error('more than 100000 waits');
      clock.waits.push(ms);
      clock.now += wake(ms);
      return 'timed-out';
    }),
  ];
  try {
    return { clock, value: body(clock) };
  } catch (error) {
    return { clock, error, threw: true };
  } finally {
    for (const putBack of saved) putBack();
  }
}
