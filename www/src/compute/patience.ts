/** The fate of the clients with one policy, and how many attempts it would need. */
import { simulateOutage, timeToServeMs } from 'rejitter/lab';
import { policyOf, type Strategy } from '../state/strategy';
import { endlessMs, outageOptions, stops, type OutageInput } from './outage';
import { resultOf, type Pace } from './pace';

export interface Fate {
  readonly strategy: Strategy;
  readonly served: number;
  readonly gaveUp: number;
  readonly lastServedMs: number | undefined;
  readonly callsPerClient: number;
  /** When 99% of the clients had been served; Infinity if they never were. */
  readonly enoughMs: number;
  /** Whether the run was stopped because of its number of calls: then there are more. */
  readonly isCut: boolean;
}

export const MOST_ATTEMPTS = 30;
/** The share of the clients that must be served. */
export const ENOUGH = 0.99;
/** A run that makes more calls, per client and in all, is stopped: it is no remedy. */
const [MOST_CALLS_PER_CLIENT, MOST_CALLS] = [150, 1_000_000];
/** Long enough for every policy that stops. */
const HORIZON_MS = 10_000_000;

export async function fateOf(
  { herd, seed }: { readonly herd: OutageInput['herd']; readonly seed: number | string },
  strategy: Strategy,
  pace: Pace,
  most = Math.min(MOST_CALLS_PER_CLIENT * herd.clients, MOST_CALLS),
): Promise<Fate> {
  const simulation = simulateOutage(policyOf(strategy), {
    ...outageOptions(herd),
    horizonMs: stops(strategy) ? HORIZON_MS : endlessMs(herd),
    traced: 0,
    seed,
  });
  const result = await resultOf(simulation, pace, most);
  const { servedMs, giveUps, meanAttempts, isCut } = result;
  return {
    strategy,
    served: servedMs.length,
    gaveUp: giveUps,
    lastServedMs: servedMs.at(-1),
    callsPerClient: meanAttempts,
    enoughMs: timeToServeMs(result, ENOUGH) ?? Infinity,
    isCut,
  };
}

export function isEnough({ herd }: Pick<OutageInput, 'herd'>, { served }: Pick<Fate, 'served'>): boolean {
  return served >= ENOUGH * herd.clients;
}

/**
 * The least number of attempts with which nearly all are served; `deadline` if it is the deadline that ends them too
 * early; `more` if the most attempts that are tried do not help.
 */
export type Needs = number | 'deadline' | 'more';

export async function attemptsNeeded(input: OutageInput, pace: Pace): Promise<Needs> {
  const { strategy } = input;
  for (let maxAttempts = strategy.maxAttempts + 1; maxAttempts <= MOST_ATTEMPTS; maxAttempts++) {
    if (isEnough(input, await fateOf(input, { ...strategy, maxAttempts }, pace))) return maxAttempts;
  }
  if (strategy.totalTimeoutMs === Infinity) return 'more';
  const maxAttempts = Math.max(strategy.maxAttempts, MOST_ATTEMPTS);
  const endless = await fateOf(input, { ...strategy, maxAttempts, totalTimeoutMs: Infinity }, pace);
  return isEnough(input, endless) ? 'deadline' : 'more';
}
