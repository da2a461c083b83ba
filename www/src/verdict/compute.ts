/**
 * Which strategy to pick for the outage: each of them over many seeds, because the two costs of one run are partly
 * chance; and a recommendation that says how often it is the best.
 */
import { ENOUGH, fateOf, rangeOf, seedOf, type Fate, type OutageInput } from '../compute/outage';
import type { Pace } from '../compute/pace';
import { BACKOFFS, JITTERS, keyOf, withChoice, type Choice, type Strategy } from '../state/strategy';

/** What counts of one run. */
type Run = Pick<Fate, 'served' | 'callsPerClient' | 'enoughMs'>;

export interface VerdictResult {
  /** The chosen strategy gives its numbers to all others. */
  readonly input: OutageInput;
  /** In the order of the grid; a chosen strategy outside the grid comes last. Runs by seed, in the same order. */
  readonly contenders: readonly { readonly choice: Choice; readonly runs: readonly Run[]; readonly isCut: boolean }[];
  /** The contender that behaves like the chosen strategy. */
  readonly chosen: Choice;
  /** Runs of each contender. */
  readonly seeds: number;
}

export const SEEDS = 30;
/** Many clients are simulated with fewer seeds. */
const LEAST_SEEDS = 5;
/** Calls in all, one or two seconds of work. */
const MOST_CALLS = 24_000_000;

export async function verdict(
  input: OutageInput,
  pace: Pace,
  report: (partial: VerdictResult) => void,
): Promise<VerdictResult> {
  const { choices, chosen } = contendersOf(input.strategy);
  const runs: Fate[][] = choices.map(() => []);
  const result = (seeds: number): VerdictResult => ({
    input,
    contenders: choices.map((choice, i) => {
      const own = runs[i] ?? [];
      return { choice, runs: [...own], isCut: own.some(({ isCut }) => isCut) };
    }),
    chosen,
    seeds,
  });
  let calls = 0;
  for (let k = 0; k < SEEDS; k++) {
    for (const [i, choice] of choices.entries()) {
      const { herd, seed } = input;
      const fate = await fateOf({ herd, seed: seedOf(seed, k) }, withChoice(input.strategy, choice), pace);
      runs[i]?.push(fate);
      calls += fate.callsPerClient * herd.clients;
    }
    const seeds = k + 1;
    if (seeds === SEEDS || (seeds >= LEAST_SEEDS && (calls * (seeds + 1)) / seeds > MOST_CALLS)) return result(seeds);
    report(result(seeds));
  }
  return result(SEEDS);
}

/** Each backoff with each jitter, each behaviour once, and the chosen strategy. */
export function contendersOf(strategy: Strategy): { choices: Choice[]; chosen: Choice } {
  const all = BACKOFFS.flatMap((backoff) => JITTERS.map((jitter) => ({ backoff, jitter })));
  const byPolicy = new Map<string, Choice>();
  for (const { backoff, jitter } of [...all, strategy]) {
    const key = keyOf(withChoice(strategy, { backoff, jitter }));
    if (!byPolicy.has(key)) byPolicy.set(key, { backoff, jitter });
  }
  const chosen = byPolicy.get(keyOf(strategy)) ?? strategy;
  return { choices: [...byPolicy.values()], chosen };
}

const TOLERANCE = 1.01;

export type Costs = ReturnType<typeof recommend>['others'][number];

/**
 * The best strategy, those that are level with it, and all others from the better ones on; no best one if none serves a
 * client. More clients served is better, up to 99% of them. Strategies that serve these are compared by the product of
 * both costs, so that one percent of the calls weighs as much as one percent of the time.
 */
export function recommend({ contenders, seeds, input }: Omit<VerdictResult, 'chosen'>) {
  const target = Math.ceil(ENOUGH * input.herd.clients);
  const best = Array.from({ length: seeds }, (_, k) =>
    contenders.map(({ runs }) => runs[k]).reduce((a, b) => (!a || (b && compare(b, a, target) < 0) ? b : a)),
  );
  const costs = contenders.map(({ choice, runs, isCut }) => ({
    choice,
    served: rangeOf(runs.map((run) => run.served)),
    callsPerClient: rangeOf(runs.map((run) => run.callsPerClient)),
    enoughMs: rangeOf(runs.map((run) => run.enoughMs)),
    isCut,
    /** The seeds in which no other strategy is better by more than one percent. */
    bestIn: runs.filter((run, k) => isLevel(run, best[k] ?? run, target)).length,
  }));
  const medianOf = ({ served, callsPerClient, enoughMs }: (typeof costs)[number]): Run => ({
    served: served.p50,
    callsPerClient: callsPerClient.p50,
    enoughMs: enoughMs.p50,
  });
  const [pick, ...rest] = costs.toSorted((a, b) => compare(medianOf(a), medianOf(b), target));
  if (!pick || pick.served.p50 === 0) return { pick: undefined, level: [], others: costs };
  // Others that are among the best in more than a tenth of the seeds: the difference is noise.
  const isNoise = ({ bestIn }: typeof pick): boolean => bestIn > seeds / 10;
  return { pick, level: rest.filter(isNoise), others: rest.filter((one) => !isNoise(one)) };
}

/** Below 0 if `a` is better. */
function compare(a: Run, b: Run, target: number): number {
  const [aServed, bServed] = [Math.min(a.served, target), Math.min(b.served, target)];
  return bServed - aServed || score(a) - score(b);
}

function isLevel(run: Run, best: Run, target: number): boolean {
  return Math.min(run.served, target) === Math.min(best.served, target) && score(run) <= TOLERANCE * score(best);
}

/** Where 99% are never served, the server's work alone counts. */
function score({ callsPerClient, enoughMs }: Run): number {
  return enoughMs === Infinity ? callsPerClient : callsPerClient * enoughMs;
}
