/** One 429 for all: what many workers do to a limit, by who learns of it. */
import { bars, barsHeight, type Column } from '../charts/bars';
import { html } from '../charts/dom';
import { count, doing, duration } from '../charts/format';
import type { FigureSpec } from '../charts/spec';
import { strategyInWords } from '../state/words';
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

const NAMES: Readonly<Record<Hints, readonly [name: string, short: string]>> = {
  ignored: ['Retry-After ignored', 'Ignored'],
  followed: ['Each follows its own', 'Each its own'],
  shared: ['Shared cooldown', 'Cooldown'],
};
const COLUMNS: readonly Column[] = [
  { head: 'jobs that fail', short: 'fail', width: 110, narrow: 60 },
  { head: 'requests rejected', short: 'rejected', width: 140, narrow: 70 },
  { head: 'last job ends after', short: 'ends', width: 150, narrow: 66 },
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

  draw: ({ runs, isShared }, width) =>
    bars(
      runs
        .filter(({ hints }) => isShared || hints !== 'shared')
        .map(({ hints, failed, rejected, endMs }) => ({
          id: hints,
          name: NAMES[hints][0],
          short: NAMES[hints][1],
          value: failed,
          cells: [
            { text: count(failed), bad: failed > 0 },
            { text: count(rejected) },
            { text: duration(Number(endMs.toPrecision(2))) },
          ],
          isChosen: hints === (isShared ? 'shared' : 'followed'),
        })),
      COLUMNS,
      width,
    ),

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
  const [ignored, followed, shared] = (['ignored', 'followed', 'shared'] as const).map((hints) =>
    runs.find((run) => run.hints === hints),
  );
  if (!ignored || !followed || !shared) return '';
  const fail = ({ failed }: RateLimitRun): string => (failed === 0 ? 'none fails' : doing(failed, 'fail'));
  const each =
    `Of ${count(JOBS_COUNT)} jobs ${fail(ignored)} if Retry-After is ignored, and ${fail(followed)} if each worker ` +
    'follows its own.';
  return isShared ? `${each} With a shared cooldown ${fail(shared)}.` : each;
}
