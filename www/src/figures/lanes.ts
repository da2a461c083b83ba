/** Swimlanes: every call by a few of the clients. */
import { linear, type Scale } from '../charts/scale';
import { html, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { count, duration, plural } from '../charts/format';
import { TRACED, type HerdResult } from '../compute/herd';
import { title } from '../state/strategy';
import { herdReadout } from './herd-readout';
import { timeAxis } from './time-axis';

const LEFT = 28;
const TOP = 8;
const LANE = 14;
const BELOW = 44;

export const lanes: FigureSpec<HerdResult> = {
  id: 'lanes',
  title: 'Every call, client by client',
  subtitle: ({ input }) => [
    html('span', { class: 'hued', 'data-jitter': input.strategy.jitter }, title(input.strategy)),
    `, ${lanesIn(input.herd.clients)} of ${count(input.herd.clients)} clients`,
  ],
  height: (_, data) => TOP + LANE * lanesIn(data?.input.herd.clients ?? TRACED) + BELOW,

  draw(result, width) {
    const { input } = result;
    const { downMs, clients } = input.herd;
    const bottom = TOP + LANE * lanesIn(clients);
    const right = width - 12;
    const all = clientsOf(result);
    const x = scaleOf(result, all, width);
    const [, end] = x.domain;
    const marks: SVGElement[] = [
      svg('rect', { x: LEFT, y: TOP - 4, width: x(downMs) - LEFT, height: bottom - TOP + 4, class: 'down' }),
      timeAxis({ scale: x, title: 'time since the outage began', grid: [TOP - 4, bottom] }),
    ];
    for (const [i, { rejected, served, gaveUp }] of all.entries()) {
      const y = TOP + LANE * (i + 0.5);
      if (i % 4 === 0) marks.push(svg('text', { x: LEFT - 8, y: y + 4, 'text-anchor': 'end' }, String(i + 1)));
      const ticks = (from: number, to: number): string =>
        rejected.map((ms) => (ms >= from && ms < to ? `M${x(ms).toFixed(1)},${y - 4}v8` : '')).join('');
      marks.push(
        svg('line', { x1: LEFT, x2: right, y1: y, y2: y, class: 'grid' }),
        svg('path', { d: ticks(0, Math.min(downMs, end)), class: 'tick' }),
        svg('path', { d: ticks(downMs, end), class: 'tick late' }),
      );
      if (served !== undefined && served <= end)
        marks.push(
          svg('circle', {
            cx: x(served).toFixed(1),
            cy: y,
            r: 4.5,
            class: 'dot-mark',
            'data-jitter': input.strategy.jitter,
          }),
        );
      if (gaveUp !== undefined && gaveUp <= end)
        marks.push(svg('path', { d: `M${(x(gaveUp) - 4).toFixed(1)},${y - 4}l8,8m0,-8l-8,8`, class: 'gave-up' }));
    }
    return marks;
  },

  readout(result, width) {
    const all = clientsOf(result);
    return herdReadout(result, scaleOf(result, all, width), [TOP - 4, TOP + LANE * all.length], (ms, y) => {
      const before = (times: readonly number[]): number => times.filter((time) => time <= ms).length;
      const lane = y === undefined ? undefined : all[Math.floor((y - TOP) / LANE)];
      const said = [
        {
          name: 'served so far',
          value: `${before(all.flatMap(({ served }) => served ?? []))} of ${all.length}`,
          jitter: result.input.strategy.jitter,
        },
        { name: 'calls rejected so far', value: count(before(all.flatMap(rejectionsOf))) },
      ];
      if (!lane) return said;
      const state =
        (lane.served ?? Infinity) <= ms ? 'served' : (lane.gaveUp ?? Infinity) <= ms ? 'gave up' : 'not served yet';
      return [
        ...said,
        {
          name: `client ${all.indexOf(lane) + 1}`,
          value: `${state}, ${plural(before(rejectionsOf(lane)), 'call')} rejected`,
        },
      ];
    });
  },

  describe(result) {
    const all = clientsOf(result);
    const served = all.flatMap((client) => client.served ?? []);
    const gaveUp = all.filter((client) => client.gaveUp !== undefined).length;
    const calls = all.map((client) => client.rejected.length + (client.gaveUp === undefined ? 0 : 1));
    const when =
      served.length === 0
        ? ''
        : `, between ${duration(Math.min(...served))} and ${duration(Math.max(...served))} after the outage began`;
    return (
      `${title(result.input.strategy)}: of ${count(all.length)} clients ${count(served.length)} were ` +
      `served${when}${gaveUp === 0 ? '' : `, and ${count(gaveUp)} gave up`}. Each had ${Math.min(...calls)} to ` +
      `${Math.max(...calls)} calls rejected.`
    );
  },

  table({ traces, input }) {
    const { clients, timesMs, outcomes } = traces ?? { clients: [], timesMs: [], outcomes: [] };
    return {
      caption: `${title(input.strategy)}: the calls of ${lanesIn(input.herd.clients)} clients, seed ${input.seed}`,
      columns: [{ name: 'client' }, { name: 'time', unit: 'ms' }, { name: 'outcome' }],
      rows: Array.from(clients, (client, i) => [client + 1, timesMs[i], OUTCOMES[outcomes[i] ?? 0]]),
    };
  },

  note: () => [
    'Each row is a client. A tick is a rejected call, pink once the server is back. A dot is the call that was ' +
      'served, a cross the last one of a client that gave up. On the grey ground the server is down.',
  ],
};

function scaleOf({ horizonMs, input }: HerdResult, all: readonly Client[], width: number): Scale {
  const latest = Math.max(
    input.herd.downMs,
    ...all.flatMap(({ rejected, served, gaveUp }) => [rejected.at(-1) ?? 0, served ?? 0, gaveUp ?? 0]),
  );
  const isOver = all.every(({ served, gaveUp }) => (served ?? gaveUp) !== undefined);
  return linear([0, isOver ? Math.min(horizonMs, 1.04 * latest) : horizonMs], [LEFT, width - 12]);
}

/** The last rejection of a client that gave up is a mark of its own. */
function rejectionsOf({ rejected, gaveUp }: Client): readonly number[] {
  return gaveUp === undefined ? rejected : [...rejected, gaveUp];
}

function lanesIn(clients: number): number {
  return Math.min(TRACED, clients);
}

const OUTCOMES = ['rejected', 'served', 'gave up'] as const;

interface Client {
  readonly rejected: number[];
  served?: number;
  gaveUp?: number;
}

function clientsOf({ traces, input }: HerdResult): Client[] {
  const all = Array.from({ length: lanesIn(input.herd.clients) }, (): Client => ({ rejected: [] }));
  if (!traces) return all;
  for (const [i, number] of traces.clients.entries()) {
    const client = all[number];
    const ms = traces.timesMs[i] ?? 0;
    if (!client) continue;
    const outcome = OUTCOMES[traces.outcomes[i] ?? 0];
    if (outcome === 'served') client.served = ms;
    else if (outcome === 'gave up') client.gaveUp = ms;
    else client.rejected.push(ms);
  }
  return all;
}
