/**
 * Computations off the page's main thread. A job is a pure function of its input, which says
 * everything, the seed included; long ones report what they have so far, and stop when cancelled.
 */
import { explain } from 'rejitter/lab';
import { story } from '../story/runs';
import { beforeAfter } from './before-after';
import { contention } from './contention';
import { hedging, tail } from './hedging';
import { herd } from './herd';
import { load, sweep } from './load';
import { policyOf, type Strategy } from '../state/strategy';
import { peaks } from './peaks';
import { rateLimit } from './rate-limit';
import { totals } from './totals';
import { verdict } from './verdict';
import { waits } from './waits';

interface NotesInput {
  readonly strategy: Strategy;
  readonly hasBudget: boolean;
}

/** The package's sentences about the strategy. */
function notes({ strategy, hasBudget }: NotesInput): ReturnType<typeof explain> {
  // The package leaves this note out for a policy with a budget. The worker saves the bytes of one.
  return explain(policyOf(strategy)).filter(({ code }) => !(hasBudget && code === 'no-budget'));
}

export type Job<I, R> = (input: I, report: (partial: R) => void, signal: AbortSignal) => R | Promise<R>;

export const JOBS = {
  herd,
  load,
  sweep,
  tail,
  hedging,
  rateLimit,
  verdict,
  peaks,
  contention,
  waits,
  totals,
  notes,
  story,
  beforeAfter,
};

export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;
export type InputOf<N extends JobName> = Parameters<Jobs[N]>[0];
export type ResultOf<N extends JobName> = Awaited<ReturnType<Jobs[N]>>;

/** To the worker. */
export type Order =
  | { readonly id: number; readonly lane: string; readonly name: JobName; readonly input: unknown }
  | { readonly cancel: number };

/** From the worker. */
export type Answer =
  | { readonly id: number; readonly partial: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };
