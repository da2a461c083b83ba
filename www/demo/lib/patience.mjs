/** Takes the machine's load out of the calls to the flaky server. */
import assert from 'node:assert/strict';

/**
 * Makes the limit for an attempt longer than a good answer takes on a machine with much else to do. Runs in the page or
 * in Node, before the scripts.
 */
export function bePatient() {
  const limitMs = 1000;
  const { setTimeout: start, clearTimeout: stop, location } = globalThis;
  /** Limits that have passed, while other things are done. */
  const asking = new Set();

  /**
   * Ends the limit after ten turns, in each of which the worker of a page has answered a question, and the server of
   * Node has had time: a good answer to what was requested before them is there by then.
   */
  async function ask(id, end) {
    asking.add(id);
    for (let i = 0; i < 10; i++) {
      if (location) await fetch('flaky/stats').catch(() => undefined);
      await new Promise((resolve) => start(resolve, 100));
    }
    if (asking.delete(id)) end();
  }

  Object.assign(globalThis, {
    setTimeout(callback, ms, ...args) {
      // The worker's limit for taking the page over.
      if (location && ms === 10 * limitMs) return start(callback, 10 * ms, ...args);
      // A slow answer of the server in Node, which does not come before the end of the limit either.
      if (!location && ms === 3 * limitMs) return start(callback, 20 * ms, ...args);
      if (ms !== limitMs) return start(callback, ms, ...args);
      const id = start(() => void ask(id, () => callback(...args)), ms);
      return id;
    },
    clearTimeout(id) {
      asking.delete(id);
      stop(id);
    },
  });
}

/** The service worker, whose slow answers do not come before the end of that limit either. */
export function slower(script) {
  assert.equal(script.match(/\b3e3\b/g)?.length, 1, 'the script must say once how late a slow answer is');
  return script.replace('3e3', '6e4');
}
