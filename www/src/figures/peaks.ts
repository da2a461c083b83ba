/** Peak load as the herd grows: how many calls the server gets in its worst moment after the outage. */
import { area, line } from 'd3-shape';
import { bottomAxis, leftAxis, logTicks } from '../charts/axis';
import { log } from '../charts/scale';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { count, duration, plural, rate, short } from '../charts/format';
import { LABEL_HEIGHT, along, placed, spread } from '../charts/labels';
import { symbolMark } from '../charts/symbols';
import type { Peak, PeaksResult } from '../compute/peaks';
import { JITTERS, capitalised, type Jitter } from '../state/strategy';

const TOP = 34;
const PLOT = 334;
const BELOW = 44;
const LEFT = 48;
/** For the names at the ends of the lines. */
const RIGHT = 96;
/** Narrower, neighbouring labels of clients would touch. */
const NARROW = 330;

export const peaks: FigureSpec<PeaksResult> = {
  id: 'peaks',
  title: 'Peak load as the herd grows',
  subtitle: ({ input, windowMs }) => [
    `${capitalised(input.strategy.backoff)}: worst ${duration(windowMs)} after the outage`,
  ],
  height: () => TOP + PLOT + BELOW,

  draw({ input, peaks: found }, width) {
    const { capacityPerS } = input.herd;
    const [right, bottom] = [width - RIGHT, TOP + PLOT];
    const rates = [capacityPerS, ...found.flatMap(({ peakPerS }) => [peakPerS.p5, peakPerS.p95])];
    const reach: [number, number] = [Math.min(...rates) / 1.4, Math.max(...rates) * 1.4];
    const x = log([Math.min(...input.clients), Math.max(...input.clients)], [LEFT + 8, right]);
    const y = log(reach, [bottom, TOP]);
    const band = area<Peak>()
      .x(({ clients }) => x(clients))
      .y0(({ peakPerS }) => y(peakPerS.p5))
      .y1(({ peakPerS }) => y(peakPerS.p95));
    const lines = JITTERS.map((jitter) => {
      const own = of(found, jitter);
      return { jitter, own, points: own.map((peak): [number, number] => [x(peak.clients), y(peak.peakPerS.p50)]) };
    }).filter(({ points }) => points.length > 0);
    const ends = spread(
      lines.map(({ points }) => points.at(-1)?.[1] ?? 0),
      LABEL_HEIGHT,
      [TOP, bottom],
    );

    const limit = y(capacityPerS);
    const name = { text: `capacity ${rate(capacityPerS)}`, x: LEFT + 12, y: limit - 8, radius: 0 };
    const obstacles = [
      { x: LEFT, y: limit - 1, width: right - LEFT, height: 2 },
      ...lines.flatMap(({ points }) => along(points)),
    ];
    const [place] = placed([name], obstacles, { x: LEFT + 4, y: TOP, width: right - LEFT - 4, height: PLOT });

    return [
      leftAxis({
        scale: y,
        format: rate,
        ticks: logTicks(reach),
        title: 'calls per second (log scale)',
        grid: [LEFT, right],
      }),
      bottomAxis({
        scale: x,
        format: short,
        ticks: width < NARROW ? [50, 500, 5000] : [50, 100, 500, 1000, 5000],
        title: 'clients (log scale)',
        grid: [TOP, bottom],
      }),
      svg('line', { x1: LEFT, x2: right, y1: limit, y2: limit, class: 'bound' }),
      ...(place ? [svg('text', { x: place.x, y: place.y + 12, class: 'bound-label' }, name.text)] : []),
      ...lines.map(({ jitter, own, points }) =>
        svg(
          'g',
          { 'data-jitter': jitter, class: jitter === input.strategy.jitter ? 'series chosen' : 'series' },
          svg('path', { d: band(own) ?? '', class: 'band' }),
          svg('path', { d: line()(points) ?? '', class: 'line' }),
          ...points.map(([px, py]) => symbolMark({ backoff: input.strategy.backoff, jitter }, px, py, 30)),
        ),
      ),
      ...lines.map(({ jitter, points }, i) =>
        svg(
          'text',
          {
            x: (points.at(-1)?.[0] ?? 0) + 9,
            y: (ends[i] ?? 0) + 4,
            class: 'value hued direct',
            'data-jitter': jitter,
          },
          named(jitter),
        ),
      ),
    ];
  },

  describe({ input, windowMs, peaks: found }) {
    const findings = JITTERS.flatMap((jitter) => {
      const own = of(found, jitter);
      const [first, last] = [own[0], own.at(-1)];
      return first && last
        ? [
            `${named(jitter)}: ${rate(first.peakPerS.p50)} with ${count(first.clients)} clients, ` +
              `${rate(last.peakPerS.p50)} with ${count(last.clients)}`,
          ]
        : [];
    });
    return (
      `${capitalised(input.strategy.backoff)} backoff, capacity ${rate(input.herd.capacityPerS)}, most calls in ` +
      `any ${duration(windowMs)} after the server is back. ${findings.join('; ')}.`
    );
  },

  table({ input, windowMs, peaks: found }) {
    const sizes = [...input.clients];
    const peakOf = (clients: number, jitter: Jitter): number | undefined =>
      of(found, jitter).find((peak) => peak.clients === clients)?.peakPerS.p50;
    return {
      caption:
        `Most calls in any ${duration(windowMs)} after the server is back, as a rate: median of ${seedsOf(found)}; ` +
        `${capitalised(input.strategy.backoff)} backoff, from seed ${input.seed} on`,
      columns: [
        { name: 'clients', unit: 'count' },
        ...JITTERS.map((jitter) => ({ name: named(jitter), unit: 'perS' as const })),
      ],
      rows: sizes.map((clients) => [clients, ...JITTERS.map((jitter) => peakOf(clients, jitter))]),
      isBad: (row, column) => (peakOf(sizes[row] ?? 0, JITTERS[column - 1] ?? 'none') ?? 0) > input.herd.capacityPerS,
    };
  },

  note({ input, peaks: found }) {
    const fits = JITTERS.flatMap((jitter) => {
      const most = of(found, jitter).findLast(({ peakPerS }) => peakPerS.p50 <= input.herd.capacityPerS);
      return most ? [`${named(jitter)} up to ${plural(most.clients, 'client')}`] : [];
    });
    if (found.length === 0) return ['No calls after the outage, or too many before its end to simulate.'];
    const said =
      fits.length === 0
        ? 'The server gets more calls than it can serve, whatever the jitter.'
        : `Within the server's capacity: ${fits.join(', ')}.`;
    return [`${said} Lines: median of ${seedsOf(found)}; bands: 5th to 95th percentile.`];
  },
};

function seedsOf(found: readonly Peak[]): string {
  const seeds = found.map((peak) => peak.seeds);
  const [least, most] = [Math.min(...seeds), Math.max(...seeds)];
  return least === most ? plural(most, 'seed') : `${least} to ${plural(most, 'seed')}`;
}

/** One line, from few clients to many. */
function of(found: readonly Peak[], jitter: Jitter): Peak[] {
  return found.filter((peak) => peak.jitter === jitter).sort((a, b) => a.clients - b.clients);
}

function named(jitter: Jitter): string {
  return jitter === 'none' ? 'No jitter' : capitalised(jitter);
}
