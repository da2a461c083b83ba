/**
 * The expected result of a run, before anything is sent: the rule of the flaky server and the waits of the policy
 * follow from the seed. Only the time that requests take beyond the server's latency is not known.
 */
import { fate, type Kind } from '../../demo/fate.mjs';
import type { LiveFailure } from '../state/state';
import { policyOf, type Strategy } from '../state/strategy';
import { ATTEMPT_TIMEOUT_MS, LATENCY_MS, RETRY_AFTER_S } from './protocol';
import { emptyRun, seedOf, type Leg, type Reply, type Run, type Trace } from './run';

interface Settings {
  readonly strategy: Strategy;
  readonly seed: number;
  readonly calls: number;
  readonly failure: LiveFailure;
  readonly rate: number;
}

const REPLIES: Readonly<Record<Kind, Reply>> = {
  ok: 200,
  unavailable: 503,
  limited: 429,
  dropped: 'network',
  slow: 'timeout',
};
/** A policy may retry without end against a server that always fails. */
const MOST_ATTEMPTS = 100;

export function forecast({ strategy, seed, calls, failure, rate }: Settings): Run {
  const policy = policyOf(strategy);
  const { maxAttempts, totalTimeoutMs } = strategy;

  function play(trace: Trace): void {
    for (let n = 1, startMs = 0; n <= Math.min(maxAttempts, MOST_ATTEMPTS); n++) {
      const { kind, latencyMs } = fate({
        seed,
        id: String(trace.id),
        n,
        failure,
        failureRate: rate,
        latencyMs: LATENCY_MS,
      });
      const endMs = startMs + (kind === 'slow' ? ATTEMPT_TIMEOUT_MS : latencyMs);
      const isLate = endMs >= totalTimeoutMs;
      const leg: Leg = {
        attempt: n,
        startMs,
        endMs: isLate ? totalTimeoutMs : endMs,
        reply: isLate ? 'timeout' : REPLIES[kind],
      };
      trace.legs.push(leg);
      trace.endMs = leg.endMs;
      trace.outcome = leg.reply === 200 ? 'ok' : 'gave up';
      if (isLate || kind === 'ok' || n === maxAttempts) return;
      const hintMs = kind === 'limited' ? 1000 * RETRY_AFTER_S : undefined;
      const waitMs = waitAfter(n, seedOf(seed, trace), hintMs);
      if (waitMs === undefined || endMs + waitMs >= totalTimeoutMs) return;
      leg.waitMs = waitMs;
      if (hintMs !== undefined) leg.hintMs = hintMs;
      startMs = endMs + waitMs;
    }
  }

  /** Undefined for a server that asks for a longer wait than the policy allows. */
  function waitAfter(attempt: number, seedOfCall: string, hintMs: number | undefined): number | undefined {
    try {
      return policy.delayMs(attempt, hintMs === undefined ? { seed: seedOfCall } : { seed: seedOfCall, hintMs });
    } catch {
      return undefined;
    }
  }

  const run = emptyRun({ strategy, seed, calls, target: { failure, rate } });
  for (const trace of run.traces) play(trace);
  const lastMs = Math.max(...run.traces.map(({ endMs = 0 }) => endMs));
  return { ...run, isForecast: true, nowMs: () => lastMs };
}
