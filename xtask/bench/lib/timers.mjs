// Timers without time: what is left of a retry is the work of the library.

const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;

/**
 * Waits take a turn of the event loop, as there is one between real attempts. To be called before the contenders are
 * imported: some keep `setTimeout`.
 */
export function patchTimers() {
  const set = (callback, _ms, ...args) => setImmediate(callback, ...args);
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clearImmediate });
}

/** All waits of contenders take `ms`, whatever they ask for. */
export function fixTimers(ms) {
  const set = (callback, _ms, ...args) => realSetTimeout(callback, ms, ...args);
  Object.assign(globalThis, { setTimeout: set, clearTimeout: realClearTimeout });
}
