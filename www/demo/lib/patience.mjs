/** Takes the machine's load out of the calls to the flaky server. */
import assert from 'node:assert/strict';

/** The page's limit for an attempt, and how late a slow answer is. */
export const LIMITS = { attemptMs: 1000, slowMs: 3000 };

/**
 * Makes the limit for an attempt longer than a good answer takes on a machine with much else to do. Runs in the page or
 * in Node, before the scripts.
 */
export function bePatient() {
  const limitMs = 1000;
  const patientMs = /failure=(503|429|network|offline)/.test(globalThis.location?.search) ? 100_000 : 2500;
  const { setTimeout: start } = globalThis;
  Object.assign(globalThis, {
    setTimeout: (/** @type {TimerHandler} */ callback, /** @type {number} */ ms, /** @type {unknown[]} */ ...args) =>
      start(callback, ms === limitMs ? patientMs : ms, ...args),
  });
}

/** The service worker, whose slow answers do not come before the end of that limit either. @param {string} script */
export function slower(script) {
  assert.equal(script.match(/\b3e3\b/g)?.length, 1, 'the script must say once how late a slow answer is');
  return script.replace('3e3', '6e4');
}
