/** Swimlanes: every call by a few of the clients. */
import { linear } from '../charts/scale';
import { html, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, duration, short } from '../charts/format';
import { TRACED, type HerdResult } from '../compute/herd';
import { title } from '../state/strategy';
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
    `, ${lanesIn(input.herd.clients)} of ${short(input.herd.clients)} clients`,
  ],
  height: (_, data) => TOP + LANE * lanesIn(data?.input.herd.clients ?? TRACED) + BELOW,

  draw(result, width) {
    const { horizonMs, input } = result;
    const { downMs, clients } = input.herd;
    const bottom = TOP + LANE * lanesIn(clients);
    const right = width - 12;
    const all = clientsOf(result);
    const latest = Math.max(downMs, ...all.flatMap(({ rejected, served }) => [rejected.at(-1) ?? 0, served ?? 0]));
    const end = all.every(({ served }) => served !== undefined) ? Math.min(horizonMs, 1.04 * latest) : horizonMs;
    const x = linear([0, end], [LEFT, right]);
    const marks: SVGElement[] = [
      svg('rect', { x: LEFT, y: TOP - 4, width: x(downMs) - LEFT, height: bottom - TOP + 4, class: 'down' }),
      timeAxis({ scale: x, title: 'time since the outage began', grid: [TOP - 4, bottom] }),
    ];
    for (const [i, { rejected, served }] of all.entries()) {
      const y = TOP + LANE * (i + 0.5);
      if (i % 4 === 0) marks.push(svg('text', { x: LEFT - 8, y: y + 4, 'text-anchor': 'end' }, String(i + 1)));
      marks.push(
        svg('line', { x1: LEFT, x2: right, y1: y, y2: y, class: 'grid' }),
        svg('path', { d: rejected.map((ms) => `M${x(ms).toFixed(1)},${y - 4}v8`).join(''), class: 'tick' }),
      );
      if (served !== undefined) marks.push(svg('circle', { cx: x(served).toFixed(1), cy: y, r: 4.5, class: 'dot-mark', 'data-jitter': input.strategy.jitter }));
    }
    return marks;
  },

  describe(result) {
    const all = clientsOf(result);
    const served = all.flatMap((client) => client.served ?? []);
    const calls = all.map(({ rejected }) => rejected.length);
    const when = served.length === 0 ? '' : `, between ${duration(Math.min(...served))} and ${duration(Math.max(...served))} after the outage began`;
    return `${title(result.input.strategy)}: of ${count(all.length)} clients ${count(served.length)} were served within ${duration(result.horizonMs)}${when}. Each had ${Math.min(...calls)} to ${Math.max(...calls)} calls rejected.`;
  },

  table({ traces, input }) {
    const { clients, timesMs, outcomes } = traces ?? { clients: [], timesMs: [], outcomes: [] };
    return {
      caption: `${title(input.strategy)}: the calls of ${lanesIn(input.herd.clients)} clients, seed ${input.seed}`,
      columns: [{ name: 'client' }, { name: 'time', unit: 'ms' }, { name: 'outcome' }],
      rows: Array.from(clients, (client, i) => [client + 1, timesMs[i], outcomes[i] === 1 ? 'served' : 'rejected']),
    };
  },

  note: () => ['Each row is a client. A tick is a rejected call, a dot the one that was served; on the pink ground the server is down.'],
};

function lanesIn(clients: number): number {
  return Math.min(TRACED, clients);
}

interface Client {
  readonly rejected: number[];
  served?: number;
}

function clientsOf({ traces, input }: HerdResult): Client[] {
  const all = Array.from({ length: lanesIn(input.herd.clients) }, (): Client => ({ rejected: [] }));
  if (!traces) return all;
  for (const [i, number] of traces.clients.entries()) {
    const client = all[number];
    const ms = traces.timesMs[i] ?? 0;
    if (!client) continue;
    if (traces.outcomes[i] === 1) client.served = ms;
    else client.rejected.push(ms);
  }
  return all;
}
