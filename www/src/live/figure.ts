/** A live run as bars over time, and in words: a row per call, a bar per attempt, a dotted line per wait. */
import { timeAxis } from '../charts/axis';
import { label, rect, rule, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { duration, plural } from '../charts/format';
import { linear, type Scale } from '../charts/scale';
import { strategyInWords } from '../state/strategy';
import { CALLS, type Leg, type Reply, type Run, type Trace } from './send';

const [TOP, PITCH, BAR, BELOW, LEFT] = [8, 20, 15, 42, 26];
/** For the outcomes, which stand at the right. */
const RIGHT = 74;
/** The axis has at least this length, so that the first answers do not fill the width. */
const LEAST_MS = 500;
const REPLIES: Partial<Record<Reply, string>> = { network: 'network error', timeout: 'no answer in time' };

const isGood = (reply: Reply | undefined): boolean => typeof reply === 'number' && reply < 400;

export const live: FigureSpec<Run> = {
  id: 'live-run',
  title: 'What becomes of each call?',
  subtitle: ({ seed }) => [`real requests to the service worker, seed ${seed}`],
  height: () => TOP + PITCH * CALLS + BELOW,
  draw(run, width) {
    const now = run.nowMs();
    const scale = linear([0, Math.max(now, LEAST_MS)], [LEFT, width - RIGHT]);
    return [
      timeAxis({ scale, title: 'time since the run began', grid: [TOP, TOP + PITCH * CALLS] }),
      ...run.traces.map((trace) => row(trace, scale, now, width)),
    ];
  },
  describe: (run) => summary(run, false),
  settings: ({ strategy }) => `${strategyInWords(strategy)}; 60% of the attempts fail`,
};

function row({ id, legs, outcome, endMs = 0 }: Trace, scale: Scale, now: number, width: number): SVGGElement {
  const y = TOP + PITCH * (id - 0.5);
  const waits = legs.flatMap(({ endMs: from, waitMs }, i) => {
    const to = legs[i + 1]?.startMs ?? now;
    return from === undefined || waitMs === undefined ? [] : [rule(scale(from), y, scale(to), y, 'wait')];
  });
  const ended = outcome === 'ok' ? `✓ ${duration(endMs)}` : outcome === 'running' ? '' : outcome;
  return svg(
    'g',
    { class: 'call', 'data-outcome': outcome },
    label(0, y + 4, String(id)),
    ...waits,
    ...legs.map((leg, i) => bar(leg, i + 1, scale, now, y)),
    label(width, y + 4, ended, outcome === 'ok' ? 'hued end' : 'bad end'),
  );
}

function bar({ startMs, endMs, reply, waitMs }: Leg, attempt: number, scale: Scale, now: number, y: number) {
  const [x, width] = [scale(startMs), Math.max(3, scale(endMs ?? now) - scale(startMs))];
  const text = typeof reply === 'number' && width >= 29 ? label(x + width / 2, y + 4, String(reply), 'middle') : null;
  const kinds = { timeout: 'late', stopped: '', network: 'failed' };
  const kind = reply === undefined ? '' : isGood(reply) ? 'ok' : (kinds[reply as keyof typeof kinds] ?? 'failed');
  const then = waitMs === undefined ? '' : `, then a wait of ${duration(waitMs)}`;
  return svg(
    'g',
    { class: `attempt ${kind}` },
    svg('title', {}, `attempt ${attempt}: ${reply ?? 'running'}${then}`),
    rect(x, y - BAR / 2, width, BAR, '', 3),
    text,
  );
}

export function requestsOf({ traces }: Run): number {
  return traces.reduce((sum, { legs }) => sum + legs.length, 0);
}

/** Without times, which differ from run to run: for one seed and strategy it is the same in every browser. */
export function summary(run: Run, aborted: boolean): string {
  const { traces } = run;
  const of = (wanted: Trace['outcome']): number => traces.filter(({ outcome }) => outcome === wanted).length;
  const sent = plural(requestsOf(run), 'request');
  if (requestsOf(run) === 0) return `${plural(CALLS, 'call')}, not sent yet.`;
  if (aborted)
    return `Aborted: ${plural(of('aborted'), 'call')} ended at once, ${of('ok')} had succeeded before. ${sent} had been sent.`;
  const first = traces.filter(({ legs }) => isGood(legs[0]?.reply)).length;
  const failed = traces.flatMap(({ legs }) => legs).filter(({ reply }) => reply !== undefined && !isGood(reply));
  const kinds = [...Map.groupBy(failed, ({ reply = 0 }) => REPLIES[reply] ?? String(reply))]
    .sort(([a, { length: m }], [b, { length: n }]) => n - m || (a < b ? -1 : 1))
    .map(([kind, { length }]) => `${length}\u00a0×\u00a0${kind}`);
  return (
    `${of('ok')} of ${plural(CALLS, 'call')} succeeded, with ${sent} in all; without retries, ${first} would have.` +
    (kinds.length === 0 ? '' : ` ${plural(failed.length, 'request')} failed: ${kinds.join(', ')}.`)
  );
}
