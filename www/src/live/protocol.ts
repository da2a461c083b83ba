/** Messages between the page and its flaky server, the service worker. */

/** How long the server takes to answer, from and up to. */
export const LATENCY_MS = [60, 160] as const;
/** Time that the page waits for a response; a slow one takes longer. */
export const ATTEMPT_TIMEOUT_MS = 1000;
export const SLOW_MS = 3000;
/** The delay that a 429 requests. */
export const RETRY_AFTER_S = 1;

/** The header with the number of the attempt, by which a restarted worker finds its place again. */
export const ATTEMPT = 'attempt';

/** Says where a request stands: a run, a call of it and the number of the attempt. */
export function requestName(run: string, call: string, attempt: number): string {
  return [run, call, attempt].join('/');
}

/**
 * To take a page over that is not controlled yet; only to be kept alive; or that the page no longer waits for a
 * request any more (browsers do not pass an abort on to the `signal` of the worker's request).
 */
export type Message = 'claim' | 'stay' | { readonly stop: string };

/** The worker's counts of a run. */
export interface FlakyStats {
  /** Another one after the browser has ended the worker and started it again: its counts are lost then. */
  readonly instance: string;
  readonly requests: number;
  /** Different idempotency keys. */
  readonly keys: number;
  /** Answers that the page had stopped waiting for. */
  readonly stopped: number;
  /** The greatest number of requests running at a time. */
  readonly mostAtOnce: number;
}
