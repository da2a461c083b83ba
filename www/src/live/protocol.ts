/** What the page and its flaky server, the service worker, say to each other. */

/** How long the server takes to answer, from and up to. */
export const LATENCY_MS = [60, 160] as const;
/** The page waits for an answer for so long, and a slow one takes longer. */
export const ATTEMPT_TIMEOUT_MS = 1000;
export const SLOW_MS = 3000;
/** What a 429 asks for. */
export const RETRY_AFTER_S = 1;

/** The header with the number of the attempt, by which a restarted worker finds its place again. */
export const ATTEMPT = 'attempt';

/** Says where a request stands: a run, a call of it and the number of the attempt. */
export function requestName(run: string, call: string, attempt: number): string {
  return [run, call, attempt].join('/');
}

/**
 * To take a page over that is not controlled yet; only to be kept alive; or that nobody waits for a
 * request any more (browsers do not pass an abort on to the `signal` of the worker's request).
 */
export type Message = 'claim' | 'stay' | { readonly stop: string };

/** What the worker counted for a run. */
export interface FlakyStats {
  /** Another one after the browser has ended the worker and started it again: its counts are lost then. */
  readonly instance: string;
  readonly requests: number;
  /** Different idempotency keys. */
  readonly keys: number;
  /** Answers that the page had stopped waiting for. */
  readonly stopped: number;
  /** The greatest number of requests under way at a time. */
  readonly mostAtOnce: number;
}
