/** One 429 for all: the requests of many workers against a limit, by who learns of it. */
import { html, svg } from '../charts/dom';
import { count, doing, duration, rate } from '../charts/format';
import { linear, type Scale } from '../charts/scale';
import type { FigureSpec } from '../charts/spec';
import { sized } from '../compute/bins';
import {
  ATTEMPTS,
  JOBS_COUNT,
  LIMIT,
  WINDOW_MS,
  WORKERS,
  type Hints,
  type RateLimitResult,
  type RateLimitRun,
} from './compute';
import { strategyInWords } from '../state/words';
import { rateAt, timeReadout } from '../charts/time-readout';
import { timeAxis } from '../charts/time-axis';
import { createPainter, legendHeight, trafficLegend } from '../charts/traffic';

const NAMES: Readonly<Record<Hints, string>> = {
  ignored: 'Hints ignored',
  followed: 'Each follows its own',
  shared: 'Shared cooldown',
};
const SHORT: Readonly<Record<Hints, string>> = { ignored: 'Ignored', followed: 'Each its own', shared: 'Cooldown' };
const NARROW = 640;
/** From the rows to the legend, below the time axis. */
const BELOW = 54;
const LEGEND = { taken: 'accepted', above: 'rejected', hasDown: false };
const LIMIT_PER_S = (1000 * LIMIT) / WINDOW_MS;

/** The rows that are shown: with a shared cooldown only if it is chosen. */
export interface RateLimitData extends RateLimitResult {
  readonly isShared: boolean;
}

function shown({ runs, isShared }: RateLimitData): readonly RateLimitRun[] {
  return runs.filter(({ hints }) => isShared || hints !== 'shared');
}

export const rateLimitFigure: FigureSpec<RateLimitData> = {
  id: 'rate-limit',
  title: 'One 429 for all',
  subtitle: (data) => [html('b', { class: 'finding' }, finding(data))],
  height(width) {
    const { bottom, strip } = layout(width);
    return bottom + BELOW + legendHeight(strip.width, LEGEND);
  },

  draw(data, width) {
    const { isNarrow, strip, rows, bottom, columns } = layout(width);
    const paint = createPainter();
    const marks: SVGElement[] = isNarrow
      ? []
      : [
          svg('text', { x: columns.rejected, y: 16, 'text-anchor': 'end', class: 'head' }, 'rejected'),
          svg('text', { x: columns.failed, y: 16, 'text-anchor': 'end', class: 'head' }, 'jobs that fail'),
        ];
    for (const [i, run] of shown(data).entries()) {
      const y = rows[i] ?? 0;
      const middle = y + (isNarrow ? 13 : 15);
      const bad = run.failed > 0 ? 'number bad' : 'number';
      const text = (x: number, words: string, kind: string) =>
        svg('text', { x, y: middle, 'text-anchor': 'end', class: kind }, words);
      marks.push(
        svg(
          'g',
          { class: 'row' },
          svg('text', { x: 0, y: middle, class: 'name' }, isNarrow ? SHORT[run.hints] : NAMES[run.hints]),
          paint(
            {
              arrivals: sized(run.arrivals, data.horizonMs / data.binMs),
              accepted: sized(run.accepted, data.horizonMs / data.binMs),
              binMs: data.binMs,
              capacityPerS: LIMIT_PER_S,
              downFromMs: Infinity,
              downToMs: Infinity,
            },
            { ...strip, y: y + (isNarrow ? 20 : 0) },
          ),
          isNarrow
            ? text(width, `${count(run.rejected)} rejected, ${count(run.failed)} fail`, bad)
            : text(columns.rejected, count(run.rejected), 'number'),
          isNarrow ? null : text(columns.failed, count(run.failed), bad),
        ),
      );
    }
    marks.push(
      timeAxis({ scale: scaleOf(data, width), title: 'time', grid: [bottom, bottom] }),
      trafficLegend(paint, strip, bottom + BELOW, LEGEND),
    );
    return marks;
  },

  readout(data, width) {
    const { rows, bottom } = layout(width);
    return timeReadout('rate-limit', data, 0, scaleOf(data, width), [rows[0] ?? 0, bottom], (ms) =>
      shown(data).map((run) => ({ name: NAMES[run.hints], value: rate(rateAt(run.arrivals, data, ms)) })),
    );
  },

  describe: (data) => finding(data),

  table: (data) => ({
    caption: `${count(JOBS_COUNT)} jobs against ${LIMIT} requests per ${duration(WINDOW_MS)}, seed ${data.input.seed}`,
    columns: [
      { name: 'hints' },
      { name: 'requests', unit: 'count' },
      { name: 'rejected', unit: 'count' },
      { name: 'jobs that fail', unit: 'count' },
      { name: 'the last one ends', unit: 'ms' },
    ],
    rows: shown(data).map((run) => [NAMES[run.hints], run.requests, run.rejected, run.failed, run.endMs]),
    isBad: (row, column) => column === 3 && (shown(data)[row]?.failed ?? 0) > 0,
  }),

  note: () => [
    `${count(JOBS_COUNT)} jobs and ${WORKERS} workers against a server that accepts ${LIMIT} requests per ` +
      `${duration(WINDOW_MS)}, and answers the others with 429 and Retry-After. Each job has ${ATTEMPTS} attempts.`,
  ],

  settings: ({ input }) =>
    `${count(JOBS_COUNT)} jobs, ${WORKERS} workers, ${LIMIT} requests per ${duration(WINDOW_MS)}; ` +
    `${strategyInWords({ strategy: { ...input.strategy, maxAttempts: ATTEMPTS, totalTimeoutMs: Infinity } })}`,
};

/** The jobs that fail, by who follows the hints. */
function finding({ runs, isShared }: RateLimitData): string {
  const [ignored, followed, shared] = (['ignored', 'followed', 'shared'] as const).map((hints) =>
    runs.find((run) => run.hints === hints),
  );
  if (!ignored || !followed || !shared) return '';
  const fail = ({ failed }: RateLimitRun): string => (failed === 0 ? 'none fails' : doing(failed, 'fail'));
  const each =
    `Of ${count(JOBS_COUNT)} jobs ${fail(ignored)} if hints are ignored, and ${fail(followed)} if each worker ` +
    'follows its own.';
  return isShared
    ? `${each} With a shared cooldown ${fail(shared)}: ${count(shared.rejected)} requests are rejected instead of ` +
        `${count(followed.rejected)}, and the last job ends after ${duration(shared.endMs)} instead of ` +
        `${duration(followed.endMs)}.`
    : `${each} Then the server rejects ${count(followed.rejected)} requests, and the last job ends after ` +
        `${duration(followed.endMs)}.`;
}

function scaleOf({ horizonMs }: RateLimitResult, width: number): Scale {
  const { strip } = layout(width);
  return linear([0, horizonMs], [strip.x, strip.x + strip.width]);
}

function layout(width: number) {
  const isNarrow = width < NARROW;
  const [pitch, height, first] = isNarrow ? [42, 36, 0] : [24, 20, 26];
  const rows = [0, 1, 2].map((i) => first + i * pitch);
  const columns = { rejected: width - 110, failed: width };
  const strip = isNarrow
    ? { x: 16, width: width - 32, height: 16 }
    : { x: 160, width: columns.rejected - 70 - 160, height: 20 };
  return { isNarrow, rows, columns, strip, bottom: (rows[2] ?? 0) + height };
}
