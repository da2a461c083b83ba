/** Hedges: a second attempt while a slow one is running. Where no attempt waits for another they cut the tail. */
import { simulateHedging, type HedgingOptions, type HedgingResult } from 'rejitter-lab';

/** The package's default of `maxRatio`. */
export const MAX_RATIO = 0.1;

/** Most attempts are quick, some are not: exponential times, the slow ones after a pause. */
export const SERVICE = { meanMs: 20, slowShare: 0.05, slowFromMs: 500, slowMeanMs: 500 } as const;

export type TailResult = ReturnType<typeof tail>;

export function tail(input: { readonly delayMs: number }) {
  return { input, plain: exactOf(), hedged: exactOf({ delayMs: input.delayMs, maxRatio: Infinity }) };
}

/** Without load, the package knows the curve before any request. */
function exactOf(hedge?: HedgingOptions['hedge']) {
  const simulation = simulateHedging({ service: SERVICE, ...(hedge && { hedge }) });
  const { timesMs, exact } = simulation.result();
  simulation.free();
  return { ...(exact as NonNullable<HedgingResult['exact']>), timesMs };
}
