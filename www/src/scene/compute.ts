/** One outage, one way to retry: what the scene shows. The clients and the server are those of the page's state. */
import { plan, simulateOutage } from 'rejitter-lab';
import {
  MOST_BINS,
  SPAN_MS,
  attemptsNeeded,
  boundOf,
  endlessMs,
  isEnough,
  longestMs,
  outageOptions,
  stops,
  type Needs,
  type OutageInput,
} from '../compute/outage';
import { createPace } from '../compute/pace';
import { MOST_WAITS, policyOf, type Strategy } from '../state/strategy';

/** Lanes of the picture. */
export const LANES = 24;
/** Bins of the picture. */
export const BINS = 400;
const BIN_MS = 10;
/** Retries that go on for much longer than the server needs are not drawn, but counted. */
const MOST_BOUNDS = 8;
/** A run with more calls is stopped. */
const MOST_CALLS = 10_000_000;
/** Time until the first answer of a long run, and between two. */
const REPORT_MS = 120;

/** Calls of one lane with the same outcome, so close that they are one mark. */
export interface Mark {
  readonly lane: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly outcome: 'rejected' | 'served' | 'gaveUp';
}

/** Calls that reach the server without a pause between them, after the outage. */
export interface Wave {
  readonly atMs: number;
  readonly toMs: number;
  readonly calls: number;
  readonly accepted: number;
}

/** What the scene shows, and the remedy with which 99% are served, if clients have given up and fewer are. */
export type SceneResult = ReturnType<typeof summary> & { readonly needs?: Needs | undefined };

export async function scene(
  input: OutageInput,
  report: (partial: SceneResult) => void,
  signal: AbortSignal,
): Promise<SceneResult> {
  const pace = createPace(signal);
  const { strategy, herd, seed } = input;
  const ends = stops(strategy);
  const mostMs = Math.max(SPAN_MS, MOST_BOUNDS * boundOf(herd));
  const binMs = Math.max(BIN_MS, mostMs / MOST_BINS);
  const simulation = simulateOutage(policyOf(strategy), {
    ...outageOptions(herd),
    horizonMs: ends ? MOST_BINS * binMs : endlessMs(herd),
    binMs,
    // Clients that give up are found in the traces.
    traced: ends ? herd.clients : LANES,
    seed,
  });
  try {
    let { done, events } = { done: false, events: 0 };
    let reportedAt = performance.now();
    while (!done && events < MOST_CALLS) {
      ({ done, events } = simulation.step(50_000));
      await pace();
      if (done || performance.now() - reportedAt < REPORT_MS) continue;
      report(summary(input, simulation.result(), mostMs, false, false));
      reportedAt = performance.now();
    }
    const found = summary(input, simulation.result(), mostMs, done, !done);
    const isShort = found.gaveUp > 0 && !isEnough(input, found);
    // The search for the remedy takes longer than the scene.
    if (isShort) report(found);
    return { ...found, needs: isShort ? await attemptsNeeded(input, pace) : undefined };
  } finally {
    simulation.free();
  }
}

type Outcome = Awaited<ReturnType<ReturnType<typeof simulateOutage>['run']>>;

function summary(
  input: OutageInput,
  { arrivals, accepted, servedMs, traces, giveUps, meanAttempts, binMs }: Outcome,
  mostMs: number,
  done: boolean,
  isCut: boolean,
) {
  const { herd } = input;
  const lastCallMs = arrivals.length * binMs;
  const lastServedMs = servedMs.at(-1);
  const lastAttemptMs = traces.timesMs.findLast((_, i) => traces.outcomes[i] === 2);
  const isOver = done && servedMs.length + giveUps === herd.clients;
  const lastMs = isOver ? Math.max(lastServedMs ?? 0, lastAttemptMs ?? 0) : endlessMs(herd);
  const spanMs = nice(Math.min(Math.max(SPAN_MS, lastMs), mostMs));
  const untilMs = isCut || !done ? lastCallMs : isOver ? lastMs : endlessMs(herd);
  const back = Math.ceil(herd.downMs / binMs);
  const after = arrivals.subarray(back).reduce((a, b) => a + b, 0);
  return {
    input,
    /** The end of the picture. */
    spanMs,
    served: servedMs.length,
    gaveUp: giveUps,
    /** When the last of the served was served, and the last client that gave up made its last call. */
    lastServedMs,
    lastAttemptMs,
    callsPerClient: meanAttempts,
    /** Everything up to this time is computed. */
    untilMs,
    /** Whether the run is stopped here, because it has too many calls. */
    isCut,
    /** Calls in each `BINS`-th of the span, and those of them that were served. */
    arrivals: binned(arrivals, binMs, spanMs),
    accepted: binned(accepted, binMs, spanMs),
    marks: marksOf(traces, spanMs, herd.downMs),
    /** After the outage: calls a second up to `untilMs` or the end, and the most in 100 ms. */
    callsPerS: lastCallMs > herd.downMs ? (1000 * after) / (lastCallMs - herd.downMs) : 0,
    ...wavesOf(arrivals, accepted, binMs, back),
    /** The longest that all waits of one client can take. */
    longestMs: longestOf(input.strategy),
  };
}

/** The last moment of the picture that is simulated; once no client is left, nothing happens any more. */
export function endOf({ input, served, gaveUp, spanMs, untilMs }: SceneResult): number {
  return served + gaveUp === input.herd.clients ? spanMs : Math.min(spanMs, untilMs);
}

function longestOf(strategy: Strategy): number {
  const { maxAttempts, totalTimeoutMs } = strategy;
  if (maxAttempts === 1) return 0;
  if (maxAttempts === Infinity) return totalTimeoutMs;
  const waits = plan(policyOf({ ...strategy, totalTimeoutMs: Infinity }), Math.min(maxAttempts - 1, MOST_WAITS));
  return longestMs(waits, totalTimeoutMs);
}

/** A round time that is not shorter. */
function nice(ms: number): number {
  const unit = ms <= 120_000 ? 10_000 : ms <= 7_200_000 ? 60_000 : 1_800_000;
  return unit * Math.ceil(ms / unit);
}

function binned(counts: Uint32Array, binMs: number, spanMs: number): number[] {
  const bins = Array.from({ length: BINS }, () => 0);
  for (const [i, n] of counts.entries()) {
    const at = Math.floor((i * binMs * BINS) / spanMs);
    if (at >= BINS) break;
    bins[at] = (bins[at] ?? 0) + n;
  }
  return bins;
}

const OUTCOMES = ['rejected', 'served', 'gaveUp'] as const;

/** Calls that are nearer than a quarter of a bin are one mark: thousands of them would draw the same. */
function marksOf({ clients, timesMs, outcomes }: Outcome['traces'], spanMs: number, downMs: number): Mark[] {
  const nearMs = spanMs / BINS / 4;
  const open = new Map<number, { lane: number; fromMs: number; toMs: number; outcome: Mark['outcome'] }>();
  const marks: Mark[] = [];
  for (const [i, lane] of clients.entries()) {
    const ms = Math.round(timesMs[i] ?? 0);
    const outcome = OUTCOMES[outcomes[i] ?? 0] ?? 'rejected';
    if (lane >= LANES || ms > spanMs) continue;
    const last = open.get(lane);
    const isSame = last?.outcome === outcome && last.fromMs < downMs === ms < downMs;
    if (last && isSame && ms - last.toMs <= nearMs) {
      last.toMs = ms;
      continue;
    }
    const mark = { lane, fromMs: ms, toMs: ms, outcome };
    open.set(lane, mark);
    marks.push(mark);
  }
  return marks;
}

/** More are no waves that one could see: then there are none. */
const MOST_WAVES = 200;

function wavesOf(arrivals: Uint32Array, accepted: Uint32Array, binMs: number, back: number) {
  const window = Math.max(1, Math.round(100 / binMs));
  const waves: { atMs: number; toMs: number; calls: number; accepted: number }[] = [];
  let [inWindow, busiest] = [0, 0];
  for (let bin = back; bin < arrivals.length; bin++) {
    const n = arrivals[bin] ?? 0;
    inWindow += n - (bin - window >= back ? (arrivals[bin - window] ?? 0) : 0);
    busiest = Math.max(busiest, inWindow);
    const last = waves.at(-1);
    if (n === 0) continue;
    if (last && bin > back && (arrivals[bin - 1] ?? 0) > 0) {
      last.toMs = (bin + 1) * binMs;
      last.calls += n;
      last.accepted += accepted[bin] ?? 0;
    } else waves.push({ atMs: bin * binMs, toMs: (bin + 1) * binMs, calls: n, accepted: accepted[bin] ?? 0 });
  }
  return { busiest, waves: waves.length <= MOST_WAVES ? waves : undefined };
}
