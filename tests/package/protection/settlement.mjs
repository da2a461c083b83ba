// How an operation settled, against how the design ends it.

import { near } from './numbers.mjs';
import { compareRecords } from './records.mjs';

/** How the design ends an operation, in words. */
export function described({ aborted, by, reason }) {
  return aborted ? 'the reason of the abort' : by ? `a rejection by ${by}` : `the end (${reason ?? 'success'})`;
}

export function compareSettlement(following, entry, wanted) {
  const { ok = false, value, aborted, timeout, by, ms, cause, reason, rule } = wanted;
  const { RejectedError, RetryError, TimeoutError } = following.pkg;
  const was = following.name(entry);
  if (aborted) following.object('P10', `${was} instead of the reason of the abort`);
  if (by !== undefined) {
    if (!(entry.value instanceof RejectedError))
      following.object(following.broken(entry), `${was} instead of a rejection by ${by}`);
    if (entry.value.by !== by) following.object(rule, `rejected by ${entry.value.by} instead of ${by}`);
    if (!near(ms, entry.value.retryAfterMs))
      following.object(by, `retryAfterMs is ${entry.value.retryAfterMs} instead of ${ms}`);
    if (by === 'breaker' && cause !== undefined && entry.value.cause !== cause)
      following.object('P12', 'the cause is not the failure that opened the circuit');
    return;
  }
  if (following.attempts > 0 && entry.value instanceof RejectedError && entry.value !== value)
    following.object('P12', `${was} after ${following.attempts} attempts`);
  const { report } = entry;
  if (entry.ok !== ok) following.object(following.broken(entry), `${was} instead of ${described(wanted)}`);
  if (reason !== undefined && report !== undefined && report.reason !== reason)
    following.object(
      report.reason === 'exhausted' ? rule : following.broken(entry),
      `the reason is ${report.reason} instead of ${reason}`,
    );
  if (report !== undefined && reason !== undefined && report.attempts !== following.attempts)
    following.object('P12', `${report.attempts} attempts instead of ${following.attempts}`);
  if (reason !== undefined && report !== undefined) compareRecords(following, report, entry);
  if (ms !== undefined && report !== undefined && !near(ms, report.retryAfterMs))
    following.object(reason, `retryAfterMs is ${report.retryAfterMs} in the report instead of ${ms}`);
  let out = entry.value;
  if (!ok && following.options.finalError === 'wrap' && out instanceof RetryError) out = out.cause;
  if (timeout ? !(out instanceof TimeoutError) : !Object.is(out, value))
    following.object('P12', `${was} is not the callback's own outcome`);
}
