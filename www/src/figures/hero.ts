/** The first thing to see: the same clients and the same outage, without jitter and with. */
import { svg } from '../charts/dom';
import { count, duration, plural, short } from '../charts/format';
import { FIRST_CALLS_MS, LATENCY_MS, type HerdResult, type HerdRun } from '../compute/herd';
import { capitalised, jitterName, type Choice, type Strategy } from '../state/strategy';
import { createPainter, lastAttempt, servedCurve } from './traffic';

export function heroSentence({ input, horizonMs }: Pick<HerdResult, 'input' | 'horizonMs'>): string {
  const { clients, downMs, capacityPerS } = input.herd;
  return (
    `${count(clients)}\u00a0clients, server down for ${duration(downMs)}, then ${short(capacityPerS)} calls a ` +
    'second. ' +
    `${duration(horizonMs)} of traffic: hatched is the outage, pink is what the server rejects; the curve counts ` +
    'the clients served.'
  );
}

export function heroLabel(choice: Choice): string {
  return choice.jitter === 'none' ? 'No jitter' : `${capitalised(jitterName(choice))} jitter`;
}

export interface Outcome {
  readonly text: string;
  /** The fate of the others. */
  readonly rest: string;
  readonly isBad: boolean;
}

/** The outcome with its numbers: who was served, who gave up, and who still waits where the computation ends. */
export function outcomeOf(run: HerdRun, { input, horizonMs }: Pick<HerdResult, 'input' | 'horizonMs'>): Outcome {
  const { clients } = input.herd;
  const { served, gaveUp, lastAttemptMs, untilMs, isCut } = run;
  const of = `${count(served)} of ${count(clients)}`;
  if (run.allServedMs !== undefined) return { text: `${of} by ${by(run.allServedMs)}`, rest: '', isBad: false };
  const waiting = clients - served - gaveUp;
  const isBad = served < 0.99 * clients;
  if (isCut) return { text: `cut off at ${duration(untilMs)}`, rest: `${of} served up to there`, isBad: true };
  if (waiting > 0) {
    const others = gaveUp > 0 ? `${count(gaveUp)} gave up, ` : '';
    return {
      text: `${of} after ${duration(Math.max(horizonMs, untilMs))}`,
      rest: `${others}${count(waiting)} still retry`,
      isBad,
    };
  }
  return {
    text: `${of} served`,
    rest: `${count(gaveUp)} gave up${lastAttemptMs === undefined ? '' : ` by ${by(lastAttemptMs + LATENCY_MS)}`}`,
    isBad,
  };
}

/** A tenth of a second below ten seconds, whole seconds above: never earlier than it was. */
export function by(ms: number): string {
  const step = ms < 10_000 ? 100 : ms < 120_000 ? 1000 : 60_000;
  return duration(step * Math.ceil(ms / step));
}

/** Says what the limits do to the chosen strategy, and what would be without them. */
export function limitsSentence(result: HerdResult): string {
  const { input, other, horizonMs } = result;
  const { strategy, herd } = input;
  const chosen = result.runs.find(
    ({ choice }) => choice.backoff === strategy.backoff && choice.jitter === strategy.jitter,
  );
  const asSet = herd.limits === 'set' ? chosen : other;
  const endless = herd.limits === 'set' ? other : chosen;
  if (!asSet || !endless) return '';
  const limits = limitsInWords(strategy);
  const jitter = strategy.jitter === 'none' ? 'no jitter' : `${jitterName(strategy)} jitter`;
  if (limits === '') return `With ${jitter} and no limit, no client ever gives up.`;
  const who = `With ${limits} and ${jitter}`;
  if (asSet.isCut)
    return (
      `${who}, clients make more than ${short(asSet.calls)} calls in ${duration(asSet.untilMs)}: the simulation ` +
      'stops there.'
    );
  if (asSet.gaveUp === 0)
    return asSet.served === herd.clients
      ? `${who}, no client gives up.`
      : `${who}, no client gives up within ${duration(asSet.untilMs)}.`;
  const time = asSet.lastAttemptMs === undefined ? '' : ` by ${by(asSet.lastAttemptMs + LATENCY_MS)}`;
  const all = `${count(asSet.gaveUp)} of ${count(herd.clients)} clients`;
  return herd.limits === 'set'
    ? `${who}, ${all} give up${time}. If they never gave up, ${endlessly(endless, herd.clients, horizonMs)}.`
    : `Here no client gives up. ${who}, ${all} would give up${time}.`;
}

function endlessly(
  { served, allServedMs, isCut, untilMs, calls }: HerdRun,
  clients: number,
  horizonMs: number,
): string {
  if (allServedMs !== undefined) return `all would be served by ${by(allServedMs)}`;
  if (isCut) return `the server would get ${short(calls)} calls in ${duration(untilMs)}`;
  return (
    `${count(served)} would be served by ` +
    `${duration(horizonMs)}${served < clients ? ' and the others still retry' : ''}`
  );
}

/** The attempt limit and the deadline; empty if there is neither. */
export function limitsInWords({ maxAttempts, totalTimeoutMs }: Strategy): string {
  const parts = [
    ...(maxAttempts === Infinity ? [] : [plural(maxAttempts, 'attempt')]),
    ...(totalTimeoutMs === Infinity ? [] : [`a deadline of ${duration(totalTimeoutMs)}`]),
  ];
  return parts.join(', ');
}

/** Says why clients without jitter are not served; empty if this run does not show it. */
export function whyOf({ wave }: HerdRun): string {
  if (!wave || wave.accepted >= 0.5 * wave.calls) return '';
  return (
    `All ${count(wave.calls)} come back within the same ${duration(FIRST_CALLS_MS)}; the server can take ` +
    `${count(wave.accepted)} of them.`
  );
}

export const HERO_STRIP = 24;
export const HERO_CURVE = 16;
const GAP = 2;
/** Room above the strip for the mark of the last attempt. */
const ABOVE = 4;
export const HERO_HEIGHT = ABOVE + HERO_STRIP + GAP + HERO_CURVE;

/** A strip and the curve below it, `width` pixels wide. */
export function heroStrip(result: HerdResult, run: HerdRun, width: number): SVGSVGElement {
  const { input, binMs, horizonMs } = result;
  const { clients, downMs, capacityPerS } = input.herd;
  const { text, rest } = outcomeOf(run, result);
  const peak =
    run.peakPerS === undefined ? '' : `, ${short(run.peakPerS)} calls a second at the busiest moment after the outage`;
  const words = `${heroLabel(run.choice)}: ${text}${rest && `, ${rest}`}${peak}`;
  const box = { x: 0, y: ABOVE, width, height: HERO_STRIP };
  const drawing = svg('svg', {
    viewBox: `0 0 ${width} ${HERO_HEIGHT}`,
    width,
    height: HERO_HEIGHT,
    role: 'img',
    'aria-label': words,
    'data-jitter': run.choice.jitter,
  });
  drawing.append(
    createPainter()(
      { arrivals: run.arrivals, accepted: run.accepted, binMs, capacityPerS, downFromMs: 0, downToMs: downMs },
      box,
    ),
    servedCurve(run.accepted, clients, { ...box, y: ABOVE + HERO_STRIP + GAP, height: HERO_CURVE }),
  );
  const last = run.lastAttemptMs === undefined ? null : lastAttempt((width * run.lastAttemptMs) / horizonMs, box);
  if (last) drawing.append(last);
  return drawing;
}
