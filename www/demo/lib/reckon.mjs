/** What the live calls of the page must come to, from the rule of the flaky server alone. */
import { fate } from '../fate.mjs';

/** @typedef {import('../fate.mjs').Failure} Failure */

const MAX_ATTEMPTS = 6;
export const NBSP = '\u00a0';

/** @param {number} n @param {string} noun */
export const plural = (n, noun) => `${n}${NBSP}${noun}${n === 1 ? '' : 's'}`;

/**
 * What a run comes to: the attempts that each call makes, and how many succeed.
 * @param {{ seed?: number, failure: Failure, rate: number, calls: number }} settings
 */
export function reckon({ seed = 42, failure, rate, calls }) {
  const attempts = Array.from({ length: calls }, (_, i) => {
    const failed = (/** @type {number} */ n) => fate({ seed, id: String(i + 1), n, failure, failureRate: rate, latencyMs: [60, 160] }).kind !== 'ok';
    let n = 1;
    while (n < MAX_ATTEMPTS && failed(n)) n++;
    return { n, ok: !failed(n) };
  });
  const requests = attempts.reduce((sum, { n }) => sum + n, 0);
  const ok = attempts.filter((call) => call.ok).length;
  const first = attempts.filter((call) => call.ok && call.n === 1).length;
  const sentence = `${ok} of ${plural(calls, 'call')} succeeded with ${plural(requests, 'request')}; without retries it would have been ${first}.`;
  return { requests, ok, sentence, whole: `${sentence} The server counted the same.` };
}
