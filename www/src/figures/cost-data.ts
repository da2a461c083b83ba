/** The two costs of every strategy: the server's work and the clients' time; and which strategies no other beats. */
import type { HerdResult } from '../compute/herd';
import { CHOICES, curveActs, sameChoice, type Choice } from '../state/strategy';

export interface Cost {
  readonly choice: Choice;
  /** Calls that the server must answer per client. */
  readonly callsPerClient: number;
  /** Until 99 % of the clients are served; undefined if they never are. */
  readonly servedMs: number | undefined;
  /** How long that was looked at. */
  readonly untilMs: number;
}

export interface CostData {
  /** Ascending by calls. */
  readonly costs: readonly Cost[];
  readonly chosen: Choice;
  readonly horizonMs: number;
  /** Before this no strategy can have served 99 %: outage + 99 % of the clients / capacity. */
  readonly fastestMs: number;
  readonly clients: number;
  readonly seed: number;
}

export function costData({ input, horizonMs, runs }: HerdResult): CostData {
  const { clients, downMs, capacityPerS } = input.herd;
  const costs = runs
    .filter(({ choice }) => sameChoice(choice, representative(choice)))
    .map(({ choice, meanAttempts, timeTo99Ms, untilMs }) => ({ choice, callsPerClient: meanAttempts, servedMs: timeTo99Ms, untilMs }))
    .sort((a, b) => a.callsPerClient - b.callsPerClient);
  return {
    costs,
    chosen: representative(input.strategy),
    horizonMs,
    fastestMs: downMs + (Math.ceil(0.99 * clients) / capacityPerS) * 1000,
    clients,
    seed: input.seed,
  };
}

/** Where the backoff does not act, all strategies of a jitter are one: the first. */
function representative(choice: Choice): Choice {
  return curveActs(choice) ? choice : (CHOICES.find(({ jitter }) => jitter === choice.jitter) ?? choice);
}

/** The strategies that no other beats on both counts, ascending by calls; who never finishes is not one. */
export function front(costs: readonly Cost[]): Cost[] {
  const finite = costs.filter((cost) => cost.servedMs !== undefined);
  return finite.filter((cost) => !finite.some((other) => beats(other, cost))).sort((a, b) => a.callsPerClient - b.callsPerClient);
}

/** The front by what its strategies cost: in each group they are level on both counts. */
export function levels(costs: readonly Cost[]): Cost[][] {
  const groups: Cost[][] = [];
  for (const cost of front(costs)) {
    const level = groups.find(([first]) => first && !differs(first, cost));
    if (level) level.push(cost);
    else groups.push([cost]);
  }
  return groups;
}

function differs(a: Cost, b: Cost): boolean {
  return digits(a.callsPerClient) !== digits(b.callsPerClient) || digits(a.servedMs ?? Infinity) !== digits(b.servedMs ?? Infinity);
}

/** As good on both counts, and better on one. */
export function beats(a: Cost, b: Cost): boolean {
  const [aCalls, bCalls] = [digits(a.callsPerClient), digits(b.callsPerClient)];
  const [aMs, bMs] = [digits(a.servedMs ?? Infinity), digits(b.servedMs ?? Infinity)];
  return aCalls <= bCalls && aMs <= bMs && (aCalls < bCalls || aMs < bMs);
}

/** Three, as the page writes numbers: a strategy that is some ms ahead by chance beats nobody. */
function digits(value: number): number {
  return Number(value.toPrecision(3));
}
