/**
 * Computations off the page's main thread. A job is a pure function of its input, which says everything, the seed
 * included; long ones report what they have so far, and stop where their pace throws.
 */
import { contention } from '../contention/compute';
import { tail } from '../hedging/compute';
import { load } from '../load/compute';
import type { Pace } from './pace';
import { handOut } from './remedy';
import { rateLimit } from '../rate-limit/compute';
import { scene } from '../scene/compute';
import { verdict } from '../verdict/compute';
import { fates, waits } from '../waits/compute';

export type Job<I, R> = (input: I, pace: Pace, report: (partial: R) => void) => Promise<R>;

export const JOBS = { scene, handOut, load, tail, rateLimit, verdict, contention, waits, fates };

type Jobs = typeof JOBS;
export type JobName = keyof Jobs;
export type InputOf<N extends JobName> = Parameters<Jobs[N]>[0];
export type ResultOf<N extends JobName> = Awaited<ReturnType<Jobs[N]>>;

/** To the worker. */
export type Order =
  | { readonly id: number; readonly lane: string; readonly name: JobName; readonly input: unknown }
  | { readonly cancel: number };

/** From the worker. */
export type Answer = { readonly id: number } & (
  | { readonly partial: unknown }
  | { readonly result: unknown }
  | { readonly error: string }
);
