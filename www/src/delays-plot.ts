/** The figure "How long does each retry wait?": one row per wait, with its distribution. */
import { timeAxis, timeScale, type TimeScale } from './axis';
import { svg } from './dom';
import { duration, share } from './format';
import type { Atom, PolicySample, WaitSample } from './sampling';
import { title, type Strategy } from './strategy';

const TOP = 24;
const BELOW = 48;
/** Under this width the columns beside the plot shrink to the median. */
const NARROW = 560;

/** Heights in pixels: of a row, and of its tallest mark, which stands on the baseline. */
interface Heights {
  readonly row: number;
  readonly shape: number;
}

/** Where the baseline is, from the top of the row: room above for the shape, below for the bar. */
function baseline({ row, shape }: Heights): number {
  return (row + shape) / 2 - 3;
}

export function delaysPlot(strategy: Strategy, sample: PolicySample, width: number): SVGSVGElement {
  const narrow = width < NARROW;
  const columns = narrow ? [0] : [188, 122, 0];
  const right = width - (narrow ? 66 : 260);
  const heights = sample.waits.length <= 6 ? { row: 56, shape: 34 } : { row: 44, shape: 25 };
  const widest = Math.max(...sample.waits.map((wait) => wait.highestMs));
  const scale = timeScale(widest, narrow ? 48 : 60, right);
  const bottom = TOP + heights.row * sample.waits.length;

  const root = svg(
    'svg',
    { viewBox: `0 0 ${width} ${bottom + BELOW}`, width, height: bottom + BELOW, role: 'img', 'aria-labelledby': 'delays-title delays-desc' },
    svg('title', { id: 'delays-title' }, `How long each retry waits: ${title(strategy)}`),
    svg('desc', { id: 'delays-desc' }, description(sample)),
    timeAxis(scale, TOP, bottom, 'wait before the retry'),
  );
  for (const [i, head] of (narrow ? ['median'] : ['median', 'mean', '5 to 95 %']).entries()) {
    root.append(svg('text', { x: width - (columns[i] ?? 0), y: 12, 'text-anchor': 'end', class: 'head' }, head));
  }
  if (sample.waits.some((wait) => atCap(wait, strategy.capMs))) root.append(capLine(strategy, scale, bottom));
  for (const wait of sample.waits) root.append(row(wait, scale, heights, columns, width));
  return root;
}

/** Whether the cap bounds this wait. */
export function atCap(wait: WaitSample, capMs: number): boolean {
  // The highest wait is the one of the largest draw, a few units in the last place below.
  return wait.highestMs >= capMs * (1 - 1e-9);
}

function capLine({ capMs }: Strategy, scale: TimeScale, bottom: number): SVGGElement {
  const x = scale.x(capMs);
  return svg(
    'g',
    { class: 'cap' },
    svg('line', { x1: x, x2: x, y1: TOP - 6, y2: bottom }),
    svg('text', { x: x - 6, y: 12, 'text-anchor': 'end' }, `cap ${duration(capMs)}`),
  );
}

function row(wait: WaitSample, scale: TimeScale, heights: Heights, columns: readonly number[], width: number): SVGGElement {
  const { shape } = heights;
  const base = TOP + heights.row * (wait.k - 1) + baseline(heights);
  const group = svg(
    'g',
    { class: 'row', 'data-wait': wait.k },
    svg('line', { x1: scale.left, x2: scale.right, y1: base + 0.5, y2: base + 0.5, class: 'baseline' }),
    svg('text', { x: 0, y: base, class: 'label' }, `wait ${wait.k}`),
  );
  const outline = density(wait, scale, base, shape);
  if (outline) group.append(svg('path', { d: outline, class: 'shape' }));
  for (const atom of wait.atoms) group.append(spike(atom, scale, base, shape));
  if (wait.highestMs > wait.lowestMs) group.append(...summaryMarks(wait, scale, base, shape));

  const range = wait.p5Ms === wait.p95Ms ? 'always' : `${duration(wait.p5Ms)} – ${duration(wait.p95Ms)}`;
  const texts = [duration(wait.p50Ms), duration(wait.meanMs), range];
  for (const [i, fromRight] of columns.entries()) {
    group.append(svg('text', { x: width - fromRight, y: base, 'text-anchor': 'end', class: i === 0 ? 'value main' : 'value' }, texts[i]));
  }
  return group;
}

/** The outline of the histogram; its highest bin has the full height. */
function density({ bins, lowestMs, highestMs }: WaitSample, scale: TimeScale, base: number, height: number): string | undefined {
  const tallest = Math.max(...bins);
  if (tallest === 0) return undefined;
  const edge = (i: number): string => scale.x(lowestMs + ((highestMs - lowestMs) * i) / bins.length).toFixed(1);
  const steps = bins.map((n, i) => `V${(base - (height * n) / tallest).toFixed(1)}H${edge(i + 1)}`);
  return `M${edge(0)},${base}${steps.join('')}V${base}`;
}

/** A spike as high as its share of all draws, with the share beside it unless it is everything. */
function spike({ atMs, share: part }: Atom, scale: TimeScale, base: number, tallest: number): SVGGElement {
  const x = scale.x(atMs);
  const height = Math.max(4, tallest * part);
  return svg(
    'g',
    { class: 'spike' },
    svg('line', { x1: x, x2: x, y1: base, y2: base - height }),
    part < 1 ? svg('text', { x: x - 6, y: base - 6, 'text-anchor': 'end' }, share(part)) : null,
  );
}

/** The median as a line through the shape; 5 to 95 % as a bar below, with the mean as a dot on it. */
function summaryMarks(wait: WaitSample, scale: TimeScale, base: number, height: number): SVGElement[] {
  const [p5, p50, p95, mean] = [wait.p5Ms, wait.p50Ms, wait.p95Ms, wait.meanMs].map((ms) => scale.x(ms)) as [number, number, number, number];
  const y = base + 6;
  return [
    svg('line', { x1: p50, x2: p50, y1: base, y2: base - height, class: 'median' }),
    svg('line', { x1: p5, x2: p95, y1: y, y2: y, class: 'span' }),
    svg('circle', { cx: mean, cy: y, r: 3, class: 'mean' }),
  ];
}

function description({ waits, operations }: PolicySample): string {
  const rows = waits.map((wait) => {
    const atoms = wait.atoms.filter((atom) => atom.share < 1).map((atom) => `, ${share(atom.share)} of them exactly ${duration(atom.atMs)}`);
    if (wait.highestMs === wait.lowestMs) return `Wait ${wait.k}: always ${duration(wait.p50Ms)}.`;
    return (
      `Wait ${wait.k}: median ${duration(wait.p50Ms)}, mean ${duration(wait.meanMs)}, ` +
      `5 to 95 % between ${duration(wait.p5Ms)} and ${duration(wait.p95Ms)}${atoms.join('')}.`
    );
  });
  return `${rows.join(' ')} From ${operations} sampled operations.`;
}
