/** A quota: what many workers do to it, by who learns of it, and when. */
import { bars, barsHeight, type Column } from '../charts/bars';
import type { FigureSpec } from '../charts/figure';
import { count, doing, duration } from '../charts/format';
import { strategyInWords } from '../state/strategy';
import { ATTEMPTS, JOBS_COUNT, WORKERS, type Kind, type RateLimitResult } from './compute';
import { LIMIT, WINDOW_MS } from './quota';

const NAMES: Readonly<Record<Kind, readonly [name: string, short: string]>> = {
  ignored: ['Retry-After ignored', 'Ignored'],
  followed: ['Each follows its own', 'Each its own'],
  shared: ['Shared cooldown', 'Cooldown'],
  whole: ['Limiter, not divided', 'Not divided'],
  limited: ['Limiter', 'Limiter'],
};
const COLUMNS: readonly Column[] = [
  ['jobs that fail', 90, 'fail', 60],
  ['requests rejected', 125, 'rejected', 70],
  ['last job ends after', 130, 'ends', 66],
];

export interface RateLimitData extends RateLimitResult {
  /** What the workers do now. */
  readonly chosen: Kind;
}

export const rateLimitFigure: FigureSpec<RateLimitData> = {
  id: 'rate-limit',
  title: 'One quota for all',
  finding,
  height: () => barsHeight(Object.keys(NAMES).length),

  draw({ runs, chosen }, width) {
    const rows = runs.map(({ kind, failed, rejected, endMs }) => ({
      id: kind,
      names: NAMES[kind],
      value: failed,
      cells: [{ text: count(failed), bad: failed > 0 }, { text: count(rejected) }, { text: endOf(endMs) }],
      isChosen: kind === chosen,
    }));
    return bars(rows, COLUMNS, width);
  },

  note: ({ input: { processes } }) => [
    `${count(JOBS_COUNT)} jobs and ${inProcesses(processes)} against a server that accepts ${LIMIT} requests per ` +
      `${duration(WINDOW_MS)}, and answers the others with 429 and Retry-After. Each job has ${ATTEMPTS} attempts.` +
      (processes > 1 ? ' Each process has a limiter of its share; not divided, one of the whole quota.' : ''),
  ],

  settings: ({ input }) =>
    `${count(JOBS_COUNT)} jobs, ${inProcesses(input.processes)}, ${LIMIT} requests per ${duration(WINDOW_MS)}; ` +
    strategyInWords({ ...input.strategy, maxAttempts: ATTEMPTS, totalTimeoutMs: Infinity }),
};

const inProcesses = (processes: number): string =>
  processes === 1 ? `${WORKERS} workers` : `${WORKERS} workers in ${processes}\u00a0processes`;

export function endOf(ms: number): string {
  return duration(Number(ms.toPrecision(2)));
}

export function failing({ runs }: RateLimitResult, kind: Kind): string {
  const { failed } = runs.find((run) => run.kind === kind) ?? { failed: 0 };
  return failed === 0 ? 'none fails' : doing(failed, 'fail');
}

/** The jobs that fail, by who learns of the quota. */
export function finding(data: RateLimitResult): string {
  const fail = (kind: Kind): string => failing(data, kind);
  return (
    `Of ${count(JOBS_COUNT)} jobs ${fail('ignored')} if Retry-After is ignored, ${fail('followed')} if each worker ` +
    `follows its own, ${fail('shared')} with a shared cooldown, and ${fail('limited')} with a limiter.`
  );
}
