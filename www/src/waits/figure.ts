/** The delay distributions of one strategy: a ridge per wait, and on the same axis when its retry lands. */
import { bottomAxis, logTicks } from '../charts/axis';
import { html, label, path, rule, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, duration, plural, share } from '../charts/format';
import { labelWidth } from '../charts/labels';
import { longestMs } from '../compute/outage';
import { curveActs, formulaOf, strategyInWords, title, truncationActs, withChoice } from '../state/strategy';
import type { Strategy } from '../state/strategy';
import { MOST_DRAWN, SAMPLED, drawnOf, type Distribution, type Wait } from './compute';
import { LEAST_MS, mostOf, ridgeOf, ridgePath, stickHeight, sticks, waitScale, type WaitScale } from './ridge';

export interface Shown {
  /** Its name, unless it is that of its backoff and jitter. */
  readonly name?: string;
  readonly strategy: Strategy;
  readonly chosen: Distribution;
}

export interface DelaysData extends Shown {
  /** The strategy that it is compared with, as an outline. */
  readonly before?: Shown | undefined;
}

const [TOP, ROW, BELOW, LEFT] = [34, 30, 44, 58];
/** The highest ridge, which may reach into the row above; below its baseline is the lane of the landings. */
const [RIDGE, LANE] = [27, 6];
/** From the place of no wait to the axis. */
const GAP = 26;
const NARROW = 560;
const COLUMNS = [
  [186, 'median'],
  [78, '5 to 95%'],
  [0, 'lands after'],
] as const;

/** `likely`: how many waits the strategy has that the page starts with. */
export const delays = (likely: number): FigureSpec<DelaysData> => ({
  id: 'waits',
  title: 'How long is each wait, and when does its retry land?',

  subtitle: (data) => [
    html('b', { 'data-jitter': data.strategy.jitter, class: 'hued' }, nameOf(data)),
    ' · ',
    // Exponents are in parentheses.
    ...formulaOf(data.strategy)
      .split(/\^\((.*?)\)/)
      .map((part, i) => (i % 2 === 1 ? html('sup', {}, part) : part)),
    data.before ? ` · outline: ${nameOf(data.before)}` : '',
  ],

  height: (_, data) => TOP + (data ? drawnOf(data.chosen).length : Math.min(likely, MOST_DRAWN)) * ROW + BELOW,

  draw({ strategy, chosen, before }, width) {
    const waits = drawnOf(chosen);
    const { jitter } = chosen.choice;
    const narrow = width < NARROW;
    const columns = narrow ? ([[0, 'median']] as const) : COLUMNS;
    const right = width - (narrow ? 66 : 262);
    const bottom = TOP + waits.length * ROW;
    const most = Math.max(
      mostOf({ ...chosen, waits }, strategy.capMs),
      before ? mostOf({ waits: drawnOf(before.chosen), landings: [] }, before.strategy.capMs) : 0,
    );
    const scale = waitScale(most, LEFT, right, GAP);
    const ridges = waits.map((wait) => ridgeOf(wait, scale));
    const outlines = before ? drawnOf(before.chosen).map((wait) => ridgeOf(wait, scale)) : [];
    // One unit for both: they are compared by their areas.
    const unit = RIDGE / Math.max(1, ...[...ridges, ...outlines].map((ridge) => ridge?.peak ?? 0));
    const met = mostMet(waits);
    const cap = scale.at(strategy.capMs);
    const ticks = narrow ? [1, 100, 10_000, 1_000_000].filter((ms) => ms <= most) : logTicks([LEAST_MS, most]);
    return [
      bottomAxis({ scale: scale.log, format: duration, ticks, title: 'time (log scale)', grid: [TOP, bottom] }),
      rule(LEFT + 0.5, TOP, LEFT + 0.5, bottom, 'zero'),
      label(LEFT, bottom + 17, '0', 'middle'),
      ...columns.map(([fromRight, head]) => label(width - fromRight, 12, head, 'head end')),
      ...(strategy.capMs < most
        ? [rule(cap, TOP - 14, cap, bottom, 'bound'), label(cap - 5, TOP - 6, `cap ${duration(strategy.capMs)}`, 'end')]
        : []),
      landingMark(LEFT, LEFT + 13, LEFT + 26, 8),
      label(LEFT + 34, 12, narrow ? 'when it lands' : 'when the retry lands: 5 to 95%, median'),
      ...waits.map((wait, i) => {
        const base = TOP + ROW * (i + 1) - LANE;
        const shape = (one: Wait, classes: string, outline: string): SVGGElement => {
          const box = { base, unit, most: RIDGE };
          const ridge = ridgeOf(one, scale);
          const body = ridge ? path(ridgePath(ridge, box), outline) : null;
          return svg('g', { class: classes, 'data-jitter': jitter }, body, ...sticks(one, scale, box));
        };
        const old = before && drawnOf(before.chosen)[i];
        const landing = chosen.landings[i];
        const atom = meeting(wait);
        const texts = [duration(wait.quantiles.p50), range(wait), landing ? duration(landing.p50) : ''];
        const { at } = scale;
        return svg(
          'g',
          { class: 'row', 'data-wait': wait.k },
          rule(LEFT, base + 0.5, right, base + 0.5, 'baseline'),
          label(0, base, `retry ${wait.k}`),
          shape(wait, '', 'shape'),
          ridges[i] ? medianMark(scale.at(wait.quantiles.p50), base) : null,
          ridges[i]?.isCut ? label(right + 3, base - 3, '›', 'hued', { 'data-jitter': jitter }) : null,
          old ? shape(old, 'old', '') : null,
          landing ? landingMark(at(landing.p5), at(landing.p50), at(landing.p95), base + LANE - 1) : null,
          atom ? atomLabel(atom, strategy, scale, base, wait === met) : null,
          ...columns.map(([fromRight], column) =>
            label(width - fromRight, base, texts[column] ?? '', column === 0 ? 'hued end' : 'end', {
              'data-jitter': column === 0 ? jitter : undefined,
            }),
          ),
        );
      }),
    ];
  },

  describe({ strategy, chosen }) {
    const rows = drawnOf(chosen).map((wait, i) => {
      const landing = chosen.landings[i];
      const lands = landing ? `; retry ${wait.k} lands after ${duration(landing.p50)}` : '';
      if (isFixed(wait)) return `Wait ${wait.k}: always ${duration(wait.quantiles.p50)}${lands}.`;
      const atoms = wait.atoms.map((atom) => `, ${share(atom.probability)} of them exactly ${duration(atom.ms)}`);
      return (
        `Wait ${wait.k}: median ${duration(wait.quantiles.p50)}, mean ${duration(wait.meanMs)}, 5 to 95% between ` +
        `${duration(wait.quantiles.p05)} and ${duration(wait.quantiles.p95)}${atoms.join('')}${lands}.`
      );
    });
    return `${title(withChoice(strategy, chosen.choice))}. ${rows.length > 0 ? rows.join(' ') : 'There are 0 waits.'}`;
  },

  settings: ({ strategy, before }) =>
    strategyInWords(strategy) + (before ? `; outline: ${nameOf(before)}, ${strategyInWords(before.strategy)}` : ''),

  note: ({ strategy, chosen }) => [limits(strategy, chosen)],
});

function nameOf({ name, strategy }: Shown): string {
  return name ?? title(strategy);
}

function isFixed(wait: Wait): boolean {
  return wait.loMs === wait.hiMs;
}

/** The value at which most clients meet, though the wait is drawn. */
function meeting(wait: Wait): Wait['atoms'][number] | undefined {
  return isFixed(wait) ? undefined : wait.atoms.toSorted((a, b) => b.probability - a.probability)[0];
}

/** The wait at which most clients meet; of equal ones the last. */
function mostMet(waits: readonly Wait[]): Wait | undefined {
  const shareOf = (wait: Wait): number => meeting(wait)?.probability ?? 0;
  return waits.toReversed().toSorted((a, b) => shareOf(b) - shareOf(a))[0];
}

/** `16% wait exactly the cap` at the highest stick, `16%` at the others: towards the middle of the plot. */
function atomLabel(
  { ms, probability }: Wait['atoms'][number],
  { capMs, minMs, jitter }: Strategy,
  { at, log }: WaitScale,
  base: number,
  inWords: boolean,
): SVGTextElement {
  const where = ms >= capMs ? 'the cap' : ms === minMs ? 'the minimum' : duration(ms);
  const long = `${share(probability)} wait exactly ${where}`;
  const [left, right] = log.range;
  const isRight = at(ms) > (left + right) / 2;
  const room = isRight ? at(ms) - left : right - at(ms);
  const text = inWords && labelWidth(long) <= room ? long : share(probability);
  const y = base - Math.max(4, stickHeight(probability, RIDGE) - 8);
  return label(at(ms) + (isRight ? -6 : 6), y, text, isRight ? 'hued halo end' : 'hued halo', {
    'data-jitter': jitter,
  });
}

function range(wait: Wait): string {
  return isFixed(wait) ? 'always' : `${duration(wait.quantiles.p05)} – ${duration(wait.quantiles.p95)}`;
}

/** On the ridge, where the picture of a skewed wait leads the eye to its peak. */
function medianMark(x: number, base: number): SVGLineElement {
  return rule(x, base, x, base - RIDGE / 2, 'median');
}

/** Below the baseline: the middle 90% of the sums of the waits, and their median. */
function landingMark(from: number, median: number, to: number, y: number): SVGGElement {
  return svg('g', { class: 'landing' }, rule(from, y, to, y, ''), svg('circle', { cx: median, cy: y, r: 3 }));
}

/** Which limits act in these waits, which never do, and how the picture is drawn. */
function limits(strategy: Strategy, { choice, waits, totalWorstMs }: Distribution): string {
  const { capMs, truncateAt, totalTimeoutMs, maxAttempts } = strategy;
  const n = waits.length;
  if (n === 0) return 'There is only one attempt, so nothing is waited for.';
  const first = waits.find((wait) => wait.hiMs >= capMs)?.k;
  const longest = Math.max(...waits.map(({ hiMs }) => hiMs));
  const most = mostMet(waits.slice(0, MOST_DRAWN));
  const atom = most && meeting(most);
  const together = duration(longestMs(waits, totalTimeoutMs));
  const sentences: string[] = [];
  if (choice.jitter !== 'slotted' && truncationActs(choice)) {
    const acts = truncateAt < n && (first === undefined || first > truncateAt);
    sentences.push(
      acts
        ? `The curve stops growing at wait ${truncateAt}.`
        : `Truncation at wait ${truncateAt} has no effect in ${plural(n, 'wait')}.`,
    );
  }
  const cap = `cap of ${duration(capMs)}`;
  if (longest === 0) sentences.push('No retry waits: all of them come at once.');
  else if (capMs === Infinity) sentences.push('There is no cap.');
  else if (first === undefined) sentences.push(`The ${cap} is never reached in ${plural(n, 'wait')}.`);
  else if (curveActs(choice)) sentences.push(`The ${cap} limits the waits from wait ${first} on.`);
  else sentences.push(`A wait can reach the ${cap} from wait ${first} on.`);
  if (most && atom)
    sentences.push(
      `At wait ${most.k}, ${share(atom.probability)} of the clients wait exactly ${duration(atom.ms)} and retry together.`,
    );
  if (totalTimeoutMs !== Infinity && (longestMs(waits, Infinity) >= totalTimeoutMs || totalWorstMs === Infinity))
    sentences.push(
      `The deadline of ${duration(totalTimeoutMs)} ends the waits: together they take at most ${together}.`,
    );
  else if (totalWorstMs === Infinity)
    sentences.push('Nothing limits the number of attempts, so the waits have no end.');
  else if (longest > 0) sentences.push(`All waits together take at most ${together}.`);
  if (maxAttempts > MOST_DRAWN + 1)
    sentences.push(`Drawn are the first ${MOST_DRAWN}${maxAttempts === Infinity ? '' : ` of ${count(n)}`} waits.`);
  if (choice.jitter === 'full')
    sentences.push('Each wait is uniform, any length up to the curve equally likely: a ramp on a log axis.');
  if (waits.some(({ cells }) => cells.length > 0))
    sentences.push('Areas are probabilities, the same in all rows; the tick is the median.');
  if (waits.some((wait) => meeting(wait))) sentences.push('A stick as high as a row is all clients.');
  if (!waits.every(isFixed))
    sentences.push(`Below each row: when the retry lands, ${count(SAMPLED)} sampled operations.`);
  return sentences.join(' ');
}
