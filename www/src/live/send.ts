/** Real retries: `fetch` calls of this page, made by the package's `createFetch`, and a record of each attempt. */
import { retryReport } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import { policyOf, type Strategy } from '../state/strategy';
import { flakyUrl } from './flaky-server';
import { ATTEMPT, ATTEMPT_TIMEOUT_MS, requestName } from './protocol';

/** A status, or the reason why it is missing. `stopped`: by Abort. */
export type Reply = number | 'network' | 'timeout' | 'stopped';

export interface Leg {
  readonly startMs: number;
  endMs?: number;
  reply?: Reply;
  /** The wait after it. */
  waitMs?: number | undefined;
}

export interface Trace {
  readonly id: number;
  readonly legs: Leg[];
  outcome: 'running' | 'ok' | 'gave up' | 'aborted';
  endMs?: number;
}

export interface Run {
  readonly name: string;
  readonly strategy: Strategy;
  readonly seed: number;
  readonly traces: readonly Trace[];
  /** Milliseconds since the run started; stands still once it has ended. */
  nowMs(): number;
}

export const CALLS = 8;

/** A run before its first request. */
export function emptyRun(strategy: Strategy, seed: number): Run {
  const traces = Array.from({ length: CALLS }, (_, i): Trace => ({ id: i + 1, legs: [], outcome: 'running' }));
  return { name: '', strategy, seed, traces, nowMs: () => 0 };
}

/** All calls at once. `done` rejects only for a mistake of this page, not for what servers do. */
export function startRun(strategy: Strategy, seed: number, signal: AbortSignal): { run: Run; done: Promise<void> } {
  const startedAt = performance.now();
  let endedMs: number | undefined;
  const nowMs = (): number => endedMs ?? performance.now() - startedAt;
  const run: Run = { ...emptyRun(strategy, seed), name: crypto.randomUUID?.() ?? String(startedAt), nowMs };

  async function call(trace: Trace): Promise<void> {
    const end = (reply: Reply, waitMs?: number): void => {
      const leg = trace.legs.at(-1);
      if (!leg) return;
      leg.endMs ??= nowMs();
      leg.reply ??= reply;
      leg.waitMs ??= waitMs;
    };
    /** Sends one attempt. */
    async function send(input: string, init: RequestInit = {}): Promise<Response> {
      trace.legs.push({ startMs: nowMs() });
      const headers = new Headers(init.headers);
      headers.set(ATTEMPT, String(trace.legs.length));
      try {
        const response = await fetch(input, { ...init, headers });
        end(response.status);
        return response;
      } catch (error) {
        end(signal.aborted ? 'stopped' : init.signal?.aborted ? 'timeout' : 'network');
        if (init.signal?.aborted)
          navigator.serviceWorker.controller?.postMessage(requestName(input, trace.legs.length));
        throw error;
      }
    }
    const retry = {
      attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
      throwOnStatus: true,
      signal,
      // Calls that shared a seed would retry in step.
      seed: `${seed}/${trace.id}`,
      // This comes before the rejection of a fetch that timed out.
      onRetry: ({ delayMs }: { delayMs: number }) => end('timeout', delayMs),
    };
    try {
      const url = flakyUrl(String(trace.id), { run: run.name, seed: String(seed) });
      await createFetch(policyOf(strategy), send)(url, { retry });
      trace.outcome = 'ok';
    } catch (error) {
      // A mistake of this page must not pass for an outcome.
      if (!signal.aborted && !retryReport(error)) throw error;
      trace.outcome = signal.aborted ? 'aborted' : 'gave up';
    } finally {
      trace.endMs = nowMs();
      end(signal.aborted ? 'stopped' : 'timeout');
    }
  }

  const done = Promise.all(run.traces.map(call)).then(() => void (endedMs = nowMs()));
  return { run, done };
}
