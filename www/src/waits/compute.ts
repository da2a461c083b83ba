/** The exact distribution of every wait, and the clients that it serves, for all cells of the grid. */
import type { RetryPolicy } from 'rejitter';
import { density, plan, sample, type Atom, type PlannedWait } from 'rejitter-lab';
import { fateOf, isEnough, rangeOf, type OutageInput, type Range } from '../compute/outage';
import type { Pace } from '../compute/pace';
import { MOST_WAITS, policyOf, waitsNothing, withChoice, type Choice, type Strategy } from '../state/strategy';

/** A planned wait, of which these are drawn: cells, and single waits. */
export interface Wait extends PlannedWait {
  /** Single waits where there are only whole slots, but for the atoms, at which clients meet again. */
  readonly slots: readonly Atom[];
  /** Three numbers a cell: where it starts and ends, and its probability. Empty for waits that are not drawn. */
  readonly cells: Float64Array;
}

export interface Distribution {
  readonly choice: Choice;
  /** The same for all that are drawn the same. */
  readonly key: string;
  /** Those that are drawn large have all of them, the cells those that are drawn. */
  readonly waits: readonly Wait[];
  /** When each retry of a large one comes, from the first attempt on: sums of sampled waits. */
  readonly landings: readonly Range[];
  /** Infinity if nothing limits the attempts. */
  readonly totalWorstMs: number;
}

/** The waits that are drawn; later ones hardly differ from the last of them. */
export const MOST_DRAWN = 10;
/** Operations that are sampled for the sums of the waits, which have no closed form. */
export const SAMPLED = 2000;

/** Cells of a curved piece. */
const RESOLUTION = 48;
/** Limit for drawing slots one by one. */
const MOST_SLOTS = 64;

/** The waits of a distribution that are drawn. */
export function drawnOf({ waits: all }: Pick<Distribution, 'waits'>): readonly Wait[] {
  return all.slice(0, MOST_DRAWN);
}

export interface WaitsInput {
  /** The chosen strategy, whose numbers the cells have. */
  readonly strategy: Strategy;
  readonly choices: readonly Choice[];
  /** Those that are drawn large. */
  readonly large: readonly Strategy[];
  readonly seed: number;
}

export async function waits({ strategy, choices, large: wanted, seed }: WaitsInput, pace: Pace) {
  // Cells that differ only in fields without effect are equal, and are computed once.
  const known = new Map<string, Omit<Distribution, 'choice'>>();
  const of = async (one: Strategy, ownSeed?: number): Promise<Distribution> => {
    // Without its deadline: whether a wait starts is another question than how long it is.
    const policy = policyOf({ ...one, totalTimeoutMs: Infinity });
    const key = `${ownSeed} ${JSON.stringify(policy)}`;
    const found = known.get(key) ?? distribution(key, policy, one.maxAttempts - 1, ownSeed);
    known.set(key, found);
    // The scene is computed at the same time, and comes first.
    await pace();
    return { choice: { backoff: one.backoff, jitter: one.jitter }, ...found };
  };
  const [large, cells]: [Distribution[], Distribution[]] = [[], []];
  for (const one of wanted) large.push(await of(one, seed));
  for (const choice of choices) cells.push({ ...(await of(withChoice(strategy, choice))), choice });
  return { cells, large };
}

/** `seed` is set for those that are drawn large. */
function distribution(
  key: string,
  policy: RetryPolicy,
  waits: number,
  seed: number | undefined,
): Omit<Distribution, 'choice'> {
  const count = Math.min(waits, seed === undefined ? MOST_DRAWN : MOST_WAITS);
  const planned = count === 0 ? [] : plan(policy, count);
  const worst = planned.at(-1)?.totalWorstMs ?? 0;
  return {
    key,
    waits: planned.map((wait) => ({ ...wait, ...shapeOf(policy, wait) })),
    landings: seed === undefined ? [] : landingsOf(policy, planned.slice(0, MOST_DRAWN), seed),
    totalWorstMs: waits === Infinity && worst > 0 ? Infinity : worst,
  };
}

function landingsOf(policy: RetryPolicy, planned: readonly PlannedWait[], seed: number): Range[] {
  const waits = planned.length;
  const [first] = planned;
  if (!first) return [];
  // The sum of one wait is that wait.
  const { p05: p5, p50, p95 } = first.quantiles;
  const sampled = sample(policy, { waits, operations: SAMPLED, seed });
  const sums = new Float64Array(SAMPLED);
  return Array.from({ length: waits }, (_, k) => {
    for (const i of sums.keys()) sums[i] = (sums[i] ?? 0) + (sampled[waits * i + k] ?? 0);
    return k === 0 ? { p5, p50, p95 } : rangeOf([...sums]);
  });
}

/** The exact distribution of a planned wait. */
function shapeOf(policy: RetryPolicy, wait: PlannedWait): Pick<Wait, 'slots' | 'cells'> {
  const { k, latticeMs } = wait;
  if (k > MOST_DRAWN) return { slots: [], cells: new Float64Array() };
  return latticeMs === undefined ? { slots: [], cells: density(policy, k, RESOLUTION) } : lattice(wait, latticeMs);
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

export interface CellFate {
  readonly choice: Choice;
  readonly served: number;
  /** Whether the run was stopped because of its number of calls. */
  readonly isCut: boolean;
  /** How many it would serve if a rejection cost a fifth less, where only then nearly all are. */
  readonly cheaply?: number;
}

/** The cost of a rejection with which a strategy that fails is tried once more. */
export const cheaper = (cost: number): number => 0.8 * cost;

/** A run with more calls is stopped. */
const MOST_CALLS = 600_000;

/** How many clients each strategy of the grid serves, in the scene's outage and with its seed. */
export async function fates(
  input: OutageInput & { readonly choices: readonly Choice[] },
  pace: Pace,
  report: (partial: readonly CellFate[]) => void,
): Promise<readonly CellFate[]> {
  const all: CellFate[] = [];
  for (const choice of input.choices) {
    const strategy = withChoice(input.strategy, choice);
    const fate = await fateOf(input, strategy, pace, MOST_CALLS);
    const { served, isCut } = fate;
    // Clients that come together fail by much.
    const mayBeNear = !isEnough(input, fate) && !isCut && choice.jitter !== 'none' && !waitsNothing(strategy);
    const herd = { ...input.herd, rejectionCost: cheaper(input.herd.rejectionCost) };
    const near = mayBeNear ? await fateOf({ ...input, herd }, strategy, pace, MOST_CALLS) : undefined;
    all.push({ choice, served, isCut, ...(near && isEnough(input, near) && { cheaply: near.served }) });
    if (all.length % 5 === 0) report([...all]);
  }
  return all;
}
