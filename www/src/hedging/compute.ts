/**
 * Hedges: a second attempt while a slow one is running. Where no attempt waits for another they cut the tail; on
 * servers they are load, and more load makes more attempts slow.
 */
import { simulateHedging, type HedgingOptions, type HedgingResult } from 'rejitter/lab';
import { createPace, resultOf } from '../compute/pace';

/** The package's default. */
export const MAX_RATIO = 0.1;

/** Many, for the few of them that are in the tail. */
export const REQUESTS = 500_000;
/** Most attempts are quick, some are not: exponential times, the slow ones after a pause. */
export const SERVICE = { meanMs: 20, slowShare: 0.05, slowFromMs: 500, slowMeanMs: 500 } as const;
/** Delays of a hedge, in ms; the slider has the same stops. */
export const DELAYS: readonly number[] = [10, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500, 1000];

export interface TailInput {
  readonly delayMs: number;
  readonly seed: number;
}

export type TailRun = Omit<HedgingResult, 'exact'> & { readonly exact: NonNullable<HedgingResult['exact']> };

export interface TailResult {
  readonly input: TailInput;
  readonly plain: TailRun;
  readonly hedged: TailRun;
}

export async function tail(
  { delayMs, seed }: TailInput,
  _report: (partial: TailResult) => void,
  signal: AbortSignal,
): Promise<TailResult> {
  const pace = createPace(signal);
  const options = (hedgeMs?: number): HedgingOptions => ({
    requests: REQUESTS,
    service: SERVICE,
    ...(hedgeMs !== undefined && { hedge: { delayMs: hedgeMs, maxRatio: Infinity } }),
    seed,
  });
  const run = async (hedgeMs?: number): Promise<TailRun> =>
    exactly(await resultOf(simulateHedging(options(hedgeMs)), pace));
  return { input: { delayMs, seed }, plain: await run(), hedged: await run(delayMs) };
}

/** Without load, the package knows the curve. */
function exactly(result: HedgingResult): TailRun {
  const { exact } = result;
  if (!exact) throw new Error('simulateHedging must know the exact curve of requests that never wait for each other');
  return { ...result, exact };
}

/** The servers that the hedges share, and the requests at each utilisation. */
export const SERVED = 100_000;
export const SERVERS = 10;
export const MEAN_MS = 10;
export const HEDGE_MS = 50;

/** The limit of the hedges: none are sent, the default, or as many as there are slow attempts. */
export type Hedges = 'none' | 'limited' | 'unlimited';
export const HEDGES: readonly Hedges[] = ['none', 'limited', 'unlimited'];
const MAX_RATIOS: Readonly<Record<Hedges, number | undefined>> = {
  none: undefined,
  limited: MAX_RATIO,
  unlimited: Infinity,
};

/** Parts of the servers' time that the requests need without hedges; the slider has the same stops. */
export const UTILISATIONS: readonly number[] = Array.from({ length: 16 }, (_, i) => (20 + 5 * i) / 100);

export interface HedgingInput {
  readonly utilisations: readonly number[];
  readonly seed: number;
}

export interface HedgingPoint {
  readonly utilisation: number;
  readonly hedges: Hedges;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Hedges per request. */
  readonly extra: number;
}

export interface HedgingData {
  readonly input: HedgingInput;
  /** Ascending by utilisation. */
  readonly points: readonly HedgingPoint[];
}

/** A typed utilisation lies between two stops. */
export function utilisationsWith(chosen: number): readonly number[] {
  return ascending(UTILISATIONS, chosen);
}

export async function hedging(
  input: HedgingInput,
  report: (partial: HedgingData) => void,
  signal: AbortSignal,
): Promise<HedgingData> {
  const pace = createPace(signal);
  const points: HedgingPoint[] = [];
  for (const utilisation of input.utilisations) {
    if (points.length > 0) report({ input, points: [...points] });
    for (const hedges of HEDGES) {
      const maxRatio = MAX_RATIOS[hedges];
      const { p50Ms, p99Ms, totals } = await resultOf(
        simulateHedging({
          requests: SERVED,
          service: { meanMs: MEAN_MS, slowShare: 0 },
          ...(maxRatio !== undefined && { hedge: { delayMs: HEDGE_MS, maxRatio } }),
          load: { servers: SERVERS, utilisation },
          seed: input.seed,
        }),
        pace,
      );
      points.push({ utilisation, hedges, p50Ms, p99Ms, extra: totals.hedges / totals.requests });
    }
  }
  return { input, points };
}

function ascending(stops: readonly number[], chosen: number): readonly number[] {
  return [...new Set([...stops, chosen])].sort((a, b) => a - b);
}
