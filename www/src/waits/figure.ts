/** The delay distributions of one strategy: a ridge per wait, and on the same axis when its retry lands. */
import { bottomAxis, logTicks } from '../charts/axis';
import { html, svg } from '../charts/dom';
import { count, duration, plural, share } from '../charts/format';
import { labelWidth } from '../charts/labels';
import type { FigureSpec } from '../charts/spec';
import { curveActs, formulaOf, title, truncationActs, withChoice, type Strategy } from '../state/strategy';
import { strategyInWords } from '../state/words';
import { MOST_DRAWN, SAMPLED, drawnOf, type Distribution, type Wait } from './compute';
import { LEAST_MS, mostOf, ridgeOf, ridgePath, stickHeight, sticks, waitScale, type WaitScale } from './ridge';
import { longestMs } from './total';

export interface DelaysData {
  readonly strategy: Strategy;
  readonly chosen: Distribution;
  /** The strategy that was chosen before, as an outline. */
  readonly before?: { readonly strategy: Strategy; readonly chosen: Distribution } | undefined;
}

const TOP = 34;
const ROW = 27;
/** The highest ridge, which may reach over the row above. */
const RIDGE = 30;
const BELOW = 44;
const LEFT = 58;
/** From the place of no wait to the axis. */
const GAP = 26;
const NARROW = 560;

export const delays: FigureSpec<DelaysData> = {
  id: 'waits',
  title: 'How long is each wait, and when does its retry land?',

  subtitle: ({ strategy, before }) => [
    html('b', { 'data-jitter': strategy.jitter, class: 'hued' }, title(strategy)),
    ` · ${formulaOf(strategy)}${before ? ` · outline: ${title(before.strategy)}` : ''}`,
  ],

  height: (_, data) => TOP + (data ? drawnOf(data.chosen).length : MOST_DRAWN) * ROW + BELOW,

  draw({ strategy, chosen, before }, width) {
    const waits = drawnOf(chosen);
    const narrow = width < NARROW;
    const columns: readonly (readonly [fromRight: number, head: string])[] = narrow
      ? [[0, 'median']]
      : [
          [186, 'median'],
          [78, '5 to 95%'],
          [0, 'lands after'],
        ];
    const right = width - (narrow ? 66 : 262);
    const bottom = TOP + waits.length * ROW;
    const most = Math.max(
      mostOf({ ...chosen, waits }, strategy.capMs),
      before ? mostOf({ waits: drawnOf(before.chosen), landings: [] }, before.strategy.capMs) : 0,
    );
    const scale = waitScale(most, LEFT, right, GAP);
    const ridges = waits.map((wait) => ridgeOf(wait, scale));
    const unit = RIDGE / Math.max(1, ...ridges.map((ridge) => ridge?.peak ?? 0));
    const met = mostMet(waits);
    return [
      bottomAxis({
        scale: scale.log,
        format: duration,
        ticks: narrow ? powersUpTo(most) : logTicks([LEAST_MS, most]),
        title: 'time (log scale)',
        grid: [TOP, bottom],
      }),
      svg('line', { x1: LEFT + 0.5, x2: LEFT + 0.5, y1: TOP, y2: bottom, class: 'zero' }),
      svg('text', { x: LEFT, y: bottom + 17, 'text-anchor': 'middle' }, '0'),
      ...columns.map(([fromRight, head]) =>
        svg('text', { x: width - fromRight, y: 12, 'text-anchor': 'end', class: 'head' }, head),
      ),
      ...(strategy.capMs < most ? [capLine(strategy.capMs, scale, bottom)] : []),
      ...(narrow ? [] : key()),
      ...waits.map((wait, i) => {
        const base = TOP + ROW * (i + 1);
        const box = { base, unit, most: RIDGE };
        const ridge = ridges[i];
        const old = before && drawnOf(before.chosen)[i];
        const oldRidge = old && ridgeOf(old, scale);
        const landing = chosen.landings[i];
        const atom = meeting(wait);
        const texts = narrow
          ? [duration(wait.p50Ms)]
          : [duration(wait.p50Ms), range(wait), landing ? duration(landing.p50) : ''];
        return svg(
          'g',
          { class: 'row', 'data-wait': wait.k },
          svg('line', { x1: LEFT, x2: right, y1: base + 0.5, y2: base + 0.5, class: 'baseline' }),
          svg('text', { x: 0, y: base }, `retry ${wait.k}`),
          svg(
            'g',
            { 'data-jitter': chosen.choice.jitter },
            ridge ? svg('path', { d: ridgePath(ridge, box), class: 'shape' }) : null,
            ...sticks(wait, scale, box),
            ridge?.isCut ? svg('text', { x: right + 3, y: base - 3, class: 'hued' }, '›') : null,
          ),
          old
            ? svg(
                'g',
                { class: 'old' },
                oldRidge ? svg('path', { d: ridgePath(oldRidge, box) }) : null,
                ...sticks(old, scale, box),
              )
            : null,
          landing ? landingMark(landing, scale, base) : null,
          atom ? atomLabel(atom, strategy, scale, base, wait === met) : null,
          ...texts.map((text, column) =>
            svg(
              'text',
              {
                x: width - (columns[column]?.[0] ?? 0),
                y: base,
                'text-anchor': 'end',
                class: column === 0 ? 'value hued' : 'value',
                'data-jitter': column === 0 ? chosen.choice.jitter : undefined,
              },
              text,
            ),
          ),
        );
      }),
    ];
  },

  describe({ strategy, chosen }) {
    const rows = drawnOf(chosen).map((wait, i) => {
      const landing = chosen.landings[i];
      const lands = landing ? `; retry ${wait.k} lands after ${duration(landing.p50)}` : '';
      if (isFixed(wait)) return `Wait ${wait.k}: always ${duration(wait.p50Ms)}${lands}.`;
      const atoms = wait.atoms.map((atom) => `, ${share(atom.probability)} of them exactly ${duration(atom.ms)}`);
      return (
        `Wait ${wait.k}: median ${duration(wait.p50Ms)}, mean ${duration(wait.meanMs)}, 5 to 95% between ` +
        `${duration(wait.p05Ms)} and ${duration(wait.p95Ms)}${atoms.join('')}${lands}.`
      );
    });
    return `${title(withChoice(strategy, chosen.choice))}. ${rows.length > 0 ? rows.join(' ') : 'There are 0 waits.'}`;
  },

  settings: ({ strategy }) => strategyInWords(strategy),

  note: ({ strategy, chosen }) => [limits(strategy, chosen)],
};

function isFixed(wait: Wait): boolean {
  return wait.loMs === wait.hiMs;
}

function powersUpTo(most: number): number[] {
  return [1, 100, 10_000, 1_000_000].filter((ms) => ms <= most);
}

/** The value at which most clients meet, though the wait is drawn. */
function meeting(wait: Wait): Wait['atoms'][number] | undefined {
  return isFixed(wait) ? undefined : wait.atoms.toSorted((a, b) => b.probability - a.probability)[0];
}

/** The wait at which most clients meet; of equal ones the last. */
function mostMet(waits: readonly Wait[]): Wait | undefined {
  const shareOf = (wait: Wait): number => meeting(wait)?.probability ?? 0;
  return waits.reduce<Wait | undefined>(
    (most, wait) => (shareOf(wait) > 0 && (!most || shareOf(wait) >= shareOf(most)) ? wait : most),
    undefined,
  );
}

/** `16% wait exactly the cap` at the highest stick, `16%` at the others: towards the middle of the plot. */
function atomLabel(
  { ms, probability }: Wait['atoms'][number],
  { capMs, minMs, jitter }: Strategy,
  { at, log }: WaitScale,
  base: number,
  inWords: boolean,
): SVGTextElement {
  const place = ms >= capMs ? 'the cap' : ms === minMs ? 'the minimum' : duration(ms);
  const long = `${share(probability)} wait exactly ${place}`;
  const [left, right] = log.range;
  const isRight = at(ms) > (left + right) / 2;
  const room = isRight ? at(ms) - left : right - at(ms);
  return svg(
    'text',
    {
      x: at(ms) + (isRight ? -6 : 6),
      y: base - stickHeight(probability, RIDGE) + 8,
      'text-anchor': isRight ? 'end' : 'start',
      class: 'value hued halo',
      'data-jitter': jitter,
    },
    inWords && labelWidth(long) <= room ? long : share(probability),
  );
}

function range(wait: Wait): string {
  return isFixed(wait) ? 'always' : `${duration(wait.p05Ms)} – ${duration(wait.p95Ms)}`;
}

function capLine(capMs: number, { at }: WaitScale, bottom: number): SVGGElement {
  const x = at(capMs);
  return svg(
    'g',
    {},
    svg('line', { x1: x, x2: x, y1: TOP - 14, y2: bottom, class: 'bound' }),
    svg('text', { x: x - 5, y: TOP - 6, 'text-anchor': 'end' }, `cap ${duration(capMs)}`),
  );
}

/** Below the baseline: the middle 90% of the sums of the waits, and their median. */
function landingMark(landing: Distribution['landings'][number], { at }: WaitScale, base: number): SVGGElement {
  return svg(
    'g',
    { class: 'landing' },
    svg('line', { x1: at(landing.p5), x2: at(landing.p95), y1: base + 4, y2: base + 4 }),
    svg('circle', { cx: at(landing.p50), cy: base + 4, r: 3 }),
  );
}

function key(): SVGElement[] {
  return [
    svg(
      'g',
      { class: 'landing' },
      svg('line', { x1: LEFT, x2: LEFT + 26, y1: 8, y2: 8 }),
      svg('circle', { cx: LEFT + 13, cy: 8, r: 3 }),
    ),
    svg('text', { x: LEFT + 34, y: 12 }, 'when the retry lands: 5 to 95%, median'),
  ];
}

/** Which limits act in these waits, which never do, and how the picture is drawn. */
function limits(strategy: Strategy, { choice, waits, totalWorstMs }: Distribution): string {
  const { capMs, truncateAt, backoff, totalTimeoutMs, maxAttempts } = strategy;
  const n = waits.length;
  if (n === 0) return 'There is only one attempt, so nothing is waited for.';
  const sentences: string[] = [];
  const first = waits.find((wait) => wait.hiMs >= capMs)?.k;
  if (backoff === 'truncated' && truncationActs(choice)) {
    const acts = truncateAt < n && (first === undefined || first > truncateAt);
    sentences.push(
      acts
        ? `The curve stops growing at wait ${truncateAt}.`
        : `Truncation at wait ${truncateAt} has no effect in ${plural(n, 'wait')}.`,
    );
  }
  const longest = Math.max(...waits.map(({ hiMs }) => hiMs));
  const cap = `cap of ${duration(capMs)}`;
  if (longest === 0) sentences.push('No retry waits: all of them come at once.');
  else if (capMs === Infinity) sentences.push('There is no cap.');
  else if (first === undefined) sentences.push(`The ${cap} is never reached in ${plural(n, 'wait')}.`);
  else
    sentences.push(
      curveActs(choice)
        ? `The ${cap} limits the waits from wait ${first} on.`
        : `A wait can reach the ${cap} from wait ${first} on.`,
    );
  const most = mostMet(waits.slice(0, MOST_DRAWN));
  const atom = most && meeting(most);
  if (most && atom)
    sentences.push(
      `At wait ${most.k}, ${share(atom.probability)} of the clients wait exactly ${duration(atom.ms)} and retry together.`,
    );
  const together = duration(longestMs(waits, totalTimeoutMs));
  if (totalTimeoutMs !== Infinity && (longestMs(waits, Infinity) >= totalTimeoutMs || totalWorstMs === Infinity))
    sentences.push(
      `The deadline of ${duration(totalTimeoutMs)} ends the waits: together they take at most ${together}.`,
    );
  else if (totalWorstMs === Infinity)
    sentences.push('Nothing limits the number of attempts, so the waits have no end.');
  else if (longest > 0) sentences.push(`All waits together take at most ${together}.`);
  if (maxAttempts > MOST_DRAWN + 1)
    sentences.push(`Drawn are the first ${MOST_DRAWN}${maxAttempts === Infinity ? '' : ` of ${count(n)}`} waits.`);
  if (waits.some(({ cells }) => cells.length > 0)) sentences.push('Areas are probabilities, the same in all rows.');
  if (!waits.every(isFixed)) sentences.push(`Landings: the sums of the waits, ${count(SAMPLED)} sampled operations.`);
  return sentences.join(' ');
}
