/** The fate of a herd with one policy, and how many attempts it would need. */
import { simulateOutage } from 'rejitter/lab';
import type { SceneInput } from '../scene/compute';
import { policyOf, type Strategy } from '../state/strategy';
import { boundOf, outageOptions } from './outage';
import { resultOf, type Pace } from './pace';

export interface Fate {
  readonly strategy: Strategy;
  readonly served: number;
  readonly gaveUp: number;
  readonly lastServedMs: number | undefined;
}

export const MOST_ATTEMPTS = 30;
/** The share of the clients that must be served. */
const ENOUGH = 0.99;
/** A run that makes more calls is stopped: it is no remedy. */
const MOST_CALLS_PER_CLIENT = 150;
/** Long enough for every policy that stops; one that does not gets the time of the scene. */
const [HORIZON_MS, ENDLESS_MS] = [10_000_000, 40_000];

export async function fateOf({ herd, seed }: SceneInput, strategy: Strategy, pace: Pace): Promise<Fate> {
  const ends = strategy.maxAttempts !== Infinity || strategy.totalTimeoutMs !== Infinity;
  const simulation = simulateOutage(policyOf(strategy), {
    ...outageOptions(herd),
    horizonMs: ends ? HORIZON_MS : Math.max(ENDLESS_MS, 20 * herd.downMs, 2 * boundOf(herd)),
    traced: 0,
    seed,
  });
  const { servedMs, giveUps } = await resultOf(simulation, pace, MOST_CALLS_PER_CLIENT * herd.clients);
  return { strategy, served: servedMs.length, gaveUp: giveUps, lastServedMs: servedMs.at(-1) };
}

export function isEnough({ herd }: SceneInput, { served }: Pick<Fate, 'served'>): boolean {
  return served >= ENOUGH * herd.clients;
}

/**
 * The least number of attempts with which nearly all are served; `deadline` if it is the deadline that ends them too
 * early; `more` if the most attempts that are tried do not help.
 */
export type Needs = number | 'deadline' | 'more';

export async function attemptsNeeded(input: SceneInput, pace: Pace): Promise<Needs> {
  const { strategy } = input;
  for (let maxAttempts = strategy.maxAttempts + 1; maxAttempts <= MOST_ATTEMPTS; maxAttempts++) {
    if (isEnough(input, await fateOf(input, { ...strategy, maxAttempts }, pace))) return maxAttempts;
  }
  if (strategy.totalTimeoutMs === Infinity) return 'more';
  const maxAttempts = Math.max(strategy.maxAttempts, MOST_ATTEMPTS);
  const endless = await fateOf(input, { ...strategy, maxAttempts, totalTimeoutMs: Infinity }, pace);
  return isEnough(input, endless) ? 'deadline' : 'more';
}
