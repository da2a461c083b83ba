/** Hedges: a second attempt while a slow one is running. Where no attempt waits for another they cut the tail. */
import { simulateHedging, type HedgingOptions, type HedgingResult } from 'rejitter-lab';
import { resultOf, type Pace } from '../compute/pace';

/** The package's default of `maxRatio`. */
export const MAX_RATIO = 0.1;

/** Requests of a simulation: many, for the few of them that are in the tail. */
export const REQUESTS = 500_000;
/** Most attempts are quick, some are not: exponential times, the slow ones after a pause. */
export const SERVICE = { meanMs: 20, slowShare: 0.05, slowFromMs: 500, slowMeanMs: 500 } as const;

/** Without load, the package knows the exact curve. */
export type TailRun = HedgingResult & { readonly exact: NonNullable<HedgingResult['exact']> };
export type TailResult = Awaited<ReturnType<typeof tail>>;

export async function tail(input: { readonly delayMs: number; readonly seed: number }, pace: Pace) {
  const run = async (hedge?: HedgingOptions['hedge']): Promise<TailRun> => {
    const options = { requests: REQUESTS, service: SERVICE, ...(hedge && { hedge }), seed: input.seed };
    return (await resultOf(simulateHedging(options), pace)) as TailRun & { isCut: boolean };
  };
  return { input, plain: await run(), hedged: await run({ delayMs: input.delayMs, maxRatio: Infinity }) };
}
