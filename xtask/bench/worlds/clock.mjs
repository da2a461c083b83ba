// Virtual time for long worlds: in place of the host's timers and clocks, faster than rejitter/testing, which lets the
// event loop turn several times between two timers.

/** @typedef {{ unref: () => Timer, ref: () => Timer, hasRef: () => boolean, at: number, act?: () => void }} Timer */

export class Clock {
  now = 0;
  /** The latest first. @type {Timer[]} */
  #timers = [];
  #own = { performance: performance.now, date: Date.now };

  constructor() {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    this.#own.timers = { setTimeout, clearTimeout, setInterval, clearInterval };
    const arm = (fn, ms = 0, ...args) => this.#arm(Math.max(1, ms), () => fn(...args));
    const repeat = (fn, ms = 0) => {
      const again = () => {
        this.#arm(Math.max(1, ms), again, timer);
        fn();
      };
      const timer = this.#arm(Math.max(1, ms), again);
      return timer;
    };
    const clear = (timer) => {
      if (timer) timer.act = undefined;
    };
    Object.assign(globalThis, { setTimeout: arm, clearTimeout: clear, setInterval: repeat, clearInterval: clear });
    Date.now = () => 1.7e12 + this.now;
    performance.now = () => this.now;
  }

  /** Puts the host's own back. */
  uninstall() {
    Object.assign(globalThis, this.#own.timers);
    Date.now = this.#own.date;
    performance.now = this.#own.performance;
  }

  /** @returns {Timer} */
  #arm(ms, act, timer = { at: 0, unref: () => timer, ref: () => timer, hasRef: () => true }) {
    const at = this.now + ms;
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#timers[middle].at > at) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, Object.assign(timer, { at, act }));
    return timer;
  }

  at(at, act) {
    this.#arm(Math.max(0, at - this.now), act);
  }

  /** Settles as in a host: after the timers that are due before it. */
  sleep(ms) {
    return new Promise((done) => {
      this.#arm(ms, done);
    });
  }

  /** Fires the timers up to a time, each in a macrotask of its own. */
  run(until) {
    return new Promise((done, failed) => {
      const step = () => {
        try {
          for (let timer; (timer = this.#timers.at(-1)) && timer.at <= until; ) {
            this.#timers.pop();
            this.now = timer.at;
            if (timer.act === undefined) continue;
            timer.act();
            setImmediate(step);
            return;
          }
          this.now = until;
          done();
        } catch (error) {
          failed(error);
        }
      };
      step();
    });
  }
}
