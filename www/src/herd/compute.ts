/** The herd: clients that all meet the same outage, and retry: as the policy is set, and until they are served. */
import { timeToServeMs } from 'rejitter/lab';
import type { Limits } from '../state/state';
import type { Choice, Strategy } from '../state/strategy';
import { grouped, sized } from '../compute/bins';
import { outageOf, span, type Outage } from '../compute/outage';
import { createPace } from '../compute/pace';
import { contendersOf } from '../cost/compute';

export interface HerdInput {
  /** The chosen one; the others have its numbers. */
  readonly strategy: Strategy;
  readonly herd: Outage;
  readonly seed: number;
}

/** One strategy, with both limits. */
export interface HerdRun {
  readonly choice: Choice;
  /** The clients that were served with the policy as it is set, and those that gave up. */
  readonly served: number;
  readonly gaveUp: number;
  /** Until served, within the horizon: those served, when 99% were, and the calls of each client. */
  readonly patientlyServed: number;
  readonly timeTo99Ms: number | undefined;
  readonly callsPerClient: number;
  /** Until served: calls that reached the server, and those of them that it served, per time bin. */
  readonly arrivals: Uint32Array;
  readonly accepted: Uint32Array;
  /** Whether a run was stopped because of its number of calls: then there are more. */
  readonly isCut: boolean;
}

export interface HerdResult {
  readonly input: HerdInput;
  readonly horizonMs: number;
  readonly binMs: number;
  /** In the order of the grid, each behaviour once. */
  readonly runs: readonly HerdRun[];
}

export async function herd(
  input: HerdInput,
  report: (partial: HerdResult) => void,
  signal: AbortSignal,
): Promise<HerdResult> {
  const pace = createPace(signal);
  const { strategy, herd: outage, seed } = input;
  const { horizonMs, binMs } = span(input);
  const runs: HerdRun[] = [];
  const result = (): HerdResult => ({ input, horizonMs, binMs, runs: [...runs] });
  for (const choice of contendersOf(input.strategy).choices) {
    if (runs.length > 0) report(result());
    const run = (limits: Limits) => outageOf({ strategy, herd: { ...outage, limits } }, choice, seed, pace);
    const [asSet, patient] = [await run('set'), await run('served')];
    runs.push({
      choice,
      served: asSet.servedMs.length,
      gaveUp: asSet.giveUps,
      patientlyServed: patient.servedMs.length,
      timeTo99Ms: timeToServeMs(patient, 0.99),
      callsPerClient: patient.meanAttempts,
      arrivals: sized(grouped(patient.arrivals, binMs / patient.binMs), horizonMs / binMs),
      accepted: sized(grouped(patient.accepted, binMs / patient.binMs), horizonMs / binMs),
      isCut: asSet.isCut || patient.isCut,
    });
  }
  return result();
}
