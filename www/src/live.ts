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
export const ANSWER_WITHIN_MS = 1000;

/** Browsers open six connections to one host. Further attempts queue here, where they cannot time out. */
const CONNECTIONS = 6;

class HttpError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

/** Worth another attempt: 5xx, 429, and no answer. Any other status would be the same again. */
function retryIf(error: unknown): boolean {
  return !(error instanceof HttpError) || error.status === 429 || error.status >= 500;
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
  const throughGate = createGate(CONNECTIONS);

  async function operation(trace: Trace): Promise<void> {
    const query = new URLSearchParams({ run: run.name, seed: String(seed), rate: String(failureRate) });
    const url = `flaky/${trace.id}?${query}`;
    try {
      await retry(
        (attempt) =>
          throughGate(attempt.signal, async () => {
            const leg: Leg = { attempt: attempt.attempt, waitMs: attempt.previousDelayMs, startMs: nowMs(), endMs: undefined, reply: undefined };
            trace.legs.push(leg);
            try {
              run.sent++;
              await post(url, attempt.signal);
              leg.reply = '200';
            } catch (error) {
              leg.reply = replyOf(error, signal);
              throw error;
            } finally {
              leg.endMs = nowMs();
            }
          }),
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

  const done = Promise.allSettled(traces.map(operation)).then((results) => {
    endedMs = nowMs();
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
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
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'slow';
  return 'drop';
}

/** Lets at most `limit` jobs run at a time. A job whose signal is aborted while it queues does not start. */
function createGate(limit: number): <T>(signal: AbortSignal, job: () => Promise<T>) => Promise<T> {
  let free = limit;
  const queue: (() => void)[] = [];
  return async (signal, job) => {
    while (free === 0) await new Promise<void>((resolve) => queue.push(resolve));
    free--;
    try {
      signal.throwIfAborted();
      return await job();
    } finally {
      free++;
      queue.shift()?.();
    }
  };
}
