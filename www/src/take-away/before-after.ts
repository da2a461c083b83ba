/** The waits of a pasted library and of its translation, as two densities over each other. */
import { densityMarks } from '../charts/density';
import { html, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { duration, plural, share } from '../charts/format';
import { linear } from '../charts/scale';
import type { Column } from '../charts/table';
import type { BeforeAfter, Compared, Side } from '../compute/before-after';
import { waitAxis } from '../figures/time-axis';
import { title, type Strategy } from '../state/strategy';

export interface BeforeAfterData extends BeforeAfter {
  /** `cockatiel 4.0.0`. */
  readonly from: string;
  /** The translation. */
  readonly strategy: Strategy;
}

const TOP = 26;
const ROW = 40;
const SHAPE = 28;
const BELOW = 44;
const NARROW = 480;
/** Radius of the head of an atom. */
const HEAD = 3.5;
/** Smaller distances are noise of the samples, or of the last digit. */
const SAME = 0.004;
const SAME_SAMPLED = 0.02;

export const beforeAfterFigure: FigureSpec<BeforeAfterData> = {
  id: 'import-waits',
  title: 'The waits before and after',

  subtitle({ from, strategy: { jitter } }) {
    return [
      'dashed: ',
      html('b', {}, from),
      ' · filled: ',
      html('b', { class: 'hued', 'data-jitter': jitter }, 'rejitter'),
    ];
  },

  height(_, data) {
    return TOP + (data?.waits.length ?? 5) * ROW + BELOW;
  },

  draw(data, width) {
    const { waits } = data;
    const { jitter } = data.strategy;
    const narrow = width < NARROW;
    const [left, right] = [52, width - (narrow ? 64 : 150)];
    const bottom = TOP + waits.length * ROW;
    const widest = Math.max(1, ...waits.flatMap(({ before, after }) => [before.hiMs, after.hiMs]));
    const scale = linear([0, widest], [left, right]);
    const marks: SVGElement[] = [waitAxis({ scale, title: 'wait before the retry', grid: [TOP, bottom] })];
    marks.push(
      svg(
        'text',
        { x: width, y: 12, 'text-anchor': 'end', class: 'head' },
        narrow ? 'mean after' : 'mean before → after',
      ),
    );
    for (const [i, wait] of waits.entries()) {
      const base = TOP + ROW * (i + 1) - 8;
      const heights = sharedHeights(wait);
      marks.push(
        svg(
          'g',
          { class: 'row', 'data-wait': wait.k },
          svg('line', { x1: left, x2: right, y1: base + 0.5, y2: base + 0.5, class: 'baseline' }),
          svg('text', { x: 0, y: base, class: 'label' }, `wait ${wait.k}`),
          svg(
            'g',
            { 'data-jitter': jitter },
            ...densityMarks(wait.after, { scale, base, height: heights.after, head: HEAD }),
          ),
          svg(
            'g',
            { class: 'compared before' },
            ...densityMarks(wait.before, { scale, base, height: heights.before, head: HEAD }),
          ),
          svg(
            'text',
            { x: width, y: base, 'text-anchor': 'end', class: 'value' },
            narrow || isSame(wait, data.sampled) ? duration(wait.after.meanMs) : means(wait),
          ),
        ),
      );
    }
    return marks;
  },

  describe(data) {
    const rows = data.waits.map(
      (wait) => `Wait ${wait.k}: mean ${duration(wait.before.meanMs)} before, ${duration(wait.after.meanMs)} after.`,
    );
    return `${data.from} and its translation. ${verdict(data)} ${rows.join(' ')}`;
  },

  table({ from, waits }) {
    const side = (name: string): Column[] =>
      ['mean', '5%', 'median', '95%'].map((number) => ({ name: `${name}, ${number}`, unit: 'ms' as const }));
    const numbers = ({ meanMs, p05Ms, p50Ms, p95Ms }: Side): number[] => [meanMs, p05Ms, p50Ms, p95Ms];
    return {
      caption: `The waits of ${from} and of its translation`,
      columns: [{ name: 'wait' }, ...side('before'), ...side('after')],
      rows: waits.map(({ k, before, after }) => [`${k}`, ...numbers(before), ...numbers(after)]),
    };
  },

  settings({ from, strategy }) {
    return `${from}, and in rejitter: ${summary(strategy)}`;
  },

  note(data) {
    return [verdict(data)];
  },
};

/** The finding, in one or two sentences. */
function verdict({ from, waits, sampled }: BeforeAfterData): string {
  const [worst] = [...waits].sort((a, b) => b.distance - a.distance);
  if (!worst) return 'There is no wait to compare.';
  if (isSame(worst, sampled)) return 'Both draw the same waits.';
  const atoms = worst.before.atoms.filter(({ probability }) => probability < 1);
  const pile = Math.max(0, ...atoms.map(({ probability }) => probability));
  const where = atoms.find(({ probability }) => probability === pile);
  const said =
    `Wait ${worst.k} differs most: its mean is ${duration(worst.before.meanMs)} before and ` +
    `${duration(worst.after.meanMs)} after.`;
  if (!where || pile < 0.01) return said;
  return `${said} ${share(pile)} of the clients of ${from} then wait exactly ${duration(where.ms)} and retry together.`;
}

function isSame({ distance }: Compared, sampled: boolean): boolean {
  return distance < (sampled ? SAME_SAMPLED : SAME);
}

function means({ before, after }: Compared): string {
  return `${duration(before.meanMs)} → ${duration(after.meanMs)}`;
}

/** One density scale for both: the lower one is drawn as much lower as it is wider. */
function sharedHeights({ before, after }: Compared): { before: number; after: number } {
  const [a, b] = [densest(before), densest(after)];
  const most = Math.max(a, b);
  return { before: a > 0 ? (SHAPE * a) / most : SHAPE, after: b > 0 ? (SHAPE * b) / most : SHAPE };
}

function densest({ cells }: Side): number {
  let most = 0;
  for (let i = 0; i < cells.length; i += 3)
    most = Math.max(most, (cells[i + 2] ?? 0) / Math.max(1e-9, (cells[i + 1] ?? 0) - (cells[i] ?? 0)));
  return most;
}

/** A strategy in one line. */
export function summary(strategy: Strategy): string {
  const { capMs, maxAttempts } = strategy;
  const range =
    capMs === Infinity
      ? `from ${duration(strategy.baseMs)}, without a cap`
      : `${duration(strategy.baseMs)} to ${duration(capMs)}`;
  return (
    `${title(strategy)}, ${range}, ` +
    `${maxAttempts === Infinity ? 'no limit of attempts' : plural(maxAttempts, 'attempt')}`
  );
}
