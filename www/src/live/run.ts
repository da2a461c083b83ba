/** A live run: calls, their attempts, and their outcomes; in a picture and in words elsewhere. */
import type { State } from '../state/state';

/** A status, or the reason why it is missing. `stopped`: by Abort. */
export type Reply = number | 'network' | 'timeout' | 'stopped';

export interface Leg {
  readonly attempt: number;
  readonly startMs: number;
  endMs: number | undefined;
  reply: Reply | undefined;
  /** The wait after it. */
  waitMs?: number;
}

export interface Trace {
  readonly id: number;
  readonly legs: Leg[];
  /** `rejected`: by a status that no retry can fix. */
  outcome: 'waiting to be sent' | 'running' | 'ok' | 'gave up' | 'rejected' | 'aborted';
  endMs: number | undefined;
}

export type RunSettings = Pick<State, 'strategy' | 'seed' | 'calls' | 'failure' | 'rate'>;

export interface Run extends RunSettings {
  readonly name: string;
  /** Whether this is what a run will come to: nothing was sent. */
  readonly isForecast?: boolean;
  readonly traces: readonly Trace[];
  /** Milliseconds since the run started; stands still once it has ended. */
  nowMs(): number;
}

/** The seed of a call's waits. Calls that shared one would retry in step. */
export function seedOf(seed: number, { id }: Pick<Trace, 'id'>): string {
  return `${seed}/${id}`;
}

/** A run before its first request. */
export function emptyRun({ strategy, seed, calls, failure, rate }: RunSettings): Run {
  const traces = Array.from(
    { length: calls },
    (_, i): Trace => ({ id: i + 1, legs: [], outcome: 'waiting to be sent', endMs: undefined }),
  );
  return { name: '', strategy, seed, calls, failure, rate, traces, nowMs: () => 0 };
}
