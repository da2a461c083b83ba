/** A live run as bars over time: one row per call, a bar per attempt, a dotted line per wait. */
import { timeAxis } from '../charts/axis';
import { label, rect, rule, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { duration, plural, share } from '../charts/format';
import { linear, type Scale } from '../charts/scale';
import { strategyInWords } from '../state/strategy';
import type { Leg, Run, Trace } from './run';
import { replyText, requestsOf, succeeded } from './words';

const [TOP, BELOW, LEFT] = [8, 42, 26];
/** For the outcomes, which stand at the right. */
const RIGHT = 74;
/** The axis has at least this length, so that the first answers do not fill the width. */
const LEAST_MS = 500;

/** Height of a row and of its bars, and whether they say what was answered. */
const rowsFor = (calls: number) =>
  calls > 16 ? { pitch: 13, height: 9, isLabelled: false } : { pitch: 24, height: 18, isLabelled: true };
type Rows = ReturnType<typeof rowsFor>;

export function waterfall(callsAtFirst: number): FigureSpec<Run> {
  return {
    id: 'live-run',
    title: 'What becomes of each call?',
    subtitle: ({ isForecast, seed }) => [
      isForecast
        ? `forecast for seed ${seed}: the dashed requests are not sent yet`
        : `real requests to the service worker, seed ${seed}`,
    ],
    height(_, run) {
      const calls = run?.traces.length ?? callsAtFirst;
      return TOP + rowsFor(calls).pitch * calls + BELOW;
    },
    draw(run, width) {
      const { traces } = run;
      const rows = rowsFor(traces.length);
      const now = run.nowMs();
      const scale = linear([0, Math.max(now, LEAST_MS)], [LEFT, width - RIGHT]);
      const grid = [TOP, TOP + rows.pitch * traces.length] as const;
      return [
        timeAxis({ scale, title: 'time since the run began', grid }),
        ...traces.map((trace) => row(trace, rows, scale, now, width)),
      ];
    },
    describe,
    settings: ({ rate, strategy }) => `${strategyInWords(strategy)}; ${share(rate)} of the attempts fail`,
  };
}

function row(trace: Trace, rows: Rows, scale: Scale, now: number, width: number): SVGGElement {
  const { id, legs, outcome, endMs = 0 } = trace;
  const middle = TOP + rows.pitch * (id - 0.5);
  // One line under all bars: what shows of it is the waits.
  const from = legs[0]?.endMs;
  const last = legs.at(-1);
  const to = last?.waitMs === undefined ? last?.startMs : (trace.endMs ?? now);
  const isWaiting = from !== undefined && to !== undefined && to > from;
  // How long the call took, or how it ended.
  const isOpen = outcome === 'running' || outcome === 'waiting to be sent';
  const ended = outcome === 'ok' ? `✓ ${duration(endMs - (legs[0]?.startMs ?? 0))}` : outcome;
  return svg(
    'g',
    { class: 'call', 'data-outcome': outcome },
    label(0, middle + 4, String(id)),
    isWaiting ? rule(scale(from), middle, scale(to), middle, 'wait') : null,
    ...legs.map((leg, i) => bar(leg, legs[i + 1], rows, scale, now, middle)),
    label(width, middle + 4, isOpen ? '' : ended, outcome === 'ok' ? 'outcome ok end' : 'outcome bad end'),
  );
}

/** Texts of a bar, the longest first: the first one that has room is taken. */
function labelsFor({ reply }: Leg): readonly string[] {
  if (reply === undefined || reply === 'stopped') return [];
  return reply === 'network' ? [reply, 'net'] : [String(reply)];
}

function widthOf(text: string): number {
  return 7 * text.length + 8;
}

/** Ends where the attempt did; but a bar too narrow for three characters is widened, where there is room. */
function bar(leg: Leg, next: Leg | undefined, rows: Rows, scale: Scale, now: number, middle: number): SVGGElement {
  const { attempt, waitMs, reply } = leg;
  const x = scale(leg.startMs);
  const actual = scale(leg.endMs ?? now) - x;
  const room = Math.max(actual, Math.min(widthOf('200'), (next ? scale(next.startMs) - 2 : scale.range[1]) - x));
  const text = rows.isLabelled ? labelsFor(leg).find((one) => widthOf(one) <= room) : undefined;
  const width = Math.max(3, actual, text ? widthOf(text) : 0);
  const then = waitMs === undefined ? '' : `, then a wait of ${duration(waitMs)}`;
  return svg(
    'g',
    { class: `attempt ${kindOf(reply)}` },
    svg('title', {}, `attempt ${attempt}: ${replyText(reply)}${then}`),
    rect(x, middle - rows.height / 2, width, rows.height, '', rows.isLabelled ? 3 : 2),
    text ? label(x + width / 2, middle + 4, text, 'middle') : null,
  );
}

function kindOf(reply: Leg['reply']): string {
  if (reply === undefined) return 'under-way';
  if (succeeded(reply)) return 'ok';
  return reply === 'timeout' ? 'late' : reply === 'stopped' ? reply : 'failed';
}

function describe(run: Run): string {
  const { traces } = run;
  const requests = requestsOf(run);
  if (requests === 0) return `${plural(traces.length, 'call')}, not sent yet.`;
  const kinds = Map.groupBy(
    traces.flatMap(({ legs }) => legs),
    ({ reply }) => replyText(reply),
  );
  const answers = [...kinds].sort(([, a], [, b]) => b.length - a.length).map(([kind, n]) => `${n.length} × ${kind}`);
  const ok = traces.filter(({ outcome }) => outcome === 'ok');
  const slowest = Math.max(...ok.map(({ legs, endMs = 0 }) => endMs - (legs[0]?.startMs ?? 0)));
  const took = ok.length > 0 ? ` The slowest of them ${run.isForecast ? 'takes' : 'took'} ${duration(slowest)}.` : '';
  const [what, succeed] = run.isForecast ? ['Forecast, nothing is sent yet: ', 'succeed'] : ['', 'succeeded'];
  return (
    `${what}${ok.length} of ${plural(traces.length, 'call')} ${succeed}, with ${plural(requests, 'request')}: ` +
    `${answers.join(', ')}.${took}`
  );
}
