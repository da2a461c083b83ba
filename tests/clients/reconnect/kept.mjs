// Keeps a connection until a test has seen enough.

import assert from 'node:assert/strict';

import { importProgram } from '../lib/programs.mjs';

/** The function that a program of the guide exports. */
export const programOf = async (mark) => Object.values(await importProgram(mark))[0];

/**
 * Starts a connection and ends it with an abort when `body` is done, which gets what its hooks told so far. Returns
 * that with the report.
 * @param {(options: object) => Promise<object>} start
 * @param {(seen: { open: number, ends: any[], attempts: number[], delays: number[] }) => Promise<unknown>} body
 */
export async function kept(start, body) {
  const controller = new AbortController();
  const seen = { open: 0, ends: [], attempts: [], delays: [] };
  const all = start({
    baseMs: 10,
    capMs: 50,
    // Half of the cap would be a time that a busy machine needs to end a session.
    stableMs: 1e9,
    signal: controller.signal,
    onOpen: () => seen.open++,
    onFailure: ({ error }) => seen.ends.push(error),
    onAttempt: ({ attempt }) => seen.attempts.push(attempt),
    onRetry: ({ delayMs }) => seen.delays.push(delayMs),
  });
  await body(seen);
  controller.abort();
  const report = await all;
  assert.deepEqual([report.reason, report.connections], ['aborted', seen.open]);
  return { ...seen, report };
}
