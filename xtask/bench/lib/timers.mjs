// @ts-check
// Timers without time: what is left of a retry is the work of the library.

const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;

/** A timer that fires when the pending promise jobs are done, with the methods of Node's. */
class Microtimer {
  /** @param {(...args: any[]) => void} callback @param {any[]} args */
  constructor(callback, args) {
    this.live = true;
    queueMicrotask(() => {
      if (this.live) callback(...args);
    });
  }

  unref() {
    return this;
  }

  ref() {
    return this;
  }
}

/**
 * @type {Record<string, { set: (callback: (...args: any[]) => void, ms: number, ...args: any[]) => any, clear: (timer:
 * any) => void }>}
 */
const KINDS = {
  // The event loop turns, as it does between real attempts.
  immediate: {
    set: (callback, _ms, ...args) => setImmediate(callback, ...args),
    clear: (timer) => clearImmediate(timer),
  },
  // It does not: the finest comparison, and what fake timers in tests do.
  microtask: {
    set: (callback, _ms, ...args) => new Microtimer(callback, args),
    clear: (timer) => {
      if (timer) timer.live = false;
    },
  },
};

/**
 * Patches the timers. To be called before the contenders are imported: some keep `setTimeout`.
 * @param {'immediate' | 'microtask'} kind
 */
export function patchTimers(kind) {
  Object.assign(globalThis, { setTimeout: KINDS[kind].set, clearTimeout: KINDS[kind].clear });
}

/**
 * All waits of contenders take `ms`, whatever they ask for.
 * @param {number} ms
 */
export function fixTimers(ms) {
  /** @type {(callback: (...args: any[]) => void, asked: number, ...args: any[]) => any} */
  const set = (callback, _asked, ...args) => realSetTimeout(callback, ms, ...args);
  Object.assign(globalThis, { setTimeout: set, clearTimeout: realClearTimeout });
}
