/** One 429 for all: what many workers do to a limit, by who learns of it. */
import { bars, barsHeight, type Column } from '../charts/bars';
import { html } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, doing, duration } from '../charts/format';
import { strategyInWords } from '../state/strategy';
import { ATTEMPTS, JOBS_COUNT, LIMIT, WINDOW_MS, WORKERS, type RateLimitResult } from './compute';

const NAMES = {
  ignored: ['Retry-After ignored', 'Ignored'],
  followed: ['Each follows its own', 'Each its own'],
  shared: ['Shared cooldown', 'Cooldown'],
} as const;
const COLUMNS: readonly Column[] = [
  ['jobs that fail', 90, 'fail', 60],
  ['requests rejected', 125, 'rejected', 70],
  ['last job ends after', 130, 'ends', 66],
];

/** The rows that are shown: with a shared cooldown only if it is chosen. */
export interface RateLimitData extends RateLimitResult {
  readonly isShared: boolean;
}

export const rateLimitFigure: FigureSpec<RateLimitData> = {
  id: 'rate-limit',
  title: 'One 429 for all',
  subtitle: (data) => [html('b', { class: 'finding' }, finding(data))],
  height: () => barsHeight(3),

  draw({ runs, isShared }, width) {
    const shown = runs.filter(({ hints }) => isShared || hints !== 'shared');
    const rows = shown.map(({ hints, failed, rejected, endMs }) => ({
      id: hints,
      names: NAMES[hints],
      value: failed,
      cells: [
        { text: count(failed), bad: failed > 0 },
        { text: count(rejected) },
        { text: duration(Number(endMs.toPrecision(2))) },
      ],
      isChosen: hints === (isShared ? 'shared' : 'followed'),
    }));
    return bars(rows, COLUMNS, width);
  },

  describe: (data) => finding(data),

  note: () => [
    `${count(JOBS_COUNT)} jobs and ${WORKERS} workers against a server that accepts ${LIMIT} requests per ` +
      `${duration(WINDOW_MS)}, and answers the others with 429 and Retry-After. Each job has ${ATTEMPTS} attempts.`,
  ],

  settings: ({ input }) =>
    `${count(JOBS_COUNT)} jobs, ${WORKERS} workers, ${LIMIT} requests per ${duration(WINDOW_MS)}; ` +
    strategyInWords({ ...input.strategy, maxAttempts: ATTEMPTS, totalTimeoutMs: Infinity }),
};

/** The jobs that fail, by who follows the hints. */
export function finding({ runs, isShared }: RateLimitData): string {
  const fail = (hints: keyof typeof NAMES): string => {
    const { failed } = runs.find((run) => run.hints === hints) ?? { failed: 0 };
    return failed === 0 ? 'none fails' : doing(failed, 'fail');
  };
  const each =
    `Of ${count(JOBS_COUNT)} jobs ${fail('ignored')} if Retry-After is ignored, and ${fail('followed')} if each worker ` +
    'follows its own.';
  return isShared ? `${each} With a shared cooldown ${fail('shared')}.` : each;
}
