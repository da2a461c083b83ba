/**
 * What callbacks, hooks and reports tell.
 */

import type { TimeoutError, permanent, retryReport } from './index.js';

/**
 * What your callback is told about its attempt. The object may be kept: it goes on describing
 * its own attempt.
 */
export interface Attempt {
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /**
   * A signal for this attempt alone: fresh and not aborted when the attempt begins; aborted with
   * the same reason when the operation is aborted, and with a {@link TimeoutError} when the
   * attempt times out or the deadline passes. Pass it on: `fetch(url, { signal })`.
   *
   * Made when first read, because a controller costs more than a whole successful operation.
   */
  readonly signal: AbortSignal;
  /**
   * Milliseconds since the operation began, by the monotonic clock, read at each use. The clock
   * is first looked at when this is first read or when the first attempt has failed; the time
   * before that is not counted.
   */
  readonly elapsedMs: number;
  /** Milliseconds until the operation's deadline, at least 0; `Infinity` without `totalTimeoutMs`. */
  readonly remainingMs: number;
  /** What the previous attempt threw or rejected with; `undefined` in the first. */
  readonly previousError: unknown;
  /** The wait before this attempt, in ms; `undefined` in the first. */
  readonly previousDelayMs: number | undefined;
}

/**
 * Why an operation ended without success.
 * - `exhausted`: `maxAttempts` attempts were made.
 * - `permanent`: the callback threw a {@link permanent} error.
 * - `notRetryable`: `retryIf` said no.
 * - `deadline`: the next wait would not have ended before the deadline.
 * - `timeout`: the deadline passed during an attempt, or in a hook before the first.
 * - `hint`: the server asked for a wait longer than `maxRetryAfterMs`.
 * - `callback`: `retryIf`, `retryOnResult`, `backoff` or `random` threw or answered nonsense.
 * - `aborted`: a signal was aborted.
 * - `bodyNotReplayable`: (rejitter/fetch) the request's body was a stream, which is sent once.
 */
export type StopReason =
  | 'exhausted'
  | 'permanent'
  | 'notRetryable'
  | 'deadline'
  | 'timeout'
  | 'hint'
  | 'callback'
  | 'aborted'
  | 'bodyNotReplayable';

/** What one attempt did. */
export interface AttemptRecord {
  /** Its number, from 1. */
  readonly attempt: number;
  /** What it failed with; absent when it had a result. */
  readonly error?: unknown;
  /** Its result, when `retryOnResult` was asked about one. */
  readonly result?: unknown;
  /** When it began, in ms since the operation began. */
  readonly startMs: number;
  /** How long it took, in ms; `undefined` for a first attempt that nobody timed. */
  readonly durationMs: number | undefined;
  /** The wait after it, in ms; absent after the last. */
  readonly delayMs?: number;
}

/** The story of an operation that ended without success. */
export interface RetryReport {
  /** Why it ended. */
  readonly reason: StopReason;
  /** How often the callback was called. */
  readonly attempts: number;
  /** Milliseconds from its call to its end. */
  readonly elapsedMs: number;
  /** The wait that the server asked for in the last failure, in ms, if it did. */
  readonly hintMs?: number;
  /** How many records were dropped: the first and the last nine are kept. */
  readonly dropped: number;
  /** What each attempt did, in order. */
  readonly records: readonly AttemptRecord[];
}

/** What hooks get: frozen, one object per call. */
export interface AttemptEvent {
  /** The attempt's number, from 1. */
  readonly attempt: number;
  /** Milliseconds since the operation began. */
  readonly elapsedMs: number;
}

/** An attempt's outcome: an error, or a result that `retryOnResult` judges. */
export interface FailureEvent extends AttemptEvent {
  /** What the attempt failed with; absent when it had a result. */
  readonly error?: unknown;
  /** Its result, when `retryOnResult` judges it. */
  readonly result?: unknown;
}

/** A wait begins. */
export interface RetryEvent extends FailureEvent {
  /** The wait that begins, in ms. */
  readonly delayMs: number;
}

/** The operation has succeeded. */
export interface SuccessEvent extends AttemptEvent {
  /** What its promise resolves with. */
  readonly result: unknown;
}

/** The operation has ended without success. */
export interface GiveUpEvent extends FailureEvent {
  /** Why. */
  readonly reason: StopReason;
  /** What {@link retryReport} gives. */
  readonly report: RetryReport;
}
