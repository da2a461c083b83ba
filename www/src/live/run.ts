/** A live run: calls, their attempts, and their outcomes. */
import type { LiveFailure } from '../state/state';
import type { Strategy } from '../state/strategy';

/** A status, or the reason why it is missing. `stopped`: by Abort. */
export type Reply = number | 'network' | 'timeout' | 'stopped';

export interface Leg {
  readonly attempt: number;
  readonly startMs: number;
  endMs: number | undefined;
  reply: Reply | undefined;
  /** The wait after it, and the delay of the response's Retry-After. */
  waitMs?: number;
  hintMs?: number;
}

/** `rejected`: by a status that no retry can fix. */
export type Outcome = 'waiting to be sent' | 'running' | 'ok' | 'gave up' | 'rejected' | 'aborted';

export interface Trace {
  readonly id: number;
  readonly legs: Leg[];
  outcome: Outcome;
  endMs: number | undefined;
}

export interface Target {
  readonly failure: LiveFailure;
  readonly rate: number;
}

export interface Run {
  readonly name: string;
  readonly strategy: Strategy;
  readonly seed: number;
  readonly target: Target;
  /** Whether this is what a run will come to: nothing was sent. */
  readonly isForecast?: boolean;
  readonly traces: readonly Trace[];
  /** Milliseconds since the run started; stands still once it has ended. */
  nowMs(): number;
}

export interface RunSettings {
  readonly strategy: Strategy;
  readonly seed: number;
  readonly calls: number;
  readonly target: Target;
}

/** The seed of a call's waits. Calls that shared one would retry in step. */
export function seedOf(seed: number, { id }: Pick<Trace, 'id'>): string {
  return `${seed}/${id}`;
}

/** A run before its first request. */
export function emptyRun({ strategy, seed, calls, target }: RunSettings): Run {
  const traces = Array.from(
    { length: calls },
    (_, i): Trace => ({ id: i + 1, legs: [], outcome: 'waiting to be sent', endMs: undefined }),
  );
  return { name: '', strategy, seed, target, traces, nowMs: () => 0 };
}
