/** A live run as bars over time: one row per call, a bar per attempt, a dotted line per wait. */
import { timeAxis, timeScale, type TimeScale } from './axis';
import { svg } from './dom';
import { duration } from './format';
import type { Leg, Run, Trace } from './live';

const TOP = 8;
const ROW = 24;
const BAR = 18;
/** A bar narrower than its label is widened to it, as far as the next attempt leaves room. */
const LABELLED = 30;
const BELOW = 44;

export function waterfallHeight(calls: number): number {
  return TOP + ROW * calls + BELOW;
}

export function waterfall(run: Run, width: number, summary: string): SVGSVGElement {
  const now = run.nowMs();
  // The last bar may be widened past the end of the scale; the outcomes stand beyond that.
  const scale = timeScale(Math.max(now, 500), 28, width - 70 - LABELLED);
  const bottom = TOP + ROW * run.traces.length;
  const height = waterfallHeight(run.traces.length);
  const root = svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-labelledby': 'waterfall-title waterfall-desc' },
    svg('title', { id: 'waterfall-title' }, 'Attempts and waits of each call over time'),
    svg('desc', { id: 'waterfall-desc' }, summary),
    timeAxis(scale, TOP, bottom, 'time since the run began'),
  );
  for (const trace of run.traces) root.append(row(trace, scale, now, width));
  return root;
}

function row(trace: Trace, scale: TimeScale, now: number, width: number): SVGGElement {
  const middle = TOP + ROW * (trace.id - 1) + ROW / 2;
  const group = svg('g', { class: 'call', 'data-call': trace.id, 'data-outcome': trace.outcome });
  group.append(svg('text', { x: 0, y: middle + 4, class: 'label' }, String(trace.id)));
  // One line under all bars: what shows of it is the waits.
  const firstEnd = trace.legs[0]?.endMs;
  const lineEnd = trace.endMs ?? now;
  if (firstEnd !== undefined && lineEnd > firstEnd) {
    group.append(svg('line', { x1: scale.x(firstEnd), x2: scale.x(lineEnd), y1: middle, y2: middle, class: 'wait' }));
  }
  trace.legs.forEach((leg, i) => group.append(bar(leg, trace.legs[i + 1], scale, now, middle)));
  group.append(svg('text', { x: width, y: middle + 4, 'text-anchor': 'end', class: `outcome ${trace.outcome.replace(' ', '-')}` }, outcome(trace)));
  return group;
}

function bar(leg: Leg, next: Leg | undefined, scale: TimeScale, now: number, middle: number): SVGGElement {
  const x = scale.x(leg.startMs);
  const end = scale.x(leg.endMs ?? now);
  const room = next ? scale.x(next.startMs) - x - 2 : LABELLED;
  const width = Math.max(3, end - x, Math.min(LABELLED, room));
  const label = leg.reply ?? '';
  const group = svg(
    'g',
    { class: `leg ${replyClass(leg)}` },
    svg('title', {}, `attempt ${leg.attempt}: ${label || 'under way'}${leg.waitMs === undefined ? '' : `, after a wait of ${duration(leg.waitMs)}`}`),
    svg('rect', { x, y: middle - BAR / 2, width, height: BAR, rx: 3 }),
  );
  if (label && width >= LABELLED - 4) {
    group.append(svg('text', { x: x + width / 2, y: middle + 4, 'text-anchor': 'middle' }, label === 'stopped' && width < 52 ? '' : label));
  }
  return group;
}

function replyClass({ reply }: Leg): string {
  if (reply === undefined) return 'under-way';
  if (reply === '200') return 'ok';
  if (reply === 'slow') return 'failed slow';
  return reply === 'stopped' ? 'stopped' : 'failed';
}

/** How long the call took, or how it ended. */
function outcome({ outcome, endMs, legs }: Trace): string {
  if (outcome === 'running') return '';
  return outcome === 'ok' ? duration((endMs ?? 0) - (legs[0]?.startMs ?? 0)) : outcome;
}
