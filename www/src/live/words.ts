/** A run in words: the sentence that sums it up, and the lines of the event log. */
import { duration, plural } from '../charts/format';
import type { FlakyStats } from './protocol';
import type { Leg, Reply, Run, Trace } from './run';

export function requestsOf({ traces }: Run): number {
  return traces.reduce((sum, { legs }) => sum + legs.length, 0);
}

/** Without times, which differ from run to run: for one seed and strategy it is the same in every browser. */
export function summary(run: Run, aborted: boolean): string {
  const { traces } = run;
  const requests = requestsOf(run);
  const ok = traces.filter(({ outcome }) => outcome === 'ok').length;
  if (aborted) {
    const ended = traces.filter(({ outcome }) => outcome === 'aborted').length;
    return (
      `Aborted: ${plural(ended, 'call')} ended at once, ${ok} had succeeded before. ${plural(requests, 'request')} ` +
      'had been sent.'
    );
  }
  const first = traces.filter(({ legs: [leg] }) => leg && succeeded(leg.reply)).length;
  const calls = plural(traces.length, 'call');
  const sent = plural(requests, 'request');
  const what = run.isForecast
    ? `Forecast: ${ok} of ${calls} will succeed, with ${sent} in all; without retries, ${first} would.`
    : `${ok} of ${calls} succeeded, with ${sent} in all; without retries, ${first} would have.`;
  return `${what}${failures(run)}`;
}

/** Outcomes of the failed requests: " 9 requests failed: 5 × 503, 4 network errors." */
function failures({ traces, isForecast }: Run): string {
  const counts = new Map<string, number>();
  for (const { reply } of traces.flatMap(({ legs }) => legs)) {
    if (reply === undefined || succeeded(reply)) continue;
    const kind = REPLIES[reply] ?? String(reply);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const failed = [...counts.values()].reduce((a, b) => a + b, 0);
  if (failed === 0) return '';
  const kinds = [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([kind, n]) => `${n}\u00a0×\u00a0${kind}`);
  return ` ${plural(failed, 'request')} ${isForecast ? 'will fail' : 'failed'}: ${kinds.join(', ')}.`;
}

/** Compares the page's own record with the counts of the worker at the end, and at the start. */
export function counted(run: Run, aborted: boolean, atStart: FlakyStats, atEnd: FlakyStats): string {
  if (atStart.instance !== atEnd.instance)
    return 'The browser restarted the server during the run, so its count is lost.';
  if (atEnd.requests === requestsOf(run)) return 'The server counted the same.';
  if (aborted && atEnd.requests < requestsOf(run))
    return `The server counted ${atEnd.requests}: the others were stopped on their way.`;
  return `The server counted ${atEnd.requests}.`;
}

/** Why no attempt at a URL got an answer, as far as a page can know; undefined when one did. */
export function whyNoAnswer(run: Run, page: URL): string | undefined {
  const replies = run.traces.flatMap(({ legs }) => legs.map(({ reply }) => reply));
  if (run.target.kind !== 'own' || !replies.every((reply) => reply === 'network')) return undefined;
  const { url } = run.target;
  if (page.protocol === 'https:' && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return `Browsers block this as mixed content: a page served over https may not call ${url.origin}.`;
  }
  if (page.origin === url.origin) return `Nothing answered at ${url.origin}.`;
  return (
    `No answer could be read. Either nothing answers at ${url.origin}, or it does not let pages of other origins ` +
    'read its answers: for that it must send Access-Control-Allow-Origin (CORS).'
  );
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

export function succeeded(reply: Reply | undefined): boolean {
  return typeof reply === 'number' && reply < 400;
}

export function replyText(reply: Reply | undefined): string {
  return reply === undefined ? 'running' : String(reply);
}

const REPLIES: Partial<Record<Reply, string>> = { network: 'network error', timeout: 'no answer in time' };

const LONGEST_TIME = '99.9 min'.length;

/** The latest event of an attempt. */
export function logLine(run: Run, trace: Trace, leg: Leg): string {
  const { legs, outcome } = trace;
  const over = outcome !== 'running';
  const at = leg.endMs === undefined ? leg.startMs : over ? (trace.endMs ?? leg.endMs) : leg.endMs;
  const what =
    leg.endMs === undefined ? sent(run, leg, legs[0]) : over ? ended(trace, leg) : `${reply(leg)}, ${waits(leg)}`;
  return `${duration(at).padStart(LONGEST_TIME)}  call ${trace.id}, attempt ${leg.attempt}: ${what}`;
}

function sent({ target }: Run, leg: Leg, first: Leg | undefined): string {
  const again = leg === first ? '' : ' again';
  if (target.kind === 'own') return `GET${again}`;
  const key = `Idempotency-Key ${leg.key?.slice(0, 8)}…`;
  if (!again) return `POST, ${key}`;
  return `POST again, ${leg.key === first?.key ? `the same ${key}` : `another ${key}`}`;
}

function ended({ legs, outcome, endMs = 0 }: Trace, leg: Leg): string {
  if (outcome === 'aborted') return leg.reply === 'stopped' ? 'aborted' : 'aborted in the wait after it';
  const took = duration(endMs - (legs[0]?.startMs ?? 0));
  if (outcome === 'ok') return `${reply(leg)}, after ${took}`;
  if (outcome === 'rejected') return `${reply(leg)}, not retryable`;
  return `${reply(leg)}, gave up after ${plural(legs.length, 'attempt')} and ${took}`;
}

function waits({ waitMs = 0, hintMs }: Leg): string {
  const hint = hintMs === undefined ? '' : `, Retry-After asks for ${duration(hintMs)}`;
  return `waits ${duration(waitMs)}${hint}`;
}

function reply({ reply }: Leg): string {
  return (reply !== undefined && REPLIES[reply]) || replyText(reply);
}
