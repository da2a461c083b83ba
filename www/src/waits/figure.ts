/** How long each retry waits: a row per wait. */
import { linear, type Scale } from '../charts/scale';
import { atomTop, densityMarks } from '../charts/density';
import { html, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { count, duration, plural, share } from '../charts/format';
import { labelWidth } from '../charts/labels';
import type { Column } from '../charts/table';
import { MOST_DRAWN, type Distribution, type Wait } from './compute';
import { longestMs } from './total';
import { curveActs, formulaOf, title, truncationActs, withChoice, type Strategy } from '../state/strategy';
import { strategyInWords } from '../state/words';
import { waitAxis } from '../charts/time-axis';

export interface DelaysData {
  readonly strategy: Strategy;
  readonly chosen: Distribution;
}

const TOP = 26;
const BELOW = 44;
const LEFT = 52;
const NARROW = 480;
const MOST_WAITS_TALL = 6;
/** Radius of the head of an atom. */
const HEAD = 4.5;
/** Room for its label above a shape. */
const LABEL = 18;

/** Heights: a row, its densest shape on the baseline, and the space below. */
function heights(waits: readonly Wait[]): { row: number; shape: number; below: number } {
  const label = waits.some((wait) => meeting(wait)) ? LABEL : 0;
  return waits.length <= MOST_WAITS_TALL
    ? { row: 44 + label, shape: 30, below: 10 }
    : { row: 30 + label, shape: 19, below: 8.5 };
}

export const delays: FigureSpec<DelaysData> = {
  id: 'delays',
  title: 'How long is the wait before each retry?',

  subtitle: ({ strategy }) => [
    html('b', { 'data-jitter': strategy.jitter, class: 'hued' }, title(strategy)),
    ` · ${formulaOf(strategy)}`,
  ],

  height(_, data) {
    const waits = data ? drawnOf(data.chosen) : undefined;
    const row = waits ? heights(waits).row : 44;
    return TOP + (waits?.length ?? 5) * row + BELOW;
  },

  draw({ strategy, chosen }, width) {
    const waits = drawnOf(chosen);
    const { row, shape, below } = heights(waits);
    const narrow = width < NARROW;
    const right = width - (narrow ? 62 : 176);
    const bottom = TOP + waits.length * row;
    const widest = Math.max(1, ...waits.map((wait) => wait.hiMs));
    const scale = linear([0, widest], [LEFT, right]);
    const marks: SVGElement[] = [waitAxis({ scale, title: 'wait before the retry', grid: [TOP, bottom] })];
    const heads: [number, string][] = narrow
      ? [[0, 'median']]
      : [
          [108, 'median'],
          [0, '5 to 95%'],
        ];
    for (const [fromRight, head] of heads)
      marks.push(svg('text', { x: width - fromRight, y: 12, 'text-anchor': 'end', class: 'head' }, head));
    if (widest >= strategy.capMs) marks.push(capLine(strategy.capMs, scale, bottom));
    const most = mostMet(waits);

    for (const [i, wait] of waits.entries()) {
      const base = TOP + row * (i + 1) - below;
      const group = svg('g', { class: 'row', 'data-wait': wait.k });
      group.append(
        svg('line', { x1: LEFT, x2: right, y1: base + 0.5, y2: base + 0.5, class: 'baseline' }),
        svg('text', { x: 0, y: base, class: 'label' }, `wait ${wait.k}`),
      );
      const box = { scale, base, height: shape, head: HEAD };
      group.append(
        svg(
          'g',
          { 'data-jitter': chosen.choice.jitter },
          ...densityMarks(wait, box),
          ...summaryMarks(wait, scale, base),
        ),
      );
      const atom = meeting(wait);
      if (atom)
        group.append(
          atomLabel(atom, strategy, scale, Math.min(atomTop(atom, box) - HEAD, base - shape) - 3, wait === most),
        );
      const texts = narrow ? [duration(wait.p50Ms)] : [duration(wait.p50Ms), range(wait)];
      for (const [column, text] of texts.entries()) {
        const hue = column === 0 ? chosen.choice.jitter : undefined;
        group.append(
          svg(
            'text',
            {
              x: width - (heads[column]?.[0] ?? 0),
              y: base,
              'text-anchor': 'end',
              class: hue ? 'value hued' : 'value',
              'data-jitter': hue,
            },
            text,
          ),
        );
      }
      marks.push(group);
    }
    return marks;
  },

  describe({ strategy, chosen }) {
    const rows = drawnOf(chosen).map((wait) => {
      if (isFixed(wait)) return `Wait ${wait.k}: always ${duration(wait.p50Ms)}.`;
      const atoms = wait.atoms.map((atom) => `, ${share(atom.probability)} of them exactly ${duration(atom.ms)}`);
      return (
        `Wait ${wait.k}: median ${duration(wait.p50Ms)}, mean ${duration(wait.meanMs)}, 5 to 95% between ` +
        `${duration(wait.p05Ms)} and ${duration(wait.p95Ms)}${atoms.join('')}.`
      );
    });
    return `${title(withChoice(strategy, chosen.choice))}. ${rows.length > 0 ? rows.join(' ') : 'There are 0 waits.'}`;
  },

  table({ strategy, chosen }) {
    const names = ['at least', '5%', 'median', 'mean', '95%', 'at most'];
    const columns: Column[] = [
      { name: 'wait', unit: 'count' },
      { name: 'strategy' },
      ...names.map((name) => ({ name, unit: 'ms' as const })),
      { name: 'exactly the cap', unit: 'share' },
    ];
    return {
      caption: 'Exact distributions of the waits',
      columns,
      rows: [chosen].flatMap(({ choice, waits }) =>
        (strategy.maxAttempts === Infinity ? waits.slice(0, MOST_DRAWN) : waits).map((wait) => [
          wait.k,
          title(withChoice(strategy, choice)),
          wait.loMs,
          wait.p05Ms,
          wait.p50Ms,
          wait.meanMs,
          wait.p95Ms,
          wait.hiMs,
          isFixed(wait)
            ? undefined
            : wait.atoms.reduce((sum, { ms, probability }) => sum + (ms >= strategy.capMs ? probability : 0), 0),
        ]),
      ),
    };
  },

  settings: ({ strategy }) => strategyInWords({ strategy }),

  note({ strategy, chosen }) {
    return [limits(strategy, chosen)];
  },
};

function drawnOf({ waits }: Distribution): readonly Wait[] {
  return waits.slice(0, MOST_DRAWN);
}

function isFixed(wait: Wait): boolean {
  return wait.loMs === wait.hiMs;
}

/** The value at which most clients meet, though the wait is drawn. */
function meeting(wait: Wait): Wait['atoms'][number] | undefined {
  if (isFixed(wait)) return undefined;
  return wait.atoms.reduce<Wait['atoms'][number] | undefined>(
    (most, atom) => (most && most.probability >= atom.probability ? most : atom),
    undefined,
  );
}

/** The wait at which most clients meet. */
function mostMet(waits: readonly Wait[]): Wait | undefined {
  const shareOf = (wait: Wait): number => meeting(wait)?.probability ?? 0;
  // The last of equal ones, which has the most room.
  return waits.reduce<Wait | undefined>(
    (most, wait) => (shareOf(wait) > 0 && (!most || shareOf(wait) >= shareOf(most)) ? wait : most),
    undefined,
  );
}

/** `the cap`, `the minimum`, or the time itself. */
function placeOf(ms: number, { capMs, minMs }: Strategy): string {
  if (ms >= capMs) return 'the cap';
  return ms === minMs ? 'the minimum' : duration(ms);
}

function atomLabel(
  { ms, probability }: Wait['atoms'][number],
  strategy: Strategy,
  scale: Scale,
  y: number,
  inWords: boolean,
): SVGTextElement {
  const x = scale(ms);
  const long = `${share(probability)} wait exactly ${placeOf(ms, strategy)}`;
  const [left, right] = scale.range;
  // Towards the middle: beyond the plot are the numbers.
  const isRight = x > (left + right) / 2;
  const room = isRight ? x - HEAD - left : right - x;
  const text = inWords && labelWidth(long) <= room ? long : share(probability);
  return svg(
    'text',
    {
      x: isRight ? x + HEAD : x - HEAD,
      y,
      'text-anchor': isRight ? 'end' : 'start',
      class: 'value hued halo atom-label',
      'data-jitter': strategy.jitter,
    },
    text,
  );
}

function range(wait: Wait): string {
  return isFixed(wait) ? 'always' : `${duration(wait.p05Ms)} – ${duration(wait.p95Ms)}`;
}

function capLine(capMs: number, scale: Scale, bottom: number): SVGGElement {
  const x = scale(capMs);
  return svg(
    'g',
    {},
    svg('line', { x1: x, x2: x, y1: TOP - 8, y2: bottom, class: 'bound' }),
    svg('text', { x, y: 12, 'text-anchor': 'end' }, `cap ${duration(capMs)}`),
  );
}

/** The median as a triangle, 5 to 95% as a bar, below the baseline. */
function summaryMarks(wait: Wait, scale: Scale, base: number): SVGElement[] {
  if (isFixed(wait)) return [];
  const [p05, p50, p95] = [wait.p05Ms, wait.p50Ms, wait.p95Ms].map((ms) => scale(ms).toFixed(1));
  return [
    svg('line', { x1: p05, x2: p95, y1: base + 4, y2: base + 4, class: 'span' }),
    svg('path', { d: `M${p50},${base + 1}l4,7h-8z`, class: 'median' }),
  ];
}

/** Which limits act in these waits, and which never do. */
function limits(strategy: Strategy, { choice, waits, totalWorstMs }: Distribution): string {
  const { capMs, truncateAt, backoff, totalTimeoutMs, maxAttempts } = strategy;
  const n = waits.length;
  if (n === 0) return 'There is only one attempt, so nothing is retried.';
  const first = waits.find((wait) => wait.hiMs >= capMs)?.k;
  const sentences: string[] = [];
  if (backoff === 'truncated' && truncationActs(choice)) {
    const acts = truncateAt < n && (first === undefined || first > truncateAt);
    sentences.push(
      acts
        ? `The curve stops growing at wait ${truncateAt}.`
        : `Truncation at wait ${truncateAt} has no effect in ${plural(n, 'wait')}.`,
    );
  }
  const cap = `cap of ${duration(capMs)}`;
  if (capMs === Infinity) sentences.push('There is no cap.');
  else if (first === undefined) sentences.push(`The ${cap} is never reached in ${plural(n, 'wait')}.`);
  else
    sentences.push(
      curveActs(choice)
        ? `The ${cap} limits the waits from wait ${first} on.`
        : `A wait can reach the ${cap} from wait ${first} on.`,
    );
  const most = mostMet(drawnOf({ choice, waits, totalMeanMs: 0, totalWorstMs }));
  const atom = most && meeting(most);
  if (most && atom)
    sentences.push(
      `At wait ${most.k}, ${share(atom.probability)} of the clients wait exactly ${duration(atom.ms)} and retry ` +
        'together.',
    );
  const longest = duration(longestMs(waits, totalTimeoutMs));
  const worstMs = longestMs(waits, Infinity);
  if (totalTimeoutMs !== Infinity && (worstMs >= totalTimeoutMs || totalWorstMs === Infinity)) {
    sentences.push(
      `The deadline of ${duration(totalTimeoutMs)} ends the waits: together they take at most ${longest}.`,
    );
  } else {
    sentences.push(
      totalWorstMs === Infinity
        ? 'Nothing limits the number of attempts, so the waits have no end.'
        : `All waits together take at most ${longest}.`,
    );
  }
  if (maxAttempts > MOST_DRAWN + 1)
    sentences.push(
      maxAttempts === Infinity
        ? `Only the first ${MOST_DRAWN} waits are drawn.`
        : `Only the first ${MOST_DRAWN} of ${count(n)} waits are drawn.`,
    );
  return sentences.join(' ');
}
