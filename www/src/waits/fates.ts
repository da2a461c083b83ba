/** How many clients each strategy of the grid serves, in the scene's outage and with its seed. */
import type { OutageInput } from '../compute/outage';
import { createPace } from '../compute/pace';
import { fateOf } from '../compute/patience';
import { withChoice, type Choice } from '../state/strategy';

export interface FatesInput extends OutageInput {
  readonly choices: readonly Choice[];
}

export interface CellFate {
  readonly choice: Choice;
  readonly served: number;
  /** Whether the run was stopped because of its number of calls. */
  readonly isCut: boolean;
}

/** A run with more calls is stopped. */
const MOST_CALLS = 600_000;

export async function fates(
  input: FatesInput,
  report: (partial: readonly CellFate[]) => void,
  signal: AbortSignal,
): Promise<readonly CellFate[]> {
  const pace = createPace(signal);
  const all: CellFate[] = [];
  for (const choice of input.choices) {
    const { served, isCut } = await fateOf(input, withChoice(input.strategy, choice), pace, MOST_CALLS);
    all.push({ choice, served, isCut });
    if (all.length % 5 === 0) report([...all]);
  }
  return all;
}
