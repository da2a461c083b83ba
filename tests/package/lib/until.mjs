/** Waits for what no event tells. */
import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes on a machine with much else to do: only a test that fails waits for all of it. */
export const LIMIT_MS = 240_000;

const INTERVAL_MS = 20;

/**
 * Resolves with what `check` returns once that is truthy.
 * @param {string} what says what is checked
 */
export async function until(what, check) {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (performance.now() > end) throw new Error(`waited ${LIMIT_MS / 1000} s for this: ${what}`);
    await pause(INTERVAL_MS);
  }
}
