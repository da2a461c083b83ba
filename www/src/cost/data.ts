/** The two costs of every strategy: the server's work and the clients' time; and which strategies no other beats. */
import { TARGET, recommend, type Costs, type Recommendation, type VerdictResult } from './compute';
import type { Outage } from '../compute/outage';
import type { Choice, Strategy } from '../state/strategy';

export interface CostData {
  /** Ascending by calls. */
  readonly costs: readonly Costs[];
  readonly chosen: Choice;
  readonly recommendation: Recommendation;
  /** Before this no strategy can have served 99%: outage + 99% of the clients / capacity. */
  readonly fastestMs: number;
  readonly seeds: number;
  readonly strategy: Strategy;
  readonly herd: Outage;
  readonly seed: number;
}

export function costData(result: VerdictResult): CostData {
  const { input, chosen, seeds } = result;
  const { clients, downMs, capacityPerS } = input.herd;
  const recommendation = recommend(result);
  const { pick, level, others } = recommendation;
  const costs = [...(pick ? [pick] : []), ...level, ...others].sort(
    (a, b) => a.callsPerClient.p50 - b.callsPerClient.p50,
  );
  return {
    costs,
    chosen,
    recommendation,
    fastestMs: downMs + (Math.ceil(TARGET * clients) / capacityPerS) * 1000,
    seeds,
    strategy: input.strategy,
    herd: input.herd,
    seed: input.seed,
  };
}

/** Whether 99% of the clients are served in the median run. */
export function reachesTarget({ timeMs }: Pick<Costs, 'timeMs'>): boolean {
  return timeMs.p50 !== Infinity;
}

type Medians = Pick<Costs, 'choice' | 'callsPerClient' | 'timeMs'>;

/**
 * The strategies that no other beats on both counts, ascending by calls. One that never serves 99% is not among them.
 */
export function front<C extends Medians>(costs: readonly C[]): C[] {
  const finite = costs.filter(reachesTarget);
  return finite
    .filter((cost) => !finite.some((other) => beats(other, cost)))
    .sort((a, b) => a.callsPerClient.p50 - b.callsPerClient.p50);
}

/** The front in groups of strategies that cost the same on both counts. */
export function levels<C extends Medians>(costs: readonly C[]): C[][] {
  const groups: C[][] = [];
  for (const cost of front(costs)) {
    const level = groups.find(([first]) => first && !differs(first, cost));
    if (level) level.push(cost);
    else groups.push([cost]);
  }
  return groups;
}

function differs(a: Medians, b: Medians): boolean {
  return digits(a.callsPerClient.p50) !== digits(b.callsPerClient.p50) || digits(a.timeMs.p50) !== digits(b.timeMs.p50);
}

/** Whether one is at least as good on both counts, and better on one. */
export function beats(a: Medians, b: Medians): boolean {
  const [aCalls, bCalls] = [digits(a.callsPerClient.p50), digits(b.callsPerClient.p50)];
  const [aMs, bMs] = [digits(a.timeMs.p50), digits(b.timeMs.p50)];
  return aCalls <= bCalls && aMs <= bMs && (aCalls < bCalls || aMs < bMs);
}

/** Three, as the page writes numbers: a strategy that is some ms ahead by chance beats no other. */
function digits(value: number): number {
  return value === Infinity ? value : Number(value.toPrecision(3));
}
