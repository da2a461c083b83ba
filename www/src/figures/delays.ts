/** How long each retry waits: a row per wait, the chosen strategy filled, the compared one behind it. */
import { linear, type Scale } from '../charts/scale';
import { densityMarks } from '../charts/density';
import { html, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { duration, plural, share } from '../charts/format';
import type { Column } from '../charts/table';
import type { Distribution, Wait } from '../compute/waits';
import { curveActs, sameChoice, title, type Strategy } from '../state/strategy';
import { waitAxis } from './time-axis';

export interface DelaysData {
  readonly strategy: Strategy;
  readonly chosen: Distribution;
  readonly compared: Distribution;
}

const TOP = 26;
const BELOW = 44;
const NARROW = 480;
/** Radius of the head of an atom. */
const HEAD = 4.5;
const MOST_WAITS_TALL = 6;

/** Of a row, and of its densest shape, which stands on the baseline. */
function heights(waits: number): { row: number; shape: number } {
  return waits <= MOST_WAITS_TALL ? { row: 44, shape: 30 } : { row: 30, shape: 19 };
}

export const delays: FigureSpec<DelaysData> = {
  id: 'delays',
  title: 'The wait before each retry',

  subtitle({ chosen, compared }) {
    const name = (choice: Distribution['choice']): HTMLElement => html('b', { 'data-jitter': choice.jitter, class: 'hued' }, title(choice));
    return sameChoice(chosen.choice, compared.choice) ? [name(chosen.choice)] : [name(chosen.choice), ' vs ', name(compared.choice)];
  },

  height(_, data) {
    const n = data?.chosen.waits.length ?? 5;
    return TOP + n * heights(n).row + BELOW;
  },

  draw({ strategy, chosen, compared }, width) {
    const n = chosen.waits.length;
    const { row, shape } = heights(n);
    const narrow = width < NARROW;
    const left = 52;
    const right = width - (narrow ? 62 : 176);
    const bottom = TOP + n * row;
    const widest = Math.max(1, ...[...chosen.waits, ...compared.waits].map((wait) => wait.hiMs));
    const scale = linear([0, widest], [left, right]);
    const marks: SVGElement[] = [waitAxis({ scale, title: 'wait before the retry', grid: [TOP, bottom] })];
    const heads: [number, string][] = narrow ? [[0, 'median']] : [[108, 'median'], [0, '5 to 95 %']];
    for (const [fromRight, head] of heads) marks.push(svg('text', { x: width - fromRight, y: 12, 'text-anchor': 'end', class: 'head' }, head));
    if (widest >= strategy.capMs) marks.push(capLine(strategy.capMs, scale, bottom));

    for (const [i, wait] of chosen.waits.entries()) {
      const base = TOP + row * i + (row + shape) / 2 - 3;
      const group = svg('g', { class: 'row', 'data-wait': wait.k });
      group.append(
        svg('line', { x1: left, x2: right, y1: base + 0.5, y2: base + 0.5, class: 'baseline' }),
        svg('text', { x: 0, y: base, class: 'label' }, `wait ${wait.k}`),
      );
      const behind = compared.waits[i];
      if (behind && !sameChoice(chosen.choice, compared.choice)) {
        group.append(svg('g', { class: 'compared', 'data-jitter': compared.choice.jitter }, ...densityMarks(behind, { scale, base, height: shape })));
      }
      group.append(svg('g', { 'data-jitter': chosen.choice.jitter }, ...densityMarks(wait, { scale, base, height: shape, head: HEAD }), ...summaryMarks(wait, scale, base)));
      const texts = narrow ? [duration(wait.p50Ms)] : [duration(wait.p50Ms), range(wait)];
      for (const [column, text] of texts.entries()) {
        const hue = column === 0 ? chosen.choice.jitter : undefined;
        group.append(svg('text', { x: width - (heads[column]?.[0] ?? 0), y: base, 'text-anchor': 'end', class: hue ? 'value hued' : 'value', 'data-jitter': hue }, text));
      }
      marks.push(group);
    }
    return marks;
  },

  describe({ chosen }) {
    const rows = chosen.waits.map((wait) => {
      if (isFixed(wait)) return `Wait ${wait.k}: always ${duration(wait.p50Ms)}.`;
      const atoms = wait.atoms.map((atom) => `, ${share(atom.probability)} of them exactly ${duration(atom.ms)}`);
      return `Wait ${wait.k}: median ${duration(wait.p50Ms)}, mean ${duration(wait.meanMs)}, 5 to 95 % between ${duration(wait.p05Ms)} and ${duration(wait.p95Ms)}${atoms.join('')}.`;
    });
    return `${title(chosen.choice)}. ${rows.join(' ')}`;
  },

  table({ chosen, compared }) {
    const both = sameChoice(chosen.choice, compared.choice) ? [chosen] : [chosen, compared];
    const names = ['at least', '5 %', 'median', 'mean', '95 %', 'at most'];
    const columns: Column[] = [{ name: 'wait' }, { name: 'strategy' }, ...names.map((name) => ({ name, unit: 'ms' as const })), { name: 'exactly the cap', unit: 'share' }];
    return {
      caption: 'Exact distributions of the waits',
      columns,
      rows: both.flatMap(({ choice, waits }) =>
        waits.map((wait) => [
          wait.k,
          title(choice),
          wait.loMs, wait.p05Ms, wait.p50Ms, wait.meanMs, wait.p95Ms, wait.hiMs,
          isFixed(wait) ? undefined : wait.atoms.reduce((sum, atom) => sum + atom.probability, 0),
        ]),
      ),
    };
  },

  note({ strategy, chosen }) {
    return [limits(strategy, chosen)];
  },
};

function isFixed(wait: Wait): boolean {
  return wait.loMs === wait.hiMs;
}

function range(wait: Wait): string {
  return isFixed(wait) ? 'always' : `${duration(wait.p05Ms)} – ${duration(wait.p95Ms)}`;
}

function capLine(capMs: number, scale: Scale, bottom: number): SVGGElement {
  const x = scale(capMs);
  return svg(
    'g',
    { class: 'limit' },
    svg('line', { x1: x, x2: x, y1: TOP - 8, y2: bottom }),
    svg('text', { x, y: 12, 'text-anchor': 'end' }, `cap ${duration(capMs)}`),
  );
}

/** The median as a triangle, 5 to 95 % as a bar, below the baseline. */
function summaryMarks(wait: Wait, scale: Scale, base: number): SVGElement[] {
  if (isFixed(wait)) return [];
  const [p05, p50, p95] = [wait.p05Ms, wait.p50Ms, wait.p95Ms].map((ms) => scale(ms).toFixed(1));
  return [
    svg('line', { x1: p05, x2: p95, y1: base + 4, y2: base + 4, class: 'span' }),
    svg('path', { d: `M${p50},${base + 1}l4,7h-8z`, class: 'median' }),
  ];
}

/** Which limits act in these waits; one that never acts is said to. */
function limits({ capMs, truncateAt, backoff, totalTimeoutMs }: Strategy, { choice, waits }: Distribution): string {
  const n = waits.length;
  const first = waits.find((wait) => wait.hiMs >= capMs)?.k;
  const said = [];
  if (backoff === 'truncated' && curveActs(choice)) {
    const acts = truncateAt < n && (first === undefined || first > truncateAt);
    said.push(acts ? `The curve stops growing at wait ${truncateAt}.` : `Truncation at wait ${truncateAt} does not act in ${plural(n, 'wait')}.`);
  }
  const cap = `cap of ${duration(capMs)}`;
  if (first === undefined) said.push(`The ${cap} is never reached in ${plural(n, 'wait')}.`);
  else said.push(curveActs(choice) ? `The ${cap} bounds the waits from wait ${first} on.` : `A wait can reach the ${cap} from wait ${first} on.`);
  const longest = duration(longestMs(waits, totalTimeoutMs));
  if (longestMs(waits, Infinity) < totalTimeoutMs) said.push(`All waits together take ${longest} at most.`);
  else said.push(`The deadline of ${duration(totalTimeoutMs)} ends the waits: together they take ${longest} at most.`);
  return said.join(' ');
}

/** The longest that all waits together can take: none is begun that would end at or after the deadline. */
export function longestMs(waits: readonly Wait[], totalTimeoutMs: number): number {
  let [least, most, longest] = [0, 0, 0];
  for (const { loMs, hiMs } of waits) {
    least += loMs;
    most += hiMs;
    if (least >= totalTimeoutMs) break;
    longest = Math.min(most, totalTimeoutMs);
  }
  return longest;
}
