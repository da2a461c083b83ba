/** Load over time: the four jitters of the chosen backoff, one above the other. */
import { leftAxis } from '../charts/axis';
import { linear, log, type Scale } from '../charts/scale';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { duration, rate } from '../charts/format';
import type { HerdResult, HerdRun } from '../compute/herd';
import { JITTERS, capitalised, jitterName } from '../state/strategy';
import { runOf } from './herd-layout';
import { herdReadout, rateAt } from './herd-readout';
import { timeAxis } from './time-axis';

const LEFT = 52;
const WORDS = 20;
const PANEL = 58;
const GAP = 10;
/** Narrower, the words on the right are fewer. */
const ROOMY = 420;
/** Width of the outage that has room for its name. */
const DOWN_LABEL = 84;
const TOP = 4;

export const arrivals: FigureSpec<HerdResult> = {
  id: 'arrivals',
  title: 'Load over time',
  subtitle: ({ input }) => [`${capitalised(input.strategy.backoff)} backoff, calls/s (log scale)`],
  height: (_, data) => bottomOf(data ? runsOf(data).length : JITTERS.length) + 44,

  draw(result, width) {
    const { binMs, input } = result;
    const { downMs, capacityPerS } = input.herd;
    const runs = runsOf(result);
    const right = width - 10;
    const bottom = bottomOf(runs.length);
    const x = scaleOf(result, width);
    // One call in a bin is the least that can be seen; it stands a little above the floor, and so does the capacity.
    const floor = Math.min(500 / binMs, capacityPerS / 2);
    const top = Math.max(10 * capacityPerS, ...runs.map((run) => perS(highestOf(run), binMs))) * 1.2;
    const marks: SVGElement[] = [timeAxis({ scale: x, title: 'time since the outage began', grid: [TOP, bottom] })];
    for (const [i, run] of runs.entries()) {
      const { jitter } = run.choice;
      const words = TOP + i * (WORDS + PANEL + GAP);
      const [from, base] = [words + WORDS, words + WORDS + PANEL];
      const y = log([floor, top], [base, from]);
      const level = Math.round(y(capacityPerS)) + 0.5;
      marks.push(
        svg('rect', { x: LEFT, y: words, width: x(downMs) - LEFT, height: WORDS + PANEL, class: 'down' }),
        leftAxis({ scale: y, format: rate, grid: [LEFT, right], ticks: powers(floor, top, PANEL) }),
        svg('path', {
          d: bars(
            run.arrivals,
            binMs,
            (ms) => x(ms),
            (calls) => y(perS(calls, binMs)),
            base,
          ),
          class: 'bars',
          'data-jitter': jitter,
        }),
        svg('line', { x1: LEFT, x2: right, y1: base + 0.5, y2: base + 0.5, class: 'baseline' }),
        svg('line', { x1: LEFT, x2: right, y1: level, y2: level, class: 'capacity' }),
        svg(
          'text',
          { x: right, y: words + 14, 'text-anchor': 'end', class: 'hued halo', 'data-jitter': jitter },
          width < ROOMY ? inShort(run) : inWords(run),
        ),
      );
      if (i > 0) continue;
      marks.push(
        ...(x(downMs) - LEFT < DOWN_LABEL
          ? []
          : [svg('text', { x: LEFT + 6, y: words + 14, class: 'down-label' }, 'server down')]),
        svg(
          'text',
          { x: right, y: level - from < 18 ? level + 14 : level - 5, 'text-anchor': 'end', class: 'halo strong' },
          `capacity ${rate(capacityPerS)}`,
        ),
      );
    }
    return marks;
  },

  readout: (result, width) =>
    herdReadout(result, scaleOf(result, width), [TOP, bottomOf(runsOf(result).length)], (ms) =>
      runsOf(result).map(({ choice, arrivals: calls }) => ({
        name: capitalised(jitterName(choice)),
        value: rate(rateAt(calls, result, ms)),
        jitter: choice.jitter,
      })),
    ),

  describe: (result) => {
    const { capacityPerS, downMs } = result.input.herd;
    return (
      `Server down for ${duration(downMs)}, capacity ${rate(capacityPerS)}. ` +
      `${runsOf(result).map(inWords).join('. ')}.`
    );
  },

  table(result) {
    const { binMs, horizonMs, input } = result;
    const runs = runsOf(result);
    return {
      caption:
        `${capitalised(input.strategy.backoff)} backoff: calls that arrive in each ${duration(binMs)}, seed ` +
        `${input.seed}`,
      columns: [
        { name: 'from', unit: 'ms' },
        ...runs.map(({ choice }) => ({ name: capitalised(jitterName(choice)), unit: 'count' as const })),
      ],
      rows: Array.from({ length: Math.round(horizonMs / binMs) }, (_, i) => [
        i * binMs,
        ...runs.map((run) => run.arrivals[i]),
      ]),
    };
  },

  note: ({ binMs }) => [
    `Counted in each ${duration(binMs)}; the dashed line is the server's capacity, the grey ground its outage.`,
  ],
};

function scaleOf({ horizonMs }: HerdResult, width: number): Scale {
  return linear([0, horizonMs], [LEFT, width - 10]);
}

function bottomOf(panels: number): number {
  return TOP + panels * (WORDS + PANEL + GAP) - GAP;
}

function runsOf({ runs, input }: HerdResult): HerdRun[] {
  const { backoff, jitter } = input.strategy;
  return [...new Set([...JITTERS, jitter])].flatMap((one) => runOf(runs, { backoff, jitter: one }) ?? []);
}

function inWords({ choice, peakPerS }: HerdRun): string {
  return (
    `${capitalised(jitterName(choice))}: ` +
    `${peakPerS === undefined ? 'not computed up to the recovery' : `peak ${rate(peakPerS)} after recovery`}`
  );
}

function inShort({ choice, peakPerS }: HerdRun): string {
  return `${capitalised(jitterName(choice))}: ${peakPerS === undefined ? 'cut off' : `peak ${rate(peakPerS)}`}`;
}

function highestOf({ arrivals: calls }: HerdRun): number {
  return calls.reduce((a, b) => Math.max(a, b), 0);
}

function perS(calls: number, binMs: number): number {
  return (1000 * calls) / binMs;
}

/** Powers of ten with room for their labels. */
function powers(from: number, to: number, height: number): number[] {
  const first = Math.ceil(Math.log10(from));
  const all = Array.from({ length: Math.floor(Math.log10(to)) - first + 1 }, (_, i) => 10 ** (first + i));
  const every = Math.ceil((15 * Math.log10(to / from)) / height);
  return all.filter((_, i) => i % every === 0);
}

/** One shape for neighbours, so that there are no seams between them. */
function bars(
  calls: Uint32Array,
  binMs: number,
  x: (ms: number) => number,
  y: (calls: number) => number,
  base: number,
): string {
  let path = '';
  for (const [i, n] of calls.entries()) {
    if (n === 0) continue;
    if ((calls[i - 1] ?? 0) === 0) path += `M${x(i * binMs).toFixed(2)},${base}`;
    path += `V${y(n).toFixed(1)}H${x((i + 1) * binMs).toFixed(2)}`;
    if ((calls[i + 1] ?? 0) === 0) path += `V${base}z`;
  }
  return path;
}
