/** The exact distribution of every wait, for all cells of the grid. */
import type { RetryPolicy } from 'rejitter';
import { density, plan, type Atom } from 'rejitter/lab';
import { policyOf, withChoice, type Choice, type Strategy } from '../state/strategy';

export interface Wait {
  /** 1 for the wait after the first attempt. */
  readonly k: number;
  readonly loMs: number;
  readonly hiMs: number;
  readonly meanMs: number;
  readonly p05Ms: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly atoms: readonly Atom[];
  /** Three numbers a cell: where it begins and ends, and the probability of a wait in it. */
  readonly cells: Float64Array;
}

export interface Distribution {
  readonly choice: Choice;
  readonly waits: readonly Wait[];
  readonly totalMeanMs: number;
  readonly totalWorstMs: number;
}

/** Cells of a curved piece: as fine as a small drawing shows. */
const RESOLUTION = 48;

export interface WaitsInput {
  /** The others have its numbers. */
  readonly strategy: Strategy;
  readonly choices: readonly Choice[];
}

export function waits({ strategy, choices }: WaitsInput): readonly Distribution[] {
  // Cells that differ in what does not act are equal, and are computed once.
  const known = new Map<string, Omit<Distribution, 'choice'>>();
  return choices.map((choice) => {
    // Without its deadline: whether a wait is made is another question than how long it is.
    const policy = policyOf({ ...withChoice(strategy, choice), totalTimeoutMs: Infinity });
    const key = JSON.stringify(policy);
    const found = known.get(key) ?? distribution(policy);
    known.set(key, found);
    return { choice, ...found };
  });
}

function distribution(policy: RetryPolicy): Omit<Distribution, 'choice'> {
  const planned = plan(policy);
  const last = planned.at(-1);
  return {
    waits: planned.map(({ k, loMs, hiMs, meanMs, quantiles, atoms }) => ({
      k,
      loMs,
      hiMs,
      meanMs,
      p05Ms: quantiles.p05,
      p50Ms: quantiles.p50,
      p95Ms: quantiles.p95,
      atoms,
      cells: density(policy, k, RESOLUTION),
    })),
    totalMeanMs: last?.totalMeanMs ?? 0,
    totalWorstMs: last?.totalWorstMs ?? 0,
  };
}
