/** A strategy that serves nearly all clients, for those whose own does not: that one is never given away. */
import { INITIAL } from '../state/strategy';
import { attemptsNeeded, fateOf, isEnough, type Fate, type OutageInput } from './outage';
import type { Pace } from './pace';

export type HandedOut = Awaited<ReturnType<typeof handOut>>;

export async function handOut(input: OutageInput, pace: Pace) {
  const own = await fateOf(input, input.strategy, pace);
  /** Set if the strategy serves too few, and there is one that serves nearly all. */
  const remedy = isEnough(input, own) ? undefined : await remedyOf(input, pace);
  return { input, own, remedy };
}

/** The last answer: it does not depend on the strategy, and the scene asks for it as well. */
let last: { readonly key: string; readonly fate: Fate | undefined } | undefined;

/** The recommended strategy with as many attempts as these clients need; undefined if more do not help. */
export async function remedyOf({ herd, seed }: OutageInput, pace: Pace): Promise<Fate | undefined> {
  const key = JSON.stringify([herd, seed]);
  if (last?.key !== key) last = { key, fate: await search({ herd, seed, strategy: INITIAL }, pace) };
  return last.fate;
}

async function search(input: OutageInput, pace: Pace): Promise<Fate | undefined> {
  const recommended = await fateOf(input, input.strategy, pace);
  if (isEnough(input, recommended)) return recommended;
  const maxAttempts = await attemptsNeeded(input, pace);
  return typeof maxAttempts === 'number' ? fateOf(input, { ...input.strategy, maxAttempts }, pace) : undefined;
}
