// @ts-check
// Telling the caller what happens. A hook can see everything and change nothing.

/**
 * @typedef {object} Event
 * @property {number} attempt
 * @property {unknown} [error]
 * @property {unknown} [result]
 * @property {number} [delayMs]
 * @property {string} [reason]
 * @property {number} elapsedMs
 * @property {object} [report]
 */

/** @typedef {{ [name: string]: ((event: Event) => unknown) | undefined }} Hooks */

/**
 * Calls a hook without waiting for it. What it throws or rejects with is reported, like an
 * exception in an event listener, and changes nothing.
 * @param {Hooks | undefined} hooks
 * @param {string} name
 * @param {Event} event
 */
export function callHook(hooks, name, event) {
  const hook = hooks?.[name];
  if (hook === undefined) return;
  try {
    const result = hook(Object.freeze(event));
    // Only objects can be thenables; `Promise.resolve` adopts those of any realm.
    if (typeof result === 'object' && result !== null) Promise.resolve(result).then(undefined, reportFailure);
  } catch (error) {
    reportFailure(error);
  }
}

/** @param {unknown} error */
function reportFailure(error) {
  // Node has no reportError, and Deno's ends the process.
  if (typeof globalThis.reportError === 'function' && !('Deno' in globalThis)) globalThis.reportError(error);
  else console.error(error);
}
