/**
 * Real retries: `fetch` calls from this page to the misbehaving server it came from, made with
 * the very function and options that the code section prints.
 */
import * as rejitter from 'rejitter';
import type { Operation } from 'rejitter';
import { usage, type Settings, type Strategy } from './strategy';

/** What one attempt met: a status; `drop`, no answer at all; `slow`, none in time; `stopped`, by Abort. */
export type Reply = string;

export interface Leg {
  readonly attempt: number;
  /** The wait before this attempt. */
  readonly waitMs: number | undefined;
  readonly startMs: number;
  endMs: number | undefined;
  reply: Reply | undefined;
}

export interface Trace {
  readonly id: number;
  readonly legs: Leg[];
  outcome: 'running' | 'ok' | 'gave up' | 'aborted';
  endMs: number | undefined;
}

export interface Run {
  readonly name: string;
  readonly traces: readonly Trace[];
  /** Milliseconds since the run began; stands still once it is over. */
  nowMs(): number;
  /** How many requests this page has sent. */
  sent: number;
}

export interface RunOptions {
  readonly strategy: Strategy;
  readonly seed: number;
  readonly calls: number;
  readonly failureRate: number;
  readonly signal: AbortSignal;
}

/** A slower answer counts as a failure of the attempt. */
const ANSWER_WITHIN_MS = 1000;

/**
 * So many calls are under way at a time. Browsers open six connections to one host; what is more
 * would queue in the browser, and its time would run out there.
 */
const AT_A_TIME = 6;

class HttpError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

/** Worth another attempt: 5xx, 429, no answer (fetch's TypeError) or none in time. The rest would be the same again. */
function retryIf(error: unknown): boolean {
  if (error instanceof HttpError) return error.status === 429 || error.status >= 500;
  return error instanceof TypeError || isTimeout(error);
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

export function startRun(options: RunOptions): { run: Run; done: Promise<void> } {
  const { strategy, seed, calls, failureRate, signal } = options;
  const { name, options: settings } = usage(strategy);
  const retry = rejitter[name] as (fn: Operation<void>, options: Settings) => Promise<void>;
  const startedAt = performance.now();
  let endedMs: number | undefined;
  const nowMs = (): number => endedMs ?? performance.now() - startedAt;
  const traces = Array.from({ length: calls }, (_, i): Trace => ({ id: i + 1, legs: [], outcome: 'running', endMs: undefined }));
  const run: Run = { name: crypto.randomUUID(), traces, nowMs, sent: 0 };

  async function operation(trace: Trace): Promise<void> {
    const query = new URLSearchParams({ run: run.name, seed: String(seed), rate: String(failureRate) });
    const url = `flaky/${trace.id}?${query}`;
    try {
      await retry(
        async (attempt) => {
          const leg: Leg = { attempt: attempt.attempt, waitMs: attempt.previousDelayMs, startMs: nowMs(), endMs: undefined, reply: undefined };
          trace.legs.push(leg);
          run.sent++;
          try {
            await post(url, attempt.signal);
            leg.reply = '200';
          } catch (error) {
            leg.reply = replyOf(error, signal);
            throw error;
          } finally {
            leg.endMs = nowMs();
          }
        },
        // Each call draws from a seed of its own: clients that share their randomness retry in step.
        { ...settings, retryIf, signal, seed: `${seed}/${trace.id}` },
      );
      trace.outcome = 'ok';
    } catch (error) {
      // Neither Abort nor a failed attempt: a mistake of this page, which must not pass for a result.
      if (!signal.aborted && (trace.legs.length === 0 || !retryIf(error))) throw error;
      trace.outcome = signal.aborted ? 'aborted' : 'gave up';
    } finally {
      trace.endMs = nowMs();
    }
  }

  // All of these take from one iterator, so each call is made once. After Abort the calls that
  // have not begun are refused by the package, with the same reason.
  const waiting = traces.values();
  const next = async (): Promise<void> => {
    for (const trace of waiting) await operation(trace);
  };
  const done = Promise.all(Array.from({ length: AT_A_TIME }, next)).then(() => {
    endedMs = nowMs();
  });
  return { run, done };
}

/**
 * One attempt. POST, because Firefox sends a GET again by itself when its connection is dropped:
 * the server would see more attempts than this page made.
 */
async function post(url: string, signal: AbortSignal): Promise<void> {
  const limit = new AbortController();
  const stop = (): void => limit.abort(signal.reason);
  const timer = setTimeout(() => limit.abort(new DOMException('no answer in time', 'TimeoutError')), ANSWER_WITHIN_MS);
  signal.addEventListener('abort', stop);
  try {
    const response = await fetch(url, { method: 'POST', signal: limit.signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw new HttpError(response.status);
    }
    await response.json();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function replyOf(error: unknown, signal: AbortSignal): Reply {
  if (signal.aborted) return 'stopped';
  if (error instanceof HttpError) return String(error.status);
  if (isTimeout(error)) return 'slow';
  return error instanceof TypeError ? 'drop' : String(error);
}
