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
  outageInput,
  outageOptions,
  stops,
  type Needs,
  type Outage,
  type OutageInput,
} from '../compute/outage';
import { resultOf, type Pace } from '../compute/pace';
import { remedyOf } from '../compute/remedy';
import { beforeOf, type Before } from '../state/before';
import type { State } from '../state/state';
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

/** Calls of one lane with the same outcome, so close that they are one mark. */
export interface Mark {
  readonly lane: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly outcome: 'rejected' | 'served' | 'gaveUp';
}

/** One herd: what becomes of its clients with one strategy. */
export type Herd = ReturnType<typeof summary>;

export interface SceneInput extends OutageInput {
  /** What the strategy is compared with. */
  readonly before?: Pick<Before, 'name' | 'strategy'>;
}

export function sceneInput(state: State): SceneInput {
  const { name, strategy } = beforeOf(state.vs) ?? {};
  return { ...outageInput(state), ...(name && strategy && { before: { name, strategy } }) };
}

export interface SceneResult extends Herd {
  readonly input: SceneInput;
  /** The remedy with which 99% are served, if clients have given up and fewer are. */
  readonly needs?: Needs | undefined;
  /** The same clients with the strategy before or, where this one serves too few, with one that serves nearly all. */
  readonly other?: Herd | undefined;
}

export async function scene(
  input: SceneInput,
  pace: Pace,
  report: (partial: SceneResult) => void,
): Promise<SceneResult> {
  const own = await herdOf(input, pace, (herd) => report({ ...herd, input }));
  const found = own();
  const isShort = !isEnough(input, found);
  const givesUp = found.gaveUp > 0 && isShort;
  // The search for the remedy takes longer than the scene.
  if (givesUp) report({ ...found, input });
  const needs = givesUp ? await attemptsNeeded(input, pace) : undefined;
  const strategy = input.before?.strategy ?? (isShort ? (await remedyOf(input, pace))?.strategy : undefined);
  const other = strategy && (await herdOf({ ...input, strategy }, pace));
  // Both on one axis of time.
  const spanMs = Math.max(found.spanMs, other?.().spanMs ?? 0);
  return { ...own(spanMs), input, needs, other: other?.(spanMs) };
}

const mostMsOf = (herd: Outage): number => Math.max(SPAN_MS, MOST_BOUNDS * boundOf(herd));

/** Simulates one herd, and returns what summarises it for a picture of at least this span. */
async function herdOf(input: OutageInput, pace: Pace, report?: (herd: Herd) => void) {
  const { strategy, herd, seed } = input;
  const ends = stops(strategy);
  const binMs = Math.max(BIN_MS, mostMsOf(herd) / MOST_BINS);
  const simulation = simulateOutage(policyOf(strategy), {
    ...outageOptions(herd),
    horizonMs: ends ? MOST_BINS * binMs : endlessMs(herd),
    binMs,
    // Clients that give up are found in the traces.
    traced: ends ? herd.clients : LANES,
    seed,
  });
  const outcome = await resultOf(simulation, pace, MOST_CALLS, (soFar) => report?.(summary(input, soFar)));
  return (leastSpanMs = 0): Herd => summary(input, outcome, leastSpanMs);
}

/** `isCut` is undefined while the run goes on. */
type Outcome = ReturnType<ReturnType<typeof simulateOutage>['result']> & { readonly isCut?: boolean };

function summary(
  input: OutageInput,
  { arrivals, accepted, servedMs, traces, giveUps, meanAttempts, binMs, isCut }: Outcome,
  leastSpanMs = 0,
) {
  const { herd } = input;
  const lastCallMs = arrivals.length * binMs;
  const lastServedMs = servedMs.at(-1);
  const lastAttemptMs = traces.timesMs.findLast((_, i) => traces.outcomes[i] === 2);
  const isOver = isCut === false && servedMs.length + giveUps === herd.clients;
  const lastMs = isOver ? Math.max(lastServedMs ?? 0, lastAttemptMs ?? 0) : endlessMs(herd);
  const spanMs = Math.max(leastSpanMs, nice(Math.min(Math.max(SPAN_MS, lastMs), mostMsOf(herd))));
  const untilMs = isCut !== false ? lastCallMs : isOver ? lastMs : endlessMs(herd);
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
    isCut: isCut === true,
    /** Calls in each `BINS`-th of the span, and those of them that were served. */
    arrivals: binned(arrivals, binMs, spanMs),
    accepted: binned(accepted, binMs, spanMs),
    marks: marksOf(traces, spanMs, herd.downMs),
    /** After the outage: calls a second up to `untilMs` or the end, and the most in 100 ms. */
    callsPerS: lastCallMs > herd.downMs ? (1000 * after) / (lastCallMs - herd.downMs) : 0,
    ...wavesOf(arrivals, accepted, binMs, back),
    /** The longest that all waits of one client can take, and one of them. */
    ...longestOf(input.strategy),
  };
}

/** The last moment of the picture that is simulated for all; once no client is left, nothing happens any more. */
export function endOf(result: SceneResult): number {
  const ends = herdsOf(result).map(({ input, served, gaveUp, spanMs, untilMs }) =>
    served + gaveUp === input.herd.clients ? spanMs : Math.min(spanMs, untilMs),
  );
  return Math.min(...ends);
}

/** The herds of the picture from the top: before and after, or one that fails and one that does not. */
export function herdsOf({ other, ...result }: SceneResult): readonly Herd[] {
  if (!other) return [result];
  return result.input.before ? [other, result] : [result, other];
}

function longestOf(strategy: Strategy): { longestMs: number; longestWaitMs: number } {
  const { maxAttempts, totalTimeoutMs } = strategy;
  if (maxAttempts === 1) return { longestMs: 0, longestWaitMs: 0 };
  const count = Math.min(maxAttempts - 1, MOST_WAITS);
  const waits = plan(policyOf({ ...strategy, totalTimeoutMs: Infinity }), count);
  const most = Math.max(...waits.map(({ hiMs }) => hiMs));
  // Waits of a strategy without an end and without a cap grow for ever.
  const grows = maxAttempts === Infinity && (waits.at(-1)?.hiMs ?? 0) > (waits.at(-2)?.hiMs ?? 0);
  return {
    longestMs: maxAttempts === Infinity ? totalTimeoutMs : longestMs(waits, totalTimeoutMs),
    longestWaitMs: Math.min(totalTimeoutMs, grows ? Infinity : most),
  };
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

/** A wave is calls that reach the server without a pause between them. More are none that one could see. */
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
