/** What a budget and a breaker are for. */
import { count, doing, share } from '../charts/format';
import type { Story } from '../state/story';
import { INITIAL } from '../state/strategy';
import type { LoadResult, Shared } from './compute';

const failing = ({ runs }: LoadResult, shared: Shared): string =>
  doing(runs.find((run) => run.shared === shared)?.failed ?? 0, 'fail');
const NONE = {
  strategy: INITIAL,
  ...{ downMs: 2000, capacityPerS: 120, demand: 0.5, failing: 0 },
  ...{ retries: 'on' as const, protection: 'none' },
};

const steps: Story<LoadResult>['steps'] = [
  {
    state: NONE,
    next: 'From the start, in six steps',
    why: (result) =>
      `A server that is half idle pauses once, and ${failing(result, 'none')} of ${count(result.run.requests)} ` +
      'requests. The retries of those that waited keep the queue as long as it is.',
  },
  {
    state: { ...NONE, retries: 'off' },
    next: 'Stop all retries',
    why: (result) =>
      `Without retries ${failing(result, 'single')}: those of the pause and of its queue. For an outage, no retry is of ` +
      'any use here.',
  },
  {
    state: { ...NONE, protection: 'breaker' },
    next: 'Retry, with a breaker',
    why: (result) =>
      `With a breaker ${failing(result, 'breaker')}: it stops the calls until the queue is gone. Retries do no harm any ` +
      'more.',
  },
  {
    state: { ...NONE, failing: 0.05, retries: 'off' },
    next: 'Then why retry? Let 5% fail at random',
    why: (result) =>
      `${share(result.input.herd.failing)} of the answers are failures, outage or not: without retries ` +
      `${failing(result, 'single')}.`,
  },
  {
    state: { ...NONE, failing: 0.05, protection: 'budget' },
    next: 'Retry, with a budget',
    why: (result) =>
      `A retry meets another answer: with a budget ${failing(result, 'budget')}, with ` +
      `${result.run.amplification.toFixed(2)} calls per request. The budget pays for failures that are rare, and is ` +
      'empty in an outage.',
  },
  {
    state: { ...NONE, failing: 0.4, protection: 'budget' },
    next: 'Where a budget costs: 40% fail',
    why: (result) =>
      `Where failures are not rare, a budget has nothing left for most retries: ${failing(result, 'budget')} with it, ` +
      `${failing(result, 'breaker')} with a breaker alone.`,
  },
];

export const STORY: Story<LoadResult> = { parts: ['budget', 'breaker'], steps };
