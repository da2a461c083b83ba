/**
 * The expected result of a run, before anything is sent: the rule of the flaky server and the waits of the policy
 * follow from the seed. Only the time that requests take beyond the server's latency is not known.
 */
import { fate } from '../../demo/fate.mjs';
import { policyOf } from '../state/strategy';
import { ATTEMPT_TIMEOUT_MS, LATENCY_MS, RETRY_AFTER_S } from './protocol';
import { emptyRun, seedOf, type Leg, type Run, type RunSettings, type Trace } from './run';

const REPLIES = { ok: 200, unavailable: 503, limited: 429, dropped: 'network', slow: 'timeout' } as const;
/** A policy may retry without end against a server that always fails. */
const MOST_ATTEMPTS = 100;

export function forecast(settings: RunSettings): Run {
  const { strategy, seed, failure, rate } = settings;
  const policy = policyOf(strategy);
  const { maxAttempts, totalTimeoutMs } = strategy;

  function play(trace: Trace): void {
    for (let n = 1, startMs = 0; n <= Math.min(maxAttempts, MOST_ATTEMPTS); n++) {
      const request = { seed, id: String(trace.id), n, failure, failureRate: rate, latencyMs: LATENCY_MS };
      const { kind, latencyMs } = fate(request);
      const endMs = startMs + (kind === 'slow' ? ATTEMPT_TIMEOUT_MS : latencyMs);
      const isLate = endMs >= totalTimeoutMs;
      const reply = isLate ? 'timeout' : REPLIES[kind];
      const leg: Leg = { attempt: n, startMs, endMs: Math.min(endMs, totalTimeoutMs), reply };
      trace.legs.push(leg);
      trace.endMs = leg.endMs;
      trace.outcome = reply === 200 ? 'ok' : 'gave up';
      if (isLate || kind === 'ok' || n === maxAttempts) return;
      const waitMs = waitAfter(n, seedOf(seed, trace), kind === 'limited');
      if (waitMs === undefined || endMs + waitMs >= totalTimeoutMs) return;
      leg.waitMs = waitMs;
      startMs = endMs + waitMs;
    }
  }

  /** Undefined for a server that asks for a longer wait than the policy allows. */
  function waitAfter(attempt: number, ownSeed: string, isLimited: boolean): number | undefined {
    try {
      return policy.delayMs(attempt, { seed: ownSeed, ...(isLimited && { hintMs: 1000 * RETRY_AFTER_S }) });
    } catch {
      return undefined;
    }
  }

  const run = emptyRun(settings);
  for (const trace of run.traces) play(trace);
  const lastMs = Math.max(...run.traces.map(({ endMs = 0 }) => endMs));
  return { ...run, isForecast: true, nowMs: () => lastMs };
}
