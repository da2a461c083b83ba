/**
 * Makes the page's limit for an attempt at the flaky server, a second, longer than a good answer takes on a machine
 * with much else to do. Where there are slow answers, which take 3 s, it stays below these. Runs in the page or in
 * Node, before the scripts.
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
