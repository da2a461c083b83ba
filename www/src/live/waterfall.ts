/** A live run as bars over time: one row per call, a bar per attempt, a dotted line per wait. */
import { linear, type Scale } from '../charts/scale';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { duration, plural, share } from '../charts/format';
import { waitAxis } from '../charts/time-axis';
import { strategyInWords } from '../state/words';
import type { Leg, Outcome, Run, Trace } from './run';
import { replyText, requestsOf, succeeded } from './words';

const TOP = 8;
const BELOW = 42;
const LEFT = 26;
/** For the outcomes, which stand at the right. */
const RIGHT = 74;
/** The axis has at least this length, so that the first answers do not fill the width. */
const LEAST_MS = 500;

interface Rows {
  readonly pitch: number;
  readonly bar: number;
  /** Whether the bars say what was answered. */
  readonly labelled: boolean;
}
const WIDE: Rows = { pitch: 24, bar: 18, labelled: true };
const NARROW: Rows = { pitch: 13, bar: 9, labelled: false };
const MOST_WIDE = 16;

function rowsFor(calls: number): Rows {
  return calls > MOST_WIDE ? NARROW : WIDE;
}

function heightFor(calls: number): number {
  return TOP + rowsFor(calls).pitch * calls + BELOW;
}

export function waterfall(callsAtFirst: number): FigureSpec<Run> {
  return {
    id: 'live-run',
    title: 'What becomes of each call?',
    subtitle: ({ isForecast, seed }) => [
      isForecast
        ? `forecast for seed ${seed}: the dashed requests are not sent yet`
        : `real requests to the service worker, seed ${seed}`,
    ],
    height: (_, run) => heightFor(run?.traces.length ?? callsAtFirst),
    draw,
    describe,
    settings: ({ target, strategy }) => `${strategyInWords(strategy)}; ${share(target.rate)} of the attempts fail`,
  };
}

export function draw(run: Run, width: number): SVGElement[] {
  const { traces } = run;
  const rows = rowsFor(traces.length);
  const now = run.nowMs();
  const scale = linear([0, Math.max(now, LEAST_MS)], [LEFT, width - RIGHT]);
  const bottom = TOP + rows.pitch * traces.length;
  return [
    waitAxis({ scale, title: 'time since the run began', grid: [TOP, bottom] }),
    ...traces.map((trace) => row(trace, rows, scale, now, width)),
  ];
}

function row(trace: Trace, rows: Rows, scale: Scale, now: number, width: number): SVGGElement {
  const { id, legs, outcome } = trace;
  const middle = TOP + rows.pitch * (id - 0.5);
  const group = svg('g', { class: 'call', 'data-outcome': outcome }, svg('text', { x: 0, y: middle + 4 }, String(id)));
  // One line under all bars: what shows of it is the waits.
  const from = legs[0]?.endMs;
  const last = legs.at(-1);
  const to = last?.waitMs === undefined ? last?.startMs : (trace.endMs ?? now);
  if (from !== undefined && to !== undefined && to > from)
    group.append(svg('line', { x1: scale(from), x2: scale(to), y1: middle, y2: middle, class: 'wait' }));
  for (const [i, leg] of legs.entries()) group.append(bar(leg, legs[i + 1], rows, scale, now, middle));
  group.append(
    svg(
      'text',
      { x: width, y: middle + 4, 'text-anchor': 'end', class: `outcome ${CLASSES[outcome]}` },
      outcomeText(trace),
    ),
  );
  return group;
}

const CLASSES: Record<Outcome, string> = {
  'waiting to be sent': 'idle',
  running: 'idle',
  ok: 'ok',
  'gave up': 'bad',
  rejected: 'bad',
  aborted: 'bad',
};

/** Texts of a bar, the longest first: the first one that has room is taken. */
function labelsFor({ reply }: Leg): readonly string[] {
  if (reply === undefined || reply === 'stopped') return [];
  return reply === 'network' ? [reply, 'net'] : [String(reply)];
}

function widthOf(label: string): number {
  return 7 * label.length + 8;
}

/** Ends where the attempt did; but a bar too narrow for three characters is widened, where there is room. */
function bar(leg: Leg, next: Leg | undefined, rows: Rows, scale: Scale, now: number, middle: number): SVGGElement {
  const x = scale(leg.startMs);
  const actual = scale(leg.endMs ?? now) - x;
  const [, right] = scale.range;
  const room = Math.max(actual, Math.min(widthOf('200'), (next ? scale(next.startMs) - 2 : right) - x));
  const label = rows.labelled ? labelsFor(leg).find((text) => widthOf(text) <= room) : undefined;
  const width = Math.max(3, actual, label ? widthOf(label) : 0);
  const group = svg(
    'g',
    { class: `attempt ${kindOf(leg)}` },
    svg(
      'title',
      {},
      `attempt ${leg.attempt}: ` +
        `${replyText(leg.reply)}${leg.waitMs === undefined ? '' : `, then a wait of ${duration(leg.waitMs)}`}`,
    ),
    svg('rect', { x, y: middle - rows.bar / 2, width, height: rows.bar, rx: rows.labelled ? 3 : 2 }),
  );
  if (label) group.append(svg('text', { x: x + width / 2, y: middle + 4, 'text-anchor': 'middle' }, label));
  return group;
}

function kindOf({ reply }: Leg): string {
  if (reply === undefined) return 'under-way';
  if (succeeded(reply)) return 'ok';
  if (reply === 'timeout') return 'late';
  return reply === 'stopped' ? 'stopped' : 'failed';
}

/** How long the call took, or how it ended. */
function outcomeText({ outcome, endMs = 0, legs }: Trace): string {
  if (outcome === 'running' || outcome === 'waiting to be sent') return '';
  return outcome === 'ok' ? `✓ ${duration(endMs - (legs[0]?.startMs ?? 0))}` : outcome;
}

export function describe(run: Run): string {
  const { traces } = run;
  const requests = requestsOf(run);
  if (requests === 0) return `${plural(traces.length, 'call')}, not sent yet.`;
  const kinds = new Map<string, number>();
  for (const { reply } of traces.flatMap(({ legs }) => legs))
    kinds.set(replyText(reply), (kinds.get(replyText(reply)) ?? 0) + 1);
  const answers = [...kinds].sort(([, a], [, b]) => b - a).map(([kind, n]) => `${n} × ${kind}`);
  const ok = traces.filter(({ outcome }) => outcome === 'ok');
  const slowest = Math.max(...ok.map(({ legs, endMs = 0 }) => endMs - (legs[0]?.startMs ?? 0)));
  const took = ok.length > 0 ? ` The slowest of them ${run.isForecast ? 'takes' : 'took'} ${duration(slowest)}.` : '';
  const [what, succeed] = run.isForecast ? ['Forecast, nothing is sent yet: ', 'succeed'] : ['', 'succeeded'];
  return (
    `${what}${ok.length} of ${plural(traces.length, 'call')} ${succeed}, with ${plural(requests, 'request')}: ` +
    `${answers.join(', ')}.${took}`
  );
}
