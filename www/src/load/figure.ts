/** The price of an outage with each protection, in numbers. */
import { html, svg } from '../charts/dom';
import { count, doing, duration, plural, rate, share } from '../charts/format';
import type { FigureSpec } from '../charts/spec';
import { CALM_MS, DOWN_FROM_MS, TIMEOUT_MS, type LoadResult, type LoadRun, type Shared } from './compute';
import { strategyInWords } from '../state/words';
import { seconds } from '../charts/time-axis';

/** Protections in words. */
export const SHARED_NAMES: Readonly<Record<Shared, string>> = {
  none: 'Retries, no protection',
  single: 'No retries at all',
  budget: 'Budget',
  breaker: 'Breaker',
  both: 'Budget and breaker',
};
const TOP = 30;
const ROW = 30;
const NARROW = 560;

/** With one of its runs, which has the chosen parts. */
export interface LoadData extends LoadResult {
  readonly run: LoadRun;
}

export const load: FigureSpec<LoadData> = {
  id: 'load',
  title: 'How many requests fail?',
  subtitle: (data) => [html('b', { class: 'finding' }, finding(data))],
  height: () => TOP + 5 * ROW,

  draw({ runs, run: chosen, horizonMs }, width) {
    const isNarrow = width < NARROW;
    const columns = isNarrow ? [width - 134, width - 76, width] : [width - 290, width - 150, width];
    const heads = isNarrow
      ? ['failed', 'calls', 'until calm']
      : ['failed requests', 'calls per request', 'until all are answered'];
    const most = Math.max(1, ...runs.map(({ failed }) => failed));
    const [left, right] = [isNarrow ? 0 : 190, (columns[0] ?? 0) - 70];
    const cell = (x: number | undefined, y: number, words: string, bad = false): SVGElement =>
      svg('text', { x, y, 'text-anchor': 'end', class: bad ? 'number bad' : 'number' }, words);
    return [
      ...heads.map((head, i) => svg('text', { x: columns[i], y: 16, 'text-anchor': 'end', class: 'head' }, head)),
      ...runs.map((run, i) => {
        const y = TOP + i * ROW;
        return svg(
          'g',
          { class: run.shared === chosen.shared ? 'row chosen' : 'row', 'data-shared': run.shared },
          svg('text', { x: 0, y: y + 15, class: 'name' }, isNarrow ? SHORT[run.shared] : SHARED_NAMES[run.shared]),
          isNarrow
            ? null
            : svg('rect', {
                x: left,
                y: y + 3,
                width: Math.max(1, ((right - left) * run.failed) / most),
                height: 14,
                class: 'failures',
              }),
          cell(columns[0], y + 15, count(run.failed)),
          cell(columns[1], y + 15, run.amplification.toFixed(run.amplification < 9.95 ? 2 : 1)),
          cell(columns[2], y + 15, recovery(run, horizonMs, isNarrow), run.recoveredAfterMs === undefined),
        );
      }),
    ];
  },

  describe: (data) =>
    `${finding(data)} ${data.runs.map((run) => `${SHARED_NAMES[run.shared]}: ${count(run.failed)} failed, ${recovery(run, data.horizonMs, false)}`).join('. ')}.`,

  table: ({ runs, input }) => ({
    caption: `Requests with each protection, seed ${input.seed}`,
    columns: [
      { name: 'protection' },
      { name: 'requests', unit: 'count' },
      { name: 'failed', unit: 'count' },
      { name: 'calls per request', unit: 'number' },
      { name: 'until all are answered', unit: 'ms' },
    ],
    rows: runs.map((run) => [
      SHARED_NAMES[run.shared],
      run.requests,
      run.failed,
      run.amplification,
      run.recoveredAfterMs ?? 'never',
    ]),
  }),

  settings: loadSettings,

  note: ({ horizonMs, capacityPerS, input }) => {
    const { strategy, herd } = input;
    return [
      `Requests come at regular intervals. The server stops for ${duration(herd.downMs)} at ${seconds(DOWN_FROM_MS)}. A ` +
        `client waits ${duration(TIMEOUT_MS)} for an answer, then retries, with ` +
        `${plural(strategy.maxAttempts, 'attempt')}${strategy.maxAttempts === Infinity ? '' : ' at most'}. The server ` +
        'also works on calls whose client no longer waits. All are answered from the end of the last second with a ' +
        'call that was rejected or late, if the next ' +
        `${duration(CALM_MS)} have none; otherwise never within ${duration(horizonMs)}.` +
        (capacityPerS < herd.capacityPerS
          ? ` Simulated with ${rate(capacityPerS)} instead of ${rate(herd.capacityPerS)}: the counts are smaller, their ` +
            'ratios nearly the same.'
          : ''),
    ];
  },
};

const SHORT: Readonly<Record<LoadRun['shared'], string>> = {
  none: 'Retries',
  single: 'No retries',
  budget: 'Budget',
  breaker: 'Breaker',
  both: 'Both',
};

/** The settings of both figures of the load, for exported pictures. */
export function loadSettings({ input }: LoadResult): string {
  const { strategy, herd } = input;
  return (
    `${strategyInWords({ strategy })}; new requests ${share(herd.demand)} of ${rate(herd.capacityPerS)}, server down for ` +
    `${duration(herd.downMs)}, clients wait ${duration(TIMEOUT_MS)}`
  );
}

function recovery({ recoveredAfterMs }: LoadRun, horizonMs: number, isShort: boolean): string {
  if (recoveredAfterMs !== undefined) return duration(recoveredAfterMs);
  return isShort ? 'never' : `never within ${duration(horizonMs)}`;
}

/** The two ends of the table. Rows may have the same number. */
function finding({ runs }: LoadResult): string {
  const [first] = runs;
  if (!first || runs.length < 5) return '';
  const fewest = Math.min(...runs.map(({ failed }) => failed));
  const least = runs.filter(({ failed }) => failed === fewest).map(({ shared }) => SHARED_NAMES[shared].toLowerCase());
  return (
    `Of ${count(first.requests)} requests, ${doing(first.failed, 'fail')} with retries and no protection. ` +
    (first.failed === fewest
      ? 'No row has fewer.'
      : `The fewest, ${count(fewest)}, fail with ${least.length === 1 ? 'this' : 'each of these'}: ${least.join('; ')}.`)
  );
}
