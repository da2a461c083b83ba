/** The price of an outage with each protection, in numbers. */
import { bars, barsHeight, type Column } from '../charts/bars';
import { count, doing, duration, plural, rate, share } from '../charts/format';
import { seconds } from '../charts/axis';
import type { FigureSpec } from '../charts/figure';
import { strategyInWords } from '../state/strategy';
import { CALM_MS, DOWN_FROM_MS, SHARED, TIMEOUT_MS, type LoadResult, type LoadRun, type Shared } from './compute';

/** Each row's name, where there is no room, and with one attempt: that is no retry, whatever is shared. */
const NAMES: Readonly<Record<Shared, readonly [name: string, short: string, one: string]>> = {
  none: ['Retries, no protection', 'Retries', 'One attempt, no protection'],
  single: ['No retries at all', 'No retries', 'One attempt'],
  budget: ['Retries with a budget', 'Budget', 'One attempt with a budget'],
  breaker: ['Retries with a breaker', 'Breaker', 'One attempt with a breaker'],
  both: ['Both', 'Both', 'Both'],
};
const COLUMNS: readonly Column[] = [
  ['failed requests', 100, 'failed', 58],
  ['calls per request', 120, 'calls', 58],
  ['until none is late', 145, 'until calm', 76],
];

export function nameOf(shared: Shared, { input }: Pick<LoadResult, 'input'>): string {
  return NAMES[shared][input.strategy.maxAttempts > 1 ? 0 : 2];
}

export const load: FigureSpec<LoadResult> = {
  id: 'load',
  title: 'How many requests fail?',
  finding,
  height: () => barsHeight(SHARED.length),

  draw(result, width) {
    const rows = result.runs.map((run) => ({
      id: run.shared,
      names: [nameOf(run.shared, result), NAMES[run.shared][1]] as const,
      value: run.failed,
      cells: [
        { text: count(run.failed) },
        { text: run.amplification.toFixed(run.amplification < 9.95 ? 2 : 1) },
        { text: recovery(run, result), ...(run.recoveredAfterMs === undefined && { short: 'never', bad: true }) },
      ],
      isChosen: run.shared === result.run.shared,
    }));
    return bars(rows, COLUMNS, width);
  },

  describe: (result) =>
    result.runs
      .map((run) => `${nameOf(run.shared, result)}: ${count(run.failed)} failed, ${recovery(run, result)}.`)
      .join(' '),

  settings: loadSettings,

  note: ({ horizonMs, input }) => {
    const { strategy, herd } = input;
    const stop = `stops for ${duration(herd.downMs)} at ${seconds(DOWN_FROM_MS)}`;
    const then =
      strategy.maxAttempts === 1
        ? ''
        : `, then retries, with ${plural(strategy.maxAttempts, 'attempt')}${strategy.maxAttempts === Infinity ? '' : ' at most'}`;
    return [
      `Requests come at regular intervals. The server ${herd.downMs === 0 ? 'never stops' : stop}. A client waits ` +
        `${duration(TIMEOUT_MS)} for an answer${then}. The server also works on calls whose client no longer waits. ` +
        'None is late from the end of the last second with a call that was rejected or late, if the next ' +
        `${duration(CALM_MS)} have none; otherwise never within ${duration(horizonMs)}.`,
    ];
  },
};

/** The settings of both figures of the load, for exported pictures. */
export function loadSettings({ input }: Pick<LoadResult, 'input'>): string {
  const { strategy, herd } = input;
  return (
    `${strategyInWords(strategy)}; new requests ${share(herd.demand)} of ${rate(herd.capacityPerS)}, server down for ` +
    `${duration(herd.downMs)}, ${share(herd.failing)} of the answers fail, clients wait ${duration(TIMEOUT_MS)}`
  );
}

function recovery({ recoveredAfterMs }: LoadRun, { horizonMs }: LoadResult): string {
  return recoveredAfterMs === undefined ? `never within ${duration(horizonMs)}` : duration(recoveredAfterMs);
}

/** The two ends of the table. Rows may have the same number. */
export function finding(result: LoadResult): string {
  const { runs } = result;
  const [first] = runs;
  if (!first || runs.length < SHARED.length) return '';
  const fewest = Math.min(...runs.map(({ failed }) => failed));
  const least = runs.filter(({ failed }) => failed === fewest);
  const all = `Of ${count(first.requests)} requests, `;
  if (least.length === runs.length) return `${all}${doing(fewest, 'fail')} in every row.`;
  const names = least.map(({ shared }) => nameOf(shared, result).toLowerCase()).join('; ');
  const most = `${all}${doing(first.failed, 'fail')} with ${nameOf('none', result).toLowerCase()}. `;
  return first.failed === fewest ? `${most}No row has fewer.` : `${most}The fewest, ${count(fewest)}: ${names}.`;
}
