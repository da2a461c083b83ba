/**
 * A policy in the engines that retry jobs: BullMQ, pg-boss, Temporal, Step Functions, SQS, Cloud Tasks, gRPC.
 *
 * @module rejitter/engines
 */

import type { RetryPolicy } from './index.js';

/** Something that the engine's configuration cannot say. */
export interface Loss {
  /** Option of the policy. */
  readonly option: string;
  /** Its value in the policy. */
  readonly wanted: unknown;
  /** The value in the engine, `undefined` if it has nothing of the kind. */
  readonly got: unknown;
  /** The difference, in a sentence. */
  readonly text: string;
}

/** Result of an exporter. */
export interface Exported<Config> {
  /** Configuration of the engine. */
  readonly config: Config;
  /**
   * Sentences about the options that the configuration cannot express. A cap that no wait comes to is no loss, nor are
   * the waits of a policy with one attempt. Callbacks, such as `retryIf`, the signal and the protection are not data
   * and never listed: they stay in the code that throws.
   */
  readonly losses: readonly Loss[];
}

/** Options of an exporter. */
export interface ExportOptions {
  /**
   * Throws a `RangeError` that lists all losses, instead of returning them.
   *
   * @default false
   * @example `{ strict: true }`
   */
  strict?: boolean | undefined;
}

/** Options of a job, for `queue.add`. */
export interface BullmqJobOptions {
  /** `maxAttempts` of the policy. */
  attempts: number;
  /** Without it, BullMQ starts all attempts at once. */
  backoff: { type: 'rejitter' };
}

/** BullMQ's `settings.backoffStrategy`, and the options of its jobs. */
export interface Bullmq {
  /**
   * Returns a function for `settings.backoffStrategy` of a worker. The wait of a job after failed attempt k is
   * `policy.delayMs(k, { seed: job.id })`, rounded up.
   *
   * The job ends after an error made by `permanent`, if `retryIf` returns `false`, and if a server asks for more than
   * `maxRetryAfterMs`. `retryAfter` and a `RejectedError` make the wait longer, `{ afterMs }` replaces it.
   *
   * `retryIf` may return a promise. Its second argument is an `Attempt` with the job's age as `elapsedMs` and the job's
   * own attempts in `attemptsLeft`; `remainingMs` is Infinity, `signal` is never aborted, and nothing is known of the
   * attempts before. The attempt has ended: `alive`, `progress` and `commit` do nothing, `watch` returns its stream.
   * The policy's timeouts are not applied. Errors of sandboxed processors, which run in another process, are recognised
   * by their names `PermanentError`, `RetryAfterError` and `RejectedError`.
   *
   * @throws {TypeError} if `policy` is not a RetryPolicy
   */
  (
    policy: RetryPolicy,
  ): (
    attemptsMade: number,
    type?: string,
    error?: Error,
    job?: { id?: string; timestamp?: number; opts?: { attempts?: number } },
  ) => Promise<number>;
  /**
   * Returns the options of a job: the number of attempts and the type of the backoff. Both are needed.
   *
   * @throws {RangeError} if `maxAttempts` is Infinity
   */
  jobOptions(policy: RetryPolicy): BullmqJobOptions;
}

/**
 * The waits of a policy in BullMQ.
 *
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * import { bullmq } from 'rejitter/engines';
 * const policy = new RetryPolicy({ baseMs: 1000, capMs: 60_000 });
 * const settings = { backoffStrategy: bullmq(policy) }; // of the Worker
 * const options = bullmq.jobOptions(policy); // of queue.add
 * ```
 */
export const bullmq: Bullmq;

/** An attempt of a job that failed, for {@link nextDelay}. */
export interface FailedAttempt {
  /** Number of the attempt: a positive integer, or its digits. The first is 1. */
  attempt: number | string;
  /** The error that the attempt threw. */
  error?: unknown;
  /** The job's own seed, such as its id: the same job has the same waits in each process. Defaults to chance. */
  seed?: string | number | bigint | undefined;
  /**
   * Milliseconds since the job was created, for `retryIf`.
   *
   * @default 0
   */
  elapsedMs?: number | undefined;
}

/**
 * Returns the wait after a failed attempt, in whole ms. Returns `undefined` if no attempt may follow: after attempt
 * `maxAttempts`, after an error made by `permanent`, if `retryIf` returns `false`, or if a server asks for more than
 * `maxRetryAfterMs`. `retryAfter` and a `RejectedError` make the wait longer, `{ afterMs }` replaces it.
 *
 * For Cloudflare Workflows and Queues, Inngest, Vercel Workflow, durable functions of AWS Lambda, Temporal, SQS, and
 * whatever asks for one wait at a time: the guide on queues has a program for each. `retryIf` gets an `Attempt` as in
 * {@link Bullmq}, and marks are recognised by their names in errors of other processes. The policy's timeouts are not
 * applied.
 *
 * @throws {TypeError | RangeError} if `policy` is not a RetryPolicy, if `attempt` is invalid, if `retryIf` returns a
 *   promise or an invalid value; and whatever `retryIf` throws
 * @example
 * ```js
 * import { RetryPolicy, retryAfter } from 'rejitter';
 * import { nextDelay } from 'rejitter/engines';
 * const policy = new RetryPolicy({ baseMs: 1000, maxAttempts: 8 });
 * const error = retryAfter(5000, new Error('busy'));
 * nextDelay(policy, { attempt: 1, error, seed: 'job 7' }); // at least 5000
 * nextDelay(policy, { attempt: 8, error, seed: 'job 7' }); // undefined
 * ```
 */
export function nextDelay(policy: RetryPolicy, failed: FailedAttempt): number | undefined;

/** Options of a queue or of a job in pg-boss 11 or later. Times are seconds. */
export interface PgBossConfig {
  /** Maximum number of retries: attempts after the first. */
  retryLimit: number;
  /** The wait before doubling, d, in whole seconds. */
  retryDelay: number;
  /** Whether waits double, and are drawn. */
  retryBackoff: boolean;
  /** Upper bound of each wait, if one reaches it. */
  retryDelayMax?: number;
  /** Timeout of an attempt, if there is one. */
  expireInSeconds?: number;
}

/**
 * Exports to pg-boss, whose wait k is drawn between d·2^(k−1) and d·2^k seconds: jitter 'equal'. It clips what is
 * drawn above the cap, and doubles at most 16 times.
 *
 * @throws {TypeError | RangeError} if `policy` is not a RetryPolicy or has a function as `backoff`; for unknown
 *   options; for losses with `strict`
 */
export function pgBoss(policy: RetryPolicy, options?: ExportOptions): Exported<PgBossConfig>;

/** Options of an activity, for `proxyActivities` of Temporal. Times are ms. */
export interface TemporalConfig {
  /** Timeout of an attempt, if there is one. */
  startToCloseTimeout?: number;
  /** The deadline, if there is one. */
  scheduleToCloseTimeout?: number;
  /** The retry policy: first wait, factor, cap and attempts. */
  retry: {
    initialInterval: number;
    backoffCoefficient: number;
    maximumInterval: number;
    /** Left out for `maxAttempts: Infinity`: unlimited. */
    maximumAttempts?: number;
  };
}

/**
 * Exports to Temporal, whose waits have no jitter. An activity that throws an `ApplicationFailure` with
 * {@link nextDelay} as `nextRetryDelay` loses nothing.
 *
 * @throws {TypeError | RangeError} see {@link pgBoss}
 */
export function temporal(policy: RetryPolicy, options?: ExportOptions): Exported<TemporalConfig>;

/** Fields of a Task state in the Amazon States Language. Times are seconds. */
export interface StepFunctionsConfig {
  /** Timeout of an attempt, if there is one. */
  TimeoutSeconds?: number;
  /** The retrier, for all errors. `MaxAttempts` counts retries. */
  Retry: {
    ErrorEquals: string[];
    IntervalSeconds: number;
    BackoffRate: number;
    MaxDelaySeconds?: number;
    MaxAttempts: number;
    JitterStrategy: 'FULL' | 'NONE';
  }[];
}

/**
 * Exports to AWS Step Functions: jitter 'full' or 'none', in whole seconds.
 *
 * @throws {TypeError | RangeError} see {@link pgBoss}
 */
export function stepFunctions(policy: RetryPolicy, options?: ExportOptions): Exported<StepFunctionsConfig>;

/** Redrive policy of a queue in SQS, and the wait of a message. */
export interface SqsConfig {
  /** After `maxReceiveCount` attempts, SQS moves the message to the dead-letter queue. */
  redrivePolicy: { maxReceiveCount: number };
  /**
   * Returns `VisibilityTimeout` for `ChangeMessageVisibility`, in seconds, after a failure of a message that was
   * received `receiveCount` times. That is `ApproximateReceiveCount`, which the SDK has as text. Any backoff and
   * jitter; each wait is rounded up to whole seconds. SQS counts its 12 hours from the receipt: pass as `elapsedMs` how
   * long ago that was (default 0), if waits may be so long.
   *
   * @throws {RangeError} if `receiveCount` is not a positive integer or its digits
   */
  visibilityTimeout(receiveCount: number | string, messageId: string, elapsedMs?: number): number;
}

/**
 * Exports to Amazon SQS, which has no backoff of its own: the consumer hides a failed message for the wait.
 *
 * @throws {TypeError | RangeError} see {@link pgBoss}
 */
export function sqs(policy: RetryPolicy, options?: ExportOptions): Exported<SqsConfig>;

/** `retryConfig` of a queue in Google Cloud Tasks. */
export interface CloudTasksConfig {
  /** Maximum number of attempts, the first included; -1 for no limit. */
  maxAttempts: number;
  /** The first wait, as text, such as '1s'. */
  minBackoff: string;
  /** Upper bound of each wait, as text. */
  maxBackoff: string;
  /** How often the wait doubles before it grows by the same amount each time. */
  maxDoublings: number;
}

/**
 * Exports to Google Cloud Tasks, which doubles `maxDoublings` times (at most 16), then adds, and documents no jitter.
 * It cuts fractions of a second, so waits are rounded up.
 *
 * @throws {TypeError | RangeError} see {@link pgBoss}
 */
export function cloudTasks(policy: RetryPolicy, options?: ExportOptions): Exported<CloudTasksConfig>;

/** A service config of gRPC for all methods. */
export interface GrpcConfig {
  /** For all methods: the deadline as `timeout`, and the retry policy. */
  methodConfig: {
    name: Record<string, never>[];
    timeout?: string;
    retryPolicy?: {
      maxAttempts: number;
      initialBackoff: string;
      maxBackoff: string;
      backoffMultiplier: number;
      retryableStatusCodes: string[];
    };
  }[];
}

/**
 * Exports to gRPC's service config. Clients make at most five attempts, and draw each wait within 20% around the
 * backoff: the preset `grpc` loses nothing.
 *
 * @throws {TypeError | RangeError} see {@link pgBoss}
 */
export function grpc(policy: RetryPolicy, options?: ExportOptions): Exported<GrpcConfig>;
