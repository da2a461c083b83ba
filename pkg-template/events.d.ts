/**
 * The types that callbacks, hooks and reports receive.
 */

import type { TimeoutError, permanent, retryReport } from './index.js';
import type { RetryOptions } from './options.js';

/**
 * Describes one attempt to your callback. You may keep the object: it goes on describing its own
 * attempt.
 */
export interface Attempt {
  /** Number of this attempt; the first is 1. */
  readonly attempt: number;
  /**
   * Number of attempts that {@link RetryOptions.maxAttempts} allows after this one: 0 in the last
   * attempt, `Infinity` without a limit. After a failure with {@link progress}, counted from that.
   */
  readonly attemptsLeft: number;
  /** The option {@link RetryOptions.name}, if set. */
  readonly name: string | undefined;
  /**
   * Signal of this attempt alone, not aborted when the attempt starts. It is aborted with the
   * operation's own reason when the operation is aborted, and with a {@link TimeoutError} when the
   * attempt times out or the deadline passes. Pass it on: `fetch(url, { signal })`.
   *
   * The signal is created when first read, because an `AbortController` costs more than a whole
   * successful operation.
   */
  readonly signal: AbortSignal;
  /** Milliseconds since the operation started. Reads the monotonic clock at each use. */
  readonly elapsedMs: number;
  /** Milliseconds until the operation's deadline, at least 0. `Infinity` without `totalTimeoutMs`. */
  readonly remainingMs: number;
  /** Error or rejection of the previous attempt. `undefined` in the first attempt and after a result. */
  readonly previousError: unknown;
  /** The wait before this attempt, in ms. `undefined` in the first attempt. */
  readonly previousDelayMs: number | undefined;
  /**
   * Tells that something was heard: the time of {@link RetryOptions.idleTimeoutMs} begins again. Without that option,
   * it does nothing.
   *
   * Like {@link progress} and {@link commit}, it is a function of its own, the same at each use, which needs no `this`:
   * `stream.on('data', attempt.alive)`. Once the attempt has ended, they do nothing. {@link watch} needs no `this`
   * either; after the end, it only iterates.
   *
   * @example
   * ```ts
   * import { once } from 'node:events';
   * import { retry } from 'rejitter';
   * import { download } from './download.mjs'; // yours: returns a stream
   *
   * await retry(
   *   async ({ alive, signal }) => {
   *     const stream = download(signal).on('data', alive);
   *     await once(stream, 'end', { signal });
   *   },
   *   { idleTimeoutMs: 10_000, totalTimeoutMs: 600_000 },
   * );
   * ```
   */
  readonly alive: () => void;
  /**
   * Tells that something was gained which the next attempt need not do again; says {@link alive}, too. If this attempt
   * fails and may be retried, another row of attempts starts: {@link RetryOptions.maxAttempts} counts this failure as
   * the first, and so does {@link attemptsLeft} from then on. The waits start again, too, if the attempt has lived at
   * least as long as the ceiling of the wait before it. Otherwise they go on: a server that gives one byte and hangs up
   * gets no more calls than one that refuses. Attempts go on being numbered.
   *
   * Only a deadline or an abort ends an operation that always progresses: set {@link RetryOptions.totalTimeoutMs}.
   *
   * @example
   * ```ts
   * import { retry } from 'rejitter';
   * import { parts, upload } from './upload.mjs'; // yours
   *
   * let done = 0;
   * await retry(
   *   async ({ progress, signal }) => {
   *     for (; done < parts.length; done++, progress()) await upload(parts[done], signal);
   *   },
   *   { totalTimeoutMs: 600_000 },
   * );
   * ```
   */
  readonly progress: () => void;
  /**
   * Tells that this attempt must not be repeated from here on: it has shown something, or started what cannot be
   * undone. If it fails, or times out, the operation ends with its own error and the reason `committed`, and nobody is
   * asked. If it has a result, the operation succeeds, without {@link RetryOptions.retryOnResult}. Where a hedge runs
   * beside it, the first to commit wins: the other one is aborted at once.
   *
   * @example
   * ```ts
   * import { retry } from 'rejitter';
   * import { ask } from './model.mjs'; // yours: returns an async iterable of texts
   *
   * await retry(async ({ commit, signal, watch }) => {
   *   for await (const text of watch(await ask('Why?', { signal }))) {
   *     commit();
   *     process.stdout.write(text);
   *   }
   * });
   * ```
   */
  readonly commit: () => void;
  /**
   * Iterates over a stream: the same items, each of which says {@link alive}. When the attempt's {@link signal} is
   * aborted, the iteration ends with its reason, even if the stream is silent, and the stream is cancelled. So it is if
   * the loop ends early.
   *
   * @example
   * ```ts
   * import { retry } from 'rejitter';
   *
   * const bytes = await retry(
   *   async ({ signal, watch }) => {
   *     const { body } = await fetch('https://example.com/', { signal });
   *     let length = 0;
   *     if (body) for await (const chunk of watch(body)) length += chunk.length;
   *     return length;
   *   },
   *   { idleTimeoutMs: 5_000 },
   * );
   * ```
   */
  readonly watch: <T>(source: ReadableStream<T> | AsyncIterable<T>) => AsyncIterable<T>;
}

/**
 * The reason why an operation ended without success. Later versions may add reasons: give a
 * `switch` a `default` branch.
 * - `exhausted`: all `maxAttempts` attempts failed.
 * - `permanent`: the callback threw a {@link permanent} error.
 * - `committed`: an attempt failed after its {@link Attempt.commit}.
 * - `notRetryable`: `retryIf` returned `false`.
 * - `deadline`: the next wait would have ended at or after the deadline, or the deadline passed
 *   between two attempts.
 * - `timeout`: the deadline passed during an attempt, or in a hook before the first attempt.
 * - `hint`: the server requested a delay longer than `maxRetryAfterMs`.
 * - `callback`: `retryIf`, `retryOnResult`, `backoff`, `random`, `weight` or `beforeRetry` threw an error
 *   or returned an invalid value.
 * - `aborted`: a signal was aborted.
 * - `bodyNotReplayable`: (rejitter/fetch) the request's body is a stream, which can be sent once.
 * - `budget`, `breaker`, `cooldown`, `limiter`: (rejitter/protection) this part rejected the next attempt. Without any
 *   attempt, or after a result that is an answer, the operation rejects with a `RejectedError`.
 */
export type StopReason =
  | 'exhausted'
  | 'permanent'
  | 'committed'
  | 'notRetryable'
  | 'deadline'
  | 'timeout'
  | 'hint'
  | 'callback'
  | 'aborted'
  | 'bodyNotReplayable'
  | 'budget'
  | 'breaker'
  | 'cooldown'
  | 'limiter';

/** Record of one attempt. */
export interface AttemptRecord {
  /** Number of the attempt; the first is 1. */
  readonly attempt: number;
  /** Error of the attempt. Absent if the attempt had a result. */
  readonly error?: unknown;
  /** Result of the attempt, if `retryOnResult` was called with it. */
  readonly result?: unknown;
  /** Start of the attempt, in ms since the operation started. */
  readonly startMs: number;
  /** Duration of the attempt, in ms. */
  readonly durationMs: number;
  /** The wait after the attempt, in ms. Absent after the last attempt. */
  readonly delayMs?: number;
  /** Present if the callback called {@link Attempt.progress}. */
  readonly progressed?: true;
  /** Present if the callback called {@link Attempt.commit}. */
  readonly committed?: true;
  /** How long a cooldown held the attempt before it started, in ms. Absent if it was not held. */
  readonly heldMs?: number;
  /** How long the attempt waited for its turn in a limiter, in ms. Absent if it did not wait. */
  readonly queuedMs?: number;
  /** Present if the attempt is a hedge: it started while another one was running. */
  readonly hedge?: true;
  /** Present if the attempt still ran when the other one of its round ended the operation. */
  readonly superseded?: true;
}

/** Report of an operation that ended without success, or of a fetch that took more than one attempt. */
export interface RetryReport {
  /** The reason why the operation ended. 'success' (rejitter/fetch): the last response needed no retry. */
  readonly reason: StopReason | 'success';
  /** Number of times the callback was called. */
  readonly attempts: number;
  /** Duration of the operation, in ms. */
  readonly elapsedMs: number;
  /** The delay that the server requested in the last failure, in ms, if it requested one. */
  readonly hintMs?: number;
  /** With reason `breaker`, `cooldown` or `limiter`: the time after which asking again makes sense, in ms. */
  readonly retryAfterMs?: number;
  /** Number of dropped records: the report keeps the first and the last nine. */
  readonly dropped: number;
  /** Record of each attempt, in order. */
  readonly records: readonly AttemptRecord[];
}

/**
 * Message of Node's tracing channel `rejitter:operation`: one object for each operation. Labels are there from its
 * `start`, the rest when it has ended.
 */
export interface OperationMessage {
  /** The option {@link RetryOptions.name}, if set. */
  readonly name: string | undefined;
  /** (rejitter/fetch) Method of the request. */
  readonly method?: string;
  /** (rejitter/fetch) Origin of the request's URL, without its path and query. `data:` and `blob:` URLs have none. */
  readonly origin?: string | undefined;
  /** Number of times the callback was called. */
  readonly attempts?: number;
  /** The value that the operation returned. */
  readonly result?: unknown;
  /** The error that the operation rejected with. */
  readonly error?: unknown;
  /** Report of the operation, if it ended without success. */
  readonly report?: RetryReport;
}

/** Event that a hook receives: frozen, a new object for each call. */
export interface AttemptEvent {
  /** Number of the attempt; the first is 1. 0 if the operation ended before it. */
  readonly attempt: number;
  /** Number of attempts that `maxAttempts` allows after this one. 0 in the last attempt, `Infinity` without a limit. */
  readonly attemptsLeft: number;
  /** The option {@link RetryOptions.name}, if set. */
  readonly name?: string;
  /** Milliseconds since the operation started. */
  readonly elapsedMs: number;
  /** In `onAttempt` and `onFailure`: present if the attempt is a hedge. */
  readonly hedge?: true;
}

/** An attempt that has ended, in what it told. */
export interface ToldEvent extends AttemptEvent {
  /** Present if the callback called {@link Attempt.progress}. */
  readonly progressed?: true;
  /** Present if the callback called {@link Attempt.commit}. */
  readonly committed?: true;
}

/** Outcome of an attempt: an error, or a result that `retryOnResult` decides about. */
export interface FailureEvent extends ToldEvent {
  /** Error of the attempt. Absent if the attempt had a result. */
  readonly error?: unknown;
  /** Result of the attempt, if `retryOnResult` decides about it. */
  readonly result?: unknown;
}

/** A wait between two attempts; `attempt` is the one before it. */
export interface RetryEvent extends FailureEvent {
  /** Length of the wait, in ms. */
  readonly delayMs: number;
}

/** Success of the operation. */
export interface SuccessEvent extends ToldEvent {
  /** The value that the promise resolves with. */
  readonly result: unknown;
}

/** End of the operation without success. */
export interface GiveUpEvent extends FailureEvent {
  /** The reason why the operation ended. */
  readonly reason: StopReason;
  /** The report that {@link retryReport} returns. */
  readonly report: RetryReport;
}
