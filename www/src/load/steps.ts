/** What a budget and a breaker are for, in steps: each a state of the page, with what it shows. */
import { count, doing, share } from '../charts/format';
import type { State } from '../state/state';
import { INITIAL, sameStrategy } from '../state/strategy';
import type { LoadResult, Shared } from './compute';

export interface Step {
  readonly demand: number;
  readonly failing: number;
  readonly retries: State['protection']['retries'];
  readonly parts: string;
  /** The question that leads there. */
  readonly next: string;
  /** What it means, whatever the numbers come to. */
  readonly why: (result: LoadResult) => string;
}

const failed = ({ runs }: LoadResult, shared: Shared): number => runs.find((run) => run.shared === shared)?.failed ?? 0;
const requests = ({ run }: LoadResult): string => count(run.requests);

export const STEPS: readonly Step[] = [
  {
    demand: 0.5,
    failing: 0,
    retries: 'on',
    parts: 'none',
    next: 'From the start, in six steps',
    why: (result) =>
      `A server that is half idle pauses once, and ${doing(failed(result, 'none'), 'fail')} of ${requests(result)} ` +
      'requests. The retries of those that waited keep the queue as long as it is.',
  },
  {
    demand: 0.5,
    failing: 0,
    retries: 'off',
    parts: 'none',
    next: 'Stop all retries',
    why: (result) =>
      `Without retries ${doing(failed(result, 'single'), 'fail')}: those of the pause and of its queue. For an outage, ` +
      'no retry is of any use here.',
  },
  {
    demand: 0.5,
    failing: 0,
    retries: 'on',
    parts: 'breaker',
    next: 'Retry, with a breaker',
    why: (result) =>
      `With a breaker ${doing(failed(result, 'breaker'), 'fail')}: it stops the calls until the queue is gone. Retries ` +
      'do no harm any more.',
  },
  {
    demand: 0.5,
    failing: 0.05,
    retries: 'off',
    parts: 'none',
    next: 'Then why retry? Let 5% fail at random',
    why: (result) =>
      `${share(result.input.herd.failing)} of the answers are failures, outage or not: without retries ` +
      `${doing(failed(result, 'single'), 'fail')}.`,
  },
  {
    demand: 0.5,
    failing: 0.05,
    retries: 'on',
    parts: 'budget',
    next: 'Retry, with a budget',
    why: (result) =>
      `A retry meets another answer: with a budget ${doing(failed(result, 'budget'), 'fail')}, with ` +
      `${result.run.amplification.toFixed(2)} calls per request. The budget pays for failures that are rare, and is ` +
      'empty in an outage.',
  },
  {
    demand: 0.5,
    failing: 0.4,
    retries: 'on',
    parts: 'budget',
    next: 'Where a budget costs: 40% fail',
    why: (result) =>
      `Where failures are not rare, a budget has nothing left for most retries: ${doing(failed(result, 'budget'), 'fail')} ` +
      `with it, ${count(failed(result, 'breaker'))} with a breaker alone.`,
  },
];

/** The settings of a step, on the page's own server and policy. */
export function stateOf(
  { demand, failing, retries, parts }: Step,
  { herd }: State,
): Pick<State, 'strategy' | 'herd' | 'protection'> {
  return { strategy: INITIAL, herd: { ...herd, demand, failing }, protection: { retries, parts } };
}

/** The step that the page shows, or −1. */
export function stepOf({ strategy, herd, protection }: State): number {
  if (!sameStrategy(strategy, INITIAL)) return -1;
  return STEPS.findIndex(
    (step) =>
      step.demand === herd.demand &&
      step.failing === herd.failing &&
      step.retries === protection.retries &&
      step.parts === protection.parts,
  );
}
