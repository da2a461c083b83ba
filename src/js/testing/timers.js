// Timers that fire when a test moves their time.

import { requireValid } from '../options/reader.js';
import { FINITE } from '../options/rules.js';

/** The longest delay that hosts keep: above it, as below 1, timers fire after 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Explicit resource management, also on hosts without it. */
export const DISPOSE = /** @type {any} */ (Symbol).dispose ?? Symbol.for('Symbol.dispose');

/** The ids of timers: above those of hosts, and never used twice. */
let ids = 2 ** 40;

/** Armed timers, and the time. */
export class Timers {
  now = 0;
  /** Whether the clock is installed. */
  live = true;
  /** @type {Map<number, Timeout>} in the order of arming */
  armed = new Map();
  /** @type {(value?: any) => void} */
  wake = () => {};

  /** @param {Timeout} timer that is due after its delay, counted from now */
  enter(timer) {
    this.armed.delete(timer.id);
    timer.due = this.now + timer.ms;
    this.armed.set(timer.id, timer);
    this.wake();
  }

  /** Returns the earliest timer that is due by `end`, of several the one that was armed first. @param {number} end */
  next(end) {
    let first = /** @type {Timeout | undefined} */ (undefined);
    for (const timer of this.armed.values()) {
      if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
    }
    return first;
  }

  /** @param {Timeout} timer */
  fire(timer) {
    this.now = Math.max(this.now, timer.due);
    if (!timer.repeats) this.armed.delete(timer.id);
    try {
      Reflect.apply(timer.callback, timer, timer.args);
    } finally {
      // Hosts arm an interval again after its callback, even if that throws, unless it clears the interval.
      if (timer.repeats && this.armed.has(timer.id)) this.enter(timer);
    }
  }

  /** Resolves when a timer is armed, or on a call of `wake`. */
  change() {
    return new Promise((done) => {
      this.wake = done;
    });
  }

  /** Drops the timers, except those that do not keep the process alive, which Node's fetch needs. */
  end() {
    const background = [...this.armed.values()].filter((timer) => !timer.hasRef());
    this.live = false;
    this.armed.clear();
    for (const timer of background) timer.refresh();
    this.wake();
  }

  /** AbortSignal.timeout(). @param {any} ms */
  timeoutSignal(ms) {
    requireValid('the argument of AbortSignal.timeout()', ms, FINITE);
    const controller = new AbortController();
    // The words of the host.
    const expire = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    new Timeout(this, expire, ms);
    return controller.signal;
  }

  /**
   * util.promisify(setTimeout).
   * @type {(ms: any, value?: any, options?: { signal?: AbortSignal, ref?: boolean }) => Promise<any>}
   */
  sleep(ms, value, { signal, ref } = {}) {
    return new Promise((resolve, reject) => {
      const stop = () => {
        timer.close();
        // The words of the host.
        const error = new Error('The operation was aborted', { cause: signal?.reason });
        reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }));
      };
      const expire = () => {
        signal?.removeEventListener('abort', stop);
        resolve(value);
      };
      const timer = new Timeout(this, expire, ms);
      if (ref === false) timer.unref();
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }
}

/** A timer, with the methods of Node's Timeout. As a number it is its id. */
export class Timeout {
  id = ++ids;
  due = 0;
  #timers;
  #ref = true;
  #cleared = false;
  /** @type {any} */
  #successor;

  /** @param {Timers} timers @param {Function} callback @param {any} ms @param {any[]} [args] */
  constructor(timers, callback, ms, args = [], repeats = false) {
    this.#timers = timers;
    this.callback = callback;
    this.ms = ms >= 1 && ms <= MAX_TIMER_MS ? Math.trunc(ms) : 1;
    this.args = args;
    this.repeats = repeats;
    timers.enter(this);
  }

  /** Starts the delay again, also after the timer has fired. */
  refresh() {
    if (this.#cleared) return this;
    if (this.#timers.live) this.#timers.enter(this);
    else {
      // Node's fetch keeps one timer for all its timeouts as long as the process lives. Without a successor
      // on the timers of now, they would end with the clock under which that one was made.
      globalThis.clearTimeout(this.#successor);
      this.#successor = (this.repeats ? globalThis.setInterval : globalThis.setTimeout)(
        () => Reflect.apply(this.callback, this, this.args),
        this.ms,
      );
      if (!this.#ref) this.#successor.unref?.();
    }
    return this;
  }

  close() {
    this.#cleared = true;
    this.#timers.armed.delete(this.id);
    if (this.#successor !== undefined) globalThis.clearTimeout(this.#successor);
    return this;
  }

  ref() {
    this.#ref = true;
    return this;
  }

  unref() {
    this.#ref = false;
    return this;
  }

  hasRef() {
    return this.#ref && this.#timers.armed.has(this.id);
  }

  [Symbol.toPrimitive]() {
    return this.id;
  }

  [DISPOSE]() {
    this.close();
  }
}
