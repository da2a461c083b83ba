// Virtual time for long worlds: in place of the host's timers and clocks, faster than rejitter/testing, which lets the
// event loop turn several times between two timers.

import { BinaryHeap } from './heap.mjs';

const NAMES = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'];
/** Timers that may be pending. */
const MOST = 1 << 18;

/** @typedef {{ unref: () => Timer, ref: () => Timer, hasRef: () => boolean, at: number, id: number }} Timer */

export class Clock {
  now = 0;
  #queue = new BinaryHeap(MOST);
  #acts = new Map();
  #ids = 0;
  #own;
  #date = Date.now;
  #performance = performance.now;

  constructor() {
    this.#own = NAMES.map((name) => [name, globalThis[name]]);
    const arm = (fn, ms = 0, ...args) => this.#timer(this.#arm(Math.max(1, ms), () => fn(...args)));
    const repeat = (fn, ms = 0) => {
      const timer = this.#timer(++this.#ids);
      const again = () => {
        this.#arm(Math.max(1, ms), again, timer.id);
        fn();
      };
      this.#arm(Math.max(1, ms), again, timer.id);
      return timer;
    };
    const clear = (timer) => {
      if (timer) this.#acts.delete(timer.id);
    };
    Object.assign(globalThis, { setTimeout: arm, clearTimeout: clear, setInterval: repeat, clearInterval: clear });
    Date.now = () => 1.7e12 + this.now;
    performance.now = () => this.now;
  }

  /** Puts the host's own back. */
  uninstall() {
    Object.assign(globalThis, Object.fromEntries(this.#own));
    Date.now = this.#date;
    performance.now = this.#performance;
  }

  #timer(id) {
    const timer = { id, at: this.now, unref: () => timer, ref: () => timer, hasRef: () => true };
    return timer;
  }

  #arm(ms, act, id = ++this.#ids) {
    this.#acts.set(id, act);
    this.#queue.push(this.now + ms, id);
    return id;
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
          while (this.#queue.size > 0 && this.#queue.time <= until) {
            const { time } = this.#queue;
            const id = this.#queue.pop();
            const act = this.#acts.get(id);
            if (act === undefined) continue;
            this.#acts.delete(id);
            this.now = time;
            act();
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
