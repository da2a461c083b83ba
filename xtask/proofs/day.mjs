// Time that moves by hand, for tens of millions of timers: one turn of the event loop for each that fires.

import { replace, turn } from '../../tests/package/lib/clock.mjs';

export class Day {
  now = 0;
  /** A binary heap of timers, the first one due at its root. */
  #heap = [];
  #armed = 0;
  #undo = [];

  install() {
    this.#undo = [
      replace(globalThis, 'setTimeout', (callback, ms) => this.#arm(callback, ms)),
      replace(globalThis, 'clearTimeout', (timer) => {
        if (timer) timer.callback = undefined;
      }),
      replace(globalThis.performance, 'now', () => this.now),
    ];
  }

  uninstall() {
    for (const undo of this.#undo) undo();
  }

  /** How many timers are armed and not cleared. */
  get pending() {
    return this.#heap.filter(({ callback }) => callback).length;
  }

  /** Fires what is due until a time. */
  async advance(until) {
    await turn();
    for (let first = this.#heap[0]; first !== undefined && first.due <= until; first = this.#heap[0]) {
      this.#take();
      if (first.callback === undefined) continue;
      this.now = Math.max(this.now, first.due);
      first.callback();
      await turn();
    }
    this.now = until;
  }

  #arm(callback, ms) {
    const timer = {
      callback,
      due: this.now + Math.max(1, Math.trunc(ms)),
      nth: (this.#armed += 1),
      unref: () => timer,
    };
    const heap = this.#heap;
    let i = heap.push(timer) - 1;
    for (let up = (i - 1) >> 1; i > 0 && before(timer, heap[up]); i = up, up = (i - 1) >> 1) heap[i] = heap[up];
    heap[i] = timer;
    return timer;
  }

  #take() {
    const heap = this.#heap;
    const last = heap.pop();
    if (heap.length === 0) return;
    let i = 0;
    for (let down = 1; down < heap.length; down = 2 * i + 1) {
      if (down + 1 < heap.length && before(heap[down + 1], heap[down])) down += 1;
      if (!before(heap[down], last)) break;
      heap[i] = heap[down];
      i = down;
    }
    heap[i] = last;
  }
}

const before = (a, b) => a.due < b.due || (a.due === b.due && a.nth < b.nth);
