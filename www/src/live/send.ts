/**
 * Real retries: `fetch` calls of this page, made by the package's `createFetch` with the options of
 * the chosen strategy, and a record of each attempt.
 */
import { retryReport } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import { policyOf } from '../state/strategy';
import { flakyUrl, stopRequest } from './flaky-server';
import { ATTEMPT, ATTEMPT_TIMEOUT_MS } from './protocol';
import { emptyRun, seedOf, type Leg, type Reply, type Run, type RunSettings, type Trace } from './run';

/** Why an operation ends that would have been worth another attempt. */
const GAVE_UP = ['exhausted', 'deadline', 'timeout', 'hint'];

/**
 * All calls at once. `changed`: an attempt was sent or has ended, or a call has. `done` rejects only for a mistake of
 * this page, not for what servers do.
 */
export function startRun(
  settings: RunSettings,
  signal: AbortSignal,
  changed: () => void,
): { run: Run; done: Promise<void> } {
  const { strategy, seed, failure, rate } = settings;
  const startedAt = performance.now();
  let endedMs: number | undefined;
  const nowMs = (): number => endedMs ?? performance.now() - startedAt;
  const run: Run = { ...emptyRun(settings), name: crypto.getRandomValues(new Uint32Array(2)).join('-'), nowMs };

  async function call(trace: Trace): Promise<void> {
    // Fifty in one task would be a long one.
    await new Promise((resolve) => setTimeout(resolve));
    trace.outcome = 'running';
    const fetchAndRetry = createFetch(policyOf(strategy), (input: string, init?: RequestInit) =>
      record(trace, input, init),
    );
    const last = (): Leg | undefined => trace.legs.at(-1);
    const url = flakyUrl(String(trace.id), { run: run.name, seed: String(seed), failure, rate: String(rate) });
    try {
      const response = await fetchAndRetry(url, {
        // A POST may only be sent again because it has an Idempotency-Key.
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ order: trace.id }),
        retry: {
          attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
          throwOnStatus: true,
          idempotencyKey: 'auto',
          signal,
          seed: seedOf(seed, trace),
          onRetry({ delayMs }) {
            const leg = last();
            if (!leg) return;
            // This comes before the rejection of a fetch that timed out.
            end(leg, 'timeout');
            leg.waitMs = delayMs;
            changed();
          },
        },
      });
      await response.json();
      trace.outcome = 'ok';
    } catch (error) {
      const reason = retryReport(error)?.reason ?? '';
      if (signal.aborted) trace.outcome = 'aborted';
      else if (GAVE_UP.includes(reason)) trace.outcome = 'gave up';
      else if (reason === 'notRetryable' && last()?.reply !== undefined) trace.outcome = 'rejected';
      // A mistake of this page, which must not pass for an outcome.
      else throw error;
    } finally {
      trace.endMs = nowMs();
      const leg = last();
      if (leg) end(leg, signal.aborted ? 'stopped' : 'timeout');
      changed();
    }
  }

  /** The function that sends the requests of a call. */
  async function record(trace: Trace, input: string, init: RequestInit = {}): Promise<Response> {
    const leg: Leg = { attempt: trace.legs.length + 1, startMs: nowMs(), endMs: undefined, reply: undefined };
    const headers = new Headers(init.headers);
    headers.set(ATTEMPT, String(leg.attempt));
    trace.legs.push(leg);
    changed();
    try {
      const response = await fetch(input, { ...init, headers });
      end(leg, response.status);
      return response;
    } catch (error) {
      const stopped = init.signal?.aborted ?? false;
      end(leg, !stopped ? 'network' : signal.aborted ? 'stopped' : 'timeout');
      if (stopped) stopRequest(run.name, String(trace.id), leg.attempt);
      throw error;
    }
  }

  function end(leg: Leg, reply: Reply): void {
    leg.endMs ??= nowMs();
    leg.reply ??= reply;
  }

  const done = Promise.all(run.traces.map(call)).then(() => {
    endedMs = nowMs();
  });
  return { run, done };
}
