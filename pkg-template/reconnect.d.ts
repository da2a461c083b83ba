/**
 * Connections that stay: WebSockets, event streams, subscriptions. An operation ends; a connection is meant not to.
 *
 * @module rejitter/reconnect
 */

import type { AttemptEvent, GiveUpEvent } from './events.js';
import type { TimeoutError, permanent, retryAfter } from './index.js';
import type { RetryOptions, Verdict } from './options.js';

/** Describes one connection to the session. Its functions need no `this`. */
export interface Connection<T = unknown> {
  /**
   * Number of this attempt in a row. The first of all is 1. The end of a stable connection counts as the row's first
   * failure, so the attempt after it is 2.
   */
  readonly attempt: number;
  /** Number of connections that were open before this one. Above 0, resume or catch up. */
  readonly connections: number;
  /**
   * Signal of this session alone, aborted at its end, whatever ends it: a timeout, silence, the caller's signal, and
   * also the session's own error or return. One listener on it cleans up.
   */
  readonly signal: AbortSignal;
  /** Error of the previous session, `undefined` in the first. */
  readonly previousError: unknown;
  /** The wait before this attempt, in ms. `undefined` in the first. */
  readonly previousDelayMs: number | undefined;
  /**
   * Says that the connection is usable: authenticated, acknowledged, subscribed. Counts once. After half of `silenceMs`
   * (above 0; no limit by default) without {@link Connection.alive}, `ping` is called, whatever it returns or throws;
   * after as long again, the session ends with a {@link TimeoutError}. A machine that slept costs a ping.
   */
  opened(liveness?: { silenceMs?: number | undefined; ping?: (() => unknown) | undefined }): void;
  /** Says that something was heard. Cheap: call it for each message. */
  alive(): void;
  /** Ends everything with this session: the promise resolves with `reason: 'finished'` and this value. */
  finish(value?: T): void;
}

/** Options of operations that mean the same for connections. */
export type SharedOption =
  | ('minMs' | 'factor' | 'stepMs' | 'truncateAt' | 'backoff' | 'jitter' | 'seed' | 'random' | 'name' | 'unref')
  | ('protection' | 'weight' | 'onAttempt' | 'onFailure' | 'onRetry');

/**
 * Options of {@link keepConnected}: those of an operation that make sense for a connection, some with other defaults,
 * and its own. All are optional, and `undefined` means unset. With `protection`, each attempt is an operation of one
 * attempt, which succeeds at {@link Connection.opened}; a rejected attempt waits, and does not count.
 */
export interface ReconnectOptions extends Pick<RetryOptions, SharedOption> {
  /**
   * Upper bound of the first wait, in ms. Between 0 and 2^53 − 1.
   *
   * @default 5000, or `capMs` if that is less
   * @example `{ baseMs: 1000 }`
   */
  baseMs?: number | undefined;
  /**
   * Upper bound of each wait, in ms. Non-negative; at least `baseMs`. The larger the fleet, the longer it should be.
   *
   * @default 30_000, or `baseMs` if that is more; no cap with a function as `backoff`, the longest entry with a list
   * @example `{ capMs: 10_000 }`
   */
  capMs?: number | undefined;
  /**
   * Upper bound of a wait that a server requests by {@link retryAfter}, in ms. A longer one is cut. Non-negative.
   *
   * @default 3_600_000
   * @example `{ maxRetryAfterMs: 60_000 }`
   */
  maxRetryAfterMs?: number | undefined;
  /**
   * Maximum number of attempts in a row without a stable connection. A positive integer, or `Infinity`.
   *
   * @default Infinity
   * @example `{ maxAttempts: 20 }`
   */
  maxAttempts?: number | undefined;
  /**
   * Ends everything at once: the session by its signal, timers, listeners. The promise *resolves*.
   *
   * @default none
   * @example `{ signal: controller.signal }`
   */
  signal?: AbortSignal | undefined;
  /**
   * Decides after each failure whether another attempt follows, and is awaited: refresh a token here. Receives the
   * error, the number of failures in a row, and for how long the connection was open, 0 if it never was. Not called for
   * a {@link permanent} error. `{ afterMs }` is the exact wait, which no wake-up shortens.
   *
   * @default () => true
   * @example `{ retryIf: async (error) => error.status !== 401 || (await refreshToken()) }`
   */
  retryIf?: ((error: any, end: { attempt: number; openMs: number }) => Verdict | PromiseLike<Verdict>) | undefined;
  /**
   * Time limit from the start of an attempt until {@link Connection.opened}, in ms. Above 0; `Infinity` means no limit.
   * After a stop of the process, the host reads its sockets first, as with {@link RetryOptions.attemptTimeoutMs}.
   *
   * @default 10_000
   * @example `{ connectTimeoutMs: 5000 }`
   */
  connectTimeoutMs?: number | undefined;
  /**
   * A connection that was open for this time is stable, in ms: its end is the first failure of a new row. Non-negative.
   *
   * @default half of `capMs`
   * @example `{ stableMs: 60_000 }`
   */
  stableMs?: number | undefined;
  /**
   * Subscribes to what says that another attempt is worth it now; returns a function that unsubscribes. `wake()` brings
   * a wait forward, to within a second, and pings an open connection. While a session connects or `retryIf` is
   * awaited, it is remembered for the wait that follows. `false`: nothing does.
   *
   * @default in pages: online, visible again, out of the back/forward cache, resume
   * @example `{ wakeOn: (wake) => NetInfo.addEventListener(({ isConnected }) => isConnected && wake()) }`
   */
  wakeOn?: ((wake: () => void) => () => void) | false | undefined;
  /**
   * Called when a connection is open. `connections` counts it.
   *
   * @default none
   * @example `{ onOpen: ({ connections }) => log(connections) }`
   */
  onOpen?: ((event: AttemptEvent & { readonly connections: number }) => unknown) | undefined;
  /**
   * Called when the promise rejects. The report has no `reason`.
   *
   * @default none
   * @example `{ onGiveUp: ({ reason }) => log(reason) }`
   */
  onGiveUp?:
    | ((event: Omit<GiveUpEvent, 'report'> & { report: Omit<ReconnectReport, 'reason'> }) => unknown)
    | undefined;
}

/** Reports how keeping a connection ended, and what there was of it. */
export interface ReconnectReport<T = unknown> {
  /** `aborted` by the caller's signal, or `finished` by {@link Connection.finish}. */
  readonly reason: 'aborted' | 'finished';
  /** The value of `finish`. */
  readonly value?: T;
  /** Number of calls of the session. */
  readonly attempts: number;
  /** Number of connections that were open. */
  readonly connections: number;
  /** How long they were open, in ms. */
  readonly openMs: number;
  /** Time since the call, in ms. */
  readonly elapsedMs: number;
}

/**
 * Keeps a connection: calls the session whenever there is none, one at a time, after waits that grow from one failure
 * to the next, and that start again at `baseMs` after a stable connection. The first call comes before this returns. A
 * session that *resolves* has ended, too, and is followed by the next.
 *
 * Resolves when the signal is aborted, or after `finish()`. Rejects with the session's own error if that is
 * {@link permanent}, if `retryIf` returns false, or after `maxAttempts`; and for invalid options.
 *
 * @example
 * ```js
 * import { closeError, keepConnected } from 'rejitter/reconnect';
 * const controller = new AbortController();
 * const listen = ({ signal, opened }) =>
 *   new Promise((_, reject) => {
 *     const socket = new WebSocket('ws://127.0.0.1:9');
 *     signal.addEventListener('abort', () => socket.close());
 *     socket.onopen = () => opened();
 *     socket.onclose = (event) => reject(closeError(event));
 *   });
 * const kept = keepConnected(listen, { signal: controller.signal });
 * controller.abort();
 * const { reason } = await kept; // 'aborted'
 * ```
 */
export function keepConnected<T = unknown>(
  session: (connection: Connection<T>) => unknown,
  options?: ReconnectOptions,
): Promise<ReconnectReport<T>>;

/**
 * Returns the error of a WebSocket's close event, with `code` and `reason`. It is {@link permanent} if another attempt
 * cannot help: 1002, 1003, 1007 to 1010, 3000, 3003, and 4400 to 4499 but 4408, 4409, 4425 and 4429.
 *
 * @example
 * ```js
 * import { closeError } from 'rejitter/reconnect';
 * const { message } = closeError({ code: 1006 }); // 'closed with 1006'
 * ```
 */
export function closeError(event: { readonly code: number; readonly reason?: string | undefined }): Error;
