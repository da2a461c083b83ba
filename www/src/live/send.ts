/**
 * Real retries: `fetch` calls of this page, made by the package's `createFetch` with the options of
 * the chosen strategy, and a record of each attempt.
 */
import { retryReport } from 'rejitter';
import { createFetch, type FetchInit, type FetchOptions } from 'rejitter/fetch';
import { policyOf } from '../state/strategy';
import { flakyUrl, stopRequest } from './flaky-server';
import { ATTEMPT, ATTEMPT_TIMEOUT_MS } from './protocol';
import { emptyRun, seedOf, type Leg, type Reply, type Run, type RunSettings, type Trace } from './run';

export interface RunOptions extends RunSettings {
  readonly signal: AbortSignal;
  /** An attempt was sent or has ended, or a call has. */
  readonly changed: (run: Run, trace: Trace, leg: Leg) => void;
}

/** Why an operation ends that would have been worth another attempt. */
const GAVE_UP = ['exhausted', 'deadline', 'timeout', 'hint'];

function urlOf({ name, seed, target }: Run, { id }: Trace): string {
  return flakyUrl(String(id), { run: name, seed: String(seed), failure: target.failure, rate: String(target.rate) });
}

/** A POST, which may only be sent again because it has an Idempotency-Key. */
function order({ id }: Trace): FetchInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ order: id }) };
}

/** All calls at once. `done` rejects only for a mistake of this page, not for what servers do. */
export function startRun(options: RunOptions): { run: Run; done: Promise<void> } {
  const { strategy, seed, signal, changed } = options;
  const startedAt = performance.now();
  let endedMs: number | undefined;
  const nowMs = (): number => endedMs ?? performance.now() - startedAt;
  const run: Run = { ...emptyRun(options), name: crypto.getRandomValues(new Uint32Array(2)).join('-'), nowMs };

  const retry: FetchOptions = {
    attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
    throwOnStatus: true,
    idempotencyKey: 'auto',
    signal,
  };

  async function call(trace: Trace): Promise<void> {
    // Fifty in one task would be a long one.
    await new Promise((resolve) => setTimeout(resolve));
    trace.outcome = 'running';
    const fetchAndRetry = createFetch(policyOf(strategy), (input: string, init?: RequestInit) =>
      record(trace, input, init),
    );
    const last = (): Leg | undefined => trace.legs.at(-1);
    try {
      const response = await fetchAndRetry(urlOf(run, trace), {
        ...order(trace),
        retry: {
          ...retry,
          seed: seedOf(seed, trace),
          onRetry: ({ delayMs, hintMs }) => {
            const leg = last();
            if (!leg) return;
            // This comes before the rejection of a fetch that timed out.
            end(leg, 'timeout');
            leg.waitMs = delayMs;
            if (hintMs !== undefined) leg.hintMs = hintMs;
            changed(run, trace, leg);
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
      if (leg) {
        end(leg, signal.aborted ? 'stopped' : 'timeout');
        changed(run, trace, leg);
      }
    }
  }

  /** The function that sends the requests of a call. */
  async function record(trace: Trace, input: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const leg: Leg = {
      attempt: trace.legs.length + 1,
      startMs: nowMs(),
      endMs: undefined,
      reply: undefined,
    };
    headers.set(ATTEMPT, String(leg.attempt));
    trace.legs.push(leg);
    changed(run, trace, leg);
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
