/** The expected results of the page's live calls, from the rule of the flaky server alone. */
import { fate } from '../fate.mjs';

const MAX_ATTEMPTS = 10;
const NBSP = '\u00a0';
const plural = (n, noun) => `${n}${NBSP}${noun}${n === 1 ? '' : 's'}`;

/** Returns a run's result: the attempts of each call, and how many succeed. */
export function reckon({ seed = 42, failure, rate, calls, maxAttempts = MAX_ATTEMPTS }) {
  const kinds = { unavailable: '503', limited: '429', dropped: 'network error', slow: 'no answer in time' };
  const met = new Map();
  const attempts = Array.from({ length: calls }, (_, i) => {
    for (let n = 1; ; n++) {
      const { kind } = fate({ seed, id: String(i + 1), n, failure, failureRate: rate, latencyMs: [60, 160] });
      if (kind === 'ok') return { n, ok: true };
      met.set(kinds[kind], (met.get(kinds[kind]) ?? 0) + 1);
      if (n === maxAttempts) return { n, ok: false };
    }
  });
  const requests = attempts.reduce((sum, { n }) => sum + n, 0);
  const ok = attempts.filter((call) => call.ok).length;
  const first = attempts.filter((call) => call.ok && call.n === 1).length;
  const failed = [...met.values()].reduce((a, b) => a + b, 0);
  const list = [...met]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([kind, n]) => `${n}${NBSP}×${NBSP}${kind}`);
  const failures = failed === 0 ? '' : ` ${plural(failed, 'request')} failed: ${list.join(', ')}.`;
  const sentence =
    `${ok} of ${plural(calls, 'call')} succeeded, with ${plural(requests, 'request')} in all; without retries, ` +
    `${first} would have.${failures}`;
  return { requests, ok, whole: `${sentence} The server counted the same.` };
}
