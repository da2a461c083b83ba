/** The exact distribution of every wait, for all cells of the grid. */
import type { RetryPolicy } from 'rejitter';
import { density, plan, type Atom, type PlannedWait } from 'rejitter/lab';
import { policyOf, sameChoice, withChoice, type Choice, type Strategy } from '../state/strategy';

export interface Wait {
  /** 1 for the wait after the first attempt. */
  readonly k: number;
  readonly loMs: number;
  readonly hiMs: number;
  readonly meanMs: number;
  readonly p05Ms: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Waits of positive probability, at which clients meet again. */
  readonly atoms: readonly Atom[];
  /** Other single waits, where there are only whole slots. */
  readonly slots: readonly Atom[];
  /**
   * Three numbers a cell: where it starts and ends, and the probability of a wait in it. Empty for waits that are not
   * drawn.
   */
  readonly cells: Float64Array;
}

export interface Distribution {
  readonly choice: Choice;
  /** The chosen strategy has all of them, the others those that are drawn. */
  readonly waits: readonly Wait[];
  /** Infinity if nothing limits the attempts. */
  readonly totalMeanMs: number;
  readonly totalWorstMs: number;
}

/** The waits that are drawn; later ones hardly differ from the last of them. */
export const MOST_DRAWN = 12;
/** Limit of the lab's plan. */
const MOST_PLANNED = 1000;

/** Cells of a curved piece: as fine as a small drawing shows. */
const RESOLUTION = 48;
/** Limit for drawing slots one by one. */
const MOST_SLOTS = 64;

export interface WaitsInput {
  /** The others have its numbers. */
  readonly strategy: Strategy;
  readonly choices: readonly Choice[];
}

export function waits({ strategy, choices }: WaitsInput): readonly Distribution[] {
  // Cells that differ only in fields without effect are equal, and are computed once.
  const known = new Map<string, Omit<Distribution, 'choice'>>();
  return choices.map((choice) => {
    // Without its deadline: whether a wait starts is another question than how long it is.
    const policy = policyOf({ ...withChoice(strategy, choice), totalTimeoutMs: Infinity });
    const isChosen = sameChoice(choice, strategy);
    const key = `${isChosen}${JSON.stringify(policy)}`;
    const found = known.get(key) ?? distribution(policy, strategy.maxAttempts - 1, isChosen);
    known.set(key, found);
    return { choice, ...found };
  });
}

function distribution(policy: RetryPolicy, waits: number, isChosen: boolean): Omit<Distribution, 'choice'> {
  const count = Math.min(waits, isChosen ? MOST_PLANNED : MOST_DRAWN);
  const planned = count === 0 ? [] : plan(policy, count);
  const last = planned.at(-1);
  const total = (sum: number | undefined): number => (waits === Infinity && (sum ?? 0) > 0 ? Infinity : (sum ?? 0));
  return {
    waits: planned.map((wait) => {
      const { k, loMs, hiMs, meanMs, quantiles } = wait;
      return {
        k,
        loMs,
        hiMs,
        meanMs,
        p05Ms: quantiles.p05,
        p50Ms: quantiles.p50,
        p95Ms: quantiles.p95,
        ...shapeOf(policy, wait),
      };
    }),
    totalMeanMs: total(last?.totalMeanMs),
    totalWorstMs: total(last?.totalWorstMs),
  };
}

/** The exact distribution of a planned wait. */
export function shapeOf(policy: RetryPolicy, wait: PlannedWait): Pick<Wait, 'atoms' | 'slots' | 'cells'> {
  const { k, atoms, latticeMs } = wait;
  if (k > MOST_DRAWN) return { atoms, slots: [], cells: new Float64Array() };
  return latticeMs === undefined
    ? { atoms, slots: [], cells: density(policy, k, RESOLUTION) }
    : { atoms, ...lattice(wait, latticeMs) };
}

/** Whole slots that are not atoms: one by one or, where they are too close to be seen apart, as a box. */
function lattice({ loMs, hiMs, atoms }: PlannedWait, stepMs: number): Pick<Wait, 'slots' | 'cells'> {
  const collecting = new Set(atoms.map(({ ms }) => ms));
  const first = Math.ceil(loMs / stepMs);
  const [from, to] = [collecting.has(first * stepMs) ? first + 1 : first, Math.floor(hiMs / stepMs)];
  const end = collecting.has(to * stepMs) ? to - 1 : to;
  const slots = end - from + 1;
  if (slots <= 0) return { slots: [], cells: new Float64Array() };
  const probability = 1 - atoms.reduce((sum, atom) => sum + atom.probability, 0);
  if (slots > MOST_SLOTS) return { slots: [], cells: Float64Array.of(from * stepMs, (end + 1) * stepMs, probability) };
  return {
    slots: Array.from({ length: slots }, (_, i) => ({ ms: (from + i) * stepMs, probability: probability / slots })),
    cells: new Float64Array(),
  };
}
