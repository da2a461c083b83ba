/** The fate of a policy in the outage of the page, and the one change that would serve nearly all. */
import { attemptsNeeded, fateOf, isEnough, type Fate, type OutageInput } from '../compute/outage';
import { createPace } from '../compute/pace';
import type { Strategy } from '../state/strategy';

export interface ChangeResult {
  readonly input: OutageInput;
  readonly now: Fate;
  /** The fate with other options; undefined if nearly all are served as it is, or no such change is of use. */
  readonly changed: Fate | undefined;
}

/** First jitter alone, then patience alone, then both. */
export async function change(
  input: OutageInput,
  _report: (partial: ChangeResult) => void,
  signal: AbortSignal,
): Promise<ChangeResult> {
  const pace = createPace(signal);
  const now = await fateOf(input, input.strategy, pace);
  if (isEnough(input, now)) return { input, now, changed: undefined };
  /** With more attempts; without the deadline only if no number of attempts before it is enough. */
  const patient = async (strategy: Strategy): Promise<Strategy | undefined> => {
    const needs = await attemptsNeeded({ ...input, strategy }, pace);
    if (typeof needs === 'number') return { ...strategy, maxAttempts: needs };
    const endless = { ...strategy, totalTimeoutMs: Infinity };
    if (needs === 'more') return undefined;
    return isEnough(input, await fateOf(input, endless, pace)) ? endless : patient(endless);
  };
  const apart: Strategy = { ...input.strategy, jitter: 'full' };
  const candidates = [
    () => (input.strategy.jitter === 'none' ? apart : undefined),
    () => patient(input.strategy),
    () => (input.strategy.jitter === 'full' ? undefined : patient(apart)),
  ];
  // Each only if the one before is of no use: the search for attempts takes long.
  for (const candidate of candidates) {
    const strategy = await candidate();
    const fate = strategy && (await fateOf(input, strategy, pace));
    if (fate && isEnough(input, fate)) return { input, now, changed: fate };
  }
  return { input, now, changed: undefined };
}
