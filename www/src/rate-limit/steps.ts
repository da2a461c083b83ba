/** What a limiter is for: a quota that one process has for itself, and ten share, without a limiter and with it. */
import { count, rate } from '../charts/format';
import type { Story } from '../state/story';
import { INITIAL } from '../state/strategy';
import type { RateLimitResult } from './compute';
import { endOf, failing } from './figure';
import { LIMIT, WINDOW_MS } from './quota';

const ONE = { strategy: INITIAL, processes: 1, protection: 'none' };

function rejected({ runs }: RateLimitResult, kind: string): string {
  const n = runs.find((run) => run.kind === kind)?.rejected ?? 0;
  return n === 0 ? 'no request is rejected' : `${count(n)} ${n === 1 ? 'request is' : 'requests are'} rejected`;
}
const ended = ({ runs }: RateLimitResult, kind: string): string =>
  endOf(runs.find((run) => run.kind === kind)?.endMs ?? 0);

const steps: Story<RateLimitResult>['steps'] = [
  {
    state: ONE,
    next: 'From the start, in four steps',
    why: (result) =>
      `Workers learn of a quota by the 429s of those that exceed it: ${rejected(result, 'followed')}, and ` +
      `${failing(result, 'followed')}.`,
  },
  {
    state: { ...ONE, protection: 'limiter' },
    next: 'Keep the quota, with a limiter',
    why: (result) =>
      `A limiter does not cause them: ${rejected(result, 'limited')}, ${failing(result, 'limited')}, and at ` +
      `${rate((1000 * LIMIT) / WINDOW_MS)} the last job ends after ${ended(result, 'limited')}.`,
  },
  {
    state: { ...ONE, processes: 10 },
    next: 'Ten processes, without',
    why: (result) =>
      `Ten processes share the quota and nothing else. Without a limiter that is as in one: ` +
      `${failing(result, 'followed')}.`,
  },
  {
    state: { ...ONE, processes: 10, protection: 'limiter' },
    next: 'Divide it, with a limiter in each',
    why: (result) =>
      `A limiter knows its own process. With the whole quota in each ${failing(result, 'whole')}, with a tenth ` +
      `${failing(result, 'limited')}: divide it, or ask one limiter for all.`,
  },
];

export const QUOTA_STORY: Story<RateLimitResult> = { parts: ['cooldown', 'limiter'], steps };
