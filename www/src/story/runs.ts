/** The simulations behind the opening: the same clients and the same outage, with four ways to retry. */
import type { RetryOptions } from 'rejitter';
import { simulateOutage } from 'rejitter/lab';
import { outageOptions, TRACED, WINDOW_MS, type Traces } from '../compute/herd';
import { createPace } from '../compute/pace';
import { INITIAL_STATE } from '../state/state';
import { INITIAL } from '../state/strategy';

export type SceneName = 'atOnce' | 'fixed' | 'backoff' | 'jitter';

export interface SceneRun {
  readonly scene: SceneName;
  /** Calls that reached the server, and those of them that it served, in bins of `BIN_MS`. */
  readonly arrivals: Uint32Array;
  readonly accepted: Uint32Array;
  /** When clients were served, ascending. */
  readonly servedMs: Float64Array;
  /** Every call of the clients in the picture. */
  readonly traces: Traces;
}

export interface StoryInput {
  readonly seed: number;
}

export interface StoryResult {
  readonly runs: readonly SceneRun[];
}

/** The default outage of the page. The controls do not change it: the words of the story are about this one. */
export const OUTAGE = INITIAL_STATE.herd;
export const HORIZON_MS = 40_000;
export const BIN_MS = 10;
export const FIXED_WAIT_MS = 1000;
export const CAPACITY_PER_WINDOW = (OUTAGE.capacityPerS * WINDOW_MS) / 1000;

/** No client gives up: each scene is about the waits alone. */
const FOREVER = { maxAttempts: Infinity } as const;
const DOUBLING = { backoff: 'exponential', baseMs: INITIAL.baseMs, capMs: INITIAL.capMs, ...FOREVER } as const;

const POLICIES: Readonly<Record<SceneName, RetryOptions>> = {
  fixed: { backoff: 'fixed', jitter: 'none', baseMs: FIXED_WAIT_MS, ...FOREVER },
  backoff: { ...DOUBLING, jitter: 'none' },
  jitter: { ...DOUBLING, jitter: 'full' },
  // Last: its three million calls take longer than all the others.
  atOnce: { backoff: 'fixed', jitter: 'none', baseMs: 0, ...FOREVER },
};

export async function story(
  { seed }: StoryInput,
  report: (partial: StoryResult) => void,
  signal: AbortSignal,
): Promise<StoryResult> {
  const pace = createPace(signal);
  const runs: SceneRun[] = [];
  for (const scene of Object.keys(POLICIES) as SceneName[]) {
    if (runs.length > 0) report({ runs: [...runs] });
    const simulation = simulateOutage(POLICIES[scene], {
      ...outageOptions(OUTAGE),
      horizonMs: HORIZON_MS,
      binMs: BIN_MS,
      traced: TRACED,
      seed,
    });
    try {
      while (!simulation.step(50_000).done) await pace();
      const { arrivals, accepted, servedMs, traces } = simulation.result();
      runs.push({ scene, arrivals, accepted, servedMs, traces });
    } finally {
      simulation.free();
    }
    await pace();
  }
  return { runs };
}
