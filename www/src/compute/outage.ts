/** One outage for one strategy and one seed, where many of them are compared. */
import { simulateOutage, type OutageResult } from 'rejitter/lab';
import type { Choice, Strategy } from '../state/strategy';
import { WINDOW_MS, outageOptions, policyOf, simulatedSpan, type Outage } from './herd';
import type { Pace } from './pace';

export interface OutageInput {
  /** The chosen strategy; the one that is simulated has its numbers. */
  readonly strategy: Strategy;
  readonly herd: Outage;
}

/** A run that makes more calls than this, per client and in all, is stopped. */
const MOST_CALLS_PER_CLIENT = 150;
const MOST_CALLS = 1_000_000;

/** Counts calls per `WINDOW_MS`. `isCut` if the run was stopped because of its number of calls. */
export async function outageOf(
  { strategy, herd }: OutageInput,
  choice: Choice,
  seed: number | string,
  pace: Pace,
): Promise<OutageResult & { isCut: boolean }> {
  const { horizonMs } = simulatedSpan({ strategy, herd }, herd.limits);
  const simulation = simulateOutage(policyOf(strategy, choice, herd.limits), {
    ...outageOptions(herd),
    horizonMs,
    binMs: WINDOW_MS,
    traced: 0,
    seed,
  });
  try {
    const most = Math.min(MOST_CALLS_PER_CLIENT * herd.clients, MOST_CALLS);
    let { done, events } = { done: false, events: 0 };
    while (!done && events < most) {
      ({ done, events } = simulation.step(Math.min(50_000, most - events)));
      await pace();
    }
    return { ...simulation.result(), isCut: !done };
  } finally {
    simulation.free();
  }
}

/** The page's own seed, then others that depend on it. */
export function seedOf(seed: number, k: number): number | string {
  return k === 0 ? seed : `${seed}/${k}`;
}

export interface Range {
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
}

/** Percentiles by nearest rank: each is the value of a run. */
export function rangeOf(values: readonly number[]): Range {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? NaN;
  return { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
}
