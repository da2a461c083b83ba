/** A run in words. */
import { plural } from '../charts/format';
import type { FlakyStats } from './protocol';
import type { Reply, Run } from './run';

export function requestsOf({ traces }: Run): number {
  return traces.reduce((sum, { legs }) => sum + legs.length, 0);
}

/** Without times, which differ from run to run: for one seed and strategy it is the same in every browser. */
export function summary(run: Run, aborted: boolean): string {
  const { traces, isForecast } = run;
  const ok = traces.filter(({ outcome }) => outcome === 'ok').length;
  const sent = plural(requestsOf(run), 'request');
  if (aborted) {
    const ended = traces.filter(({ outcome }) => outcome === 'aborted').length;
    return `Aborted: ${plural(ended, 'call')} ended at once, ${ok} had succeeded before. ${sent} had been sent.`;
  }
  const first = traces.filter(({ legs: [leg] }) => leg && succeeded(leg.reply)).length;
  const calls = plural(traces.length, 'call');
  const what = isForecast
    ? `Forecast: ${ok} of ${calls} will succeed, with ${sent} in all; without retries, ${first} would.`
    : `${ok} of ${calls} succeeded, with ${sent} in all; without retries, ${first} would have.`;
  return `${what}${failures(run)}`;
}

/** Outcomes of the failed requests: " 9 requests failed: 5 × 503, 4 network errors." */
function failures({ traces, isForecast }: Run): string {
  const failed = traces.flatMap(({ legs }) => legs).filter(({ reply }) => reply !== undefined && !succeeded(reply));
  if (failed.length === 0) return '';
  const kinds = [...Map.groupBy(failed, ({ reply = 0 }) => REPLIES[reply] ?? String(reply))]
    .sort(([a, { length: m }], [b, { length: n }]) => n - m || (a < b ? -1 : 1))
    .map(([kind, { length }]) => `${length}\u00a0×\u00a0${kind}`);
  return ` ${plural(failed.length, 'request')} ${isForecast ? 'will fail' : 'failed'}: ${kinds.join(', ')}.`;
}

/** Compares the page's own record with the counts of the worker at the end, and at the start. */
export function counted(run: Run, aborted: boolean, atStart: FlakyStats, atEnd: FlakyStats): string {
  if (atStart.instance !== atEnd.instance)
    return 'The browser restarted the server during the run, so its count is lost.';
  if (atEnd.requests === requestsOf(run)) return 'The server counted the same.';
  const rest = aborted && atEnd.requests < requestsOf(run) ? ': the others were stopped on their way' : '';
  return `The server counted ${atEnd.requests}${rest}.`;
}

export function succeeded(reply: Reply | undefined): boolean {
  return typeof reply === 'number' && reply < 400;
}

export function replyText(reply: Reply | undefined): string {
  return reply === undefined ? 'running' : String(reply);
}

const REPLIES: Partial<Record<Reply, string>> = { network: 'network error', timeout: 'no answer in time' };
