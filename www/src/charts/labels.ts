/** Where direct labels go, so that none covers another, nor a mark. */
import { labelWidth } from './label-width';

export { labelWidth };

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Height of one line of text. */
export const LABEL_HEIGHT = 16;

export function overlap(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** The square around a point. */
export function around(x: number, y: number, radius: number): Rect {
  return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
}

/** Squares along a line through these points, so close that no label fits between two. */
export function along(points: readonly (readonly [x: number, y: number])[], radius = 4): Rect[] {
  return points.flatMap(([x, y], i) => {
    const [fromX, fromY] = points[i - 1] ?? [x, y];
    const steps = Math.max(1, Math.ceil(Math.hypot(x - fromX, y - fromY) / radius));
    return Array.from({ length: steps }, (_, s) =>
      around(x + ((fromX - x) * s) / steps, y + ((fromY - y) * s) / steps, radius),
    );
  });
}

/**
 * Positions on a line, in the order of the wanted ones, at least `gap` apart and inside the span, with the
 * smallest sum of squared shifts.
 */
export function spread(
  wanted: readonly number[],
  gap: number,
  [from, to]: readonly [from: number, to: number],
): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  // Without the gaps the positions must only ascend: neighbours that do not, share their mean.
  const pools: { mean: number; size: number }[] = [];
  for (const [rank, i] of order.entries()) {
    let pool = { mean: (wanted[i] ?? 0) - rank * gap, size: 1 };
    for (let last = pools.at(-1); last && last.mean > pool.mean; last = pools.at(-1)) {
      pools.pop();
      const size = last.size + pool.size;
      pool = { mean: (last.mean * last.size + pool.mean * pool.size) / size, size };
    }
    pools.push(pool);
  }
  const most = to - (wanted.length - 1) * gap;
  const means = pools.flatMap(({ mean, size }) => new Array<number>(size).fill(Math.max(from, Math.min(most, mean))));
  const placed = new Array<number>(wanted.length);
  for (const [rank, i] of order.entries()) placed[i] = (means[rank] ?? 0) + rank * gap;
  return placed;
}

export interface Label {
  readonly text: string;
  /** The mark that is named, and how far its edge is from there. */
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

const STEP = 2;
/** How far from its mark a place is looked for at first. */
const REACH = 60;
/** Penalty of a place, in pixels, if the line to it crosses something. */
const CROSSING = 16;

/**
 * A place for each label, as near to its mark as one is free, rather to the side than above or below;
 * undefined without a free place. The first label chooses first.
 */
export function placed(labels: readonly Label[], obstacles: readonly Rect[], bounds: Rect): (Rect | undefined)[] {
  const taken = [...obstacles];
  /** No line may cross one of them. */
  const names: Rect[] = [];
  return labels.map((label) => {
    const rect =
      place(label, taken, names, bounds, REACH) ?? place(label, taken, names, bounds, bounds.width + bounds.height);
    if (rect) {
      names.push(rect);
      taken.push(rect, ...leaderPath(label, rect));
    }
    return rect;
  });
}

function place(
  label: Label,
  allTaken: readonly Rect[],
  names: readonly Rect[],
  bounds: Rect,
  reach: number,
): Rect | undefined {
  const { x, y, radius } = label;
  const width = labelWidth(label.text);
  const window = clipped(
    {
      x: x - width - reach,
      y: y - LABEL_HEIGHT - reach,
      width: 2 * (width + reach),
      height: 2 * (LABEL_HEIGHT + reach),
    },
    bounds,
  );
  const taken = allTaken.filter((other) => overlap(other, window));
  let best: { rect: Rect; cost: number } | undefined;

  const consider = (left: number, top: number): void => {
    const rect = { x: left, y: top, width, height: LABEL_HEIGHT };
    const dx = Math.max(left - x, x - left - width, 0);
    const dy = Math.max(top - y, y - top - LABEL_HEIGHT, 0);
    let cost = Math.hypot(dx, dy) + Math.abs(top + LABEL_HEIGHT / 2 - y) / 4 + (left < x ? 4 : 0);
    if (best && best.cost <= cost) return;
    if (!inside(rect, window) || taken.some((other) => overlap(rect, other))) return;
    const path = leaderPath(label, rect);
    if (path.some((part) => names.some((name) => overlap(part, name)))) return;
    if (path.some((part) => taken.some((other) => overlap(part, other)))) cost += CROSSING;
    if (!best || cost < best.cost) best = { rect, cost };
  };

  const middle = y - LABEL_HEIGHT / 2;
  consider(x + radius + 4, middle);
  consider(x - radius - 4 - width, middle);
  for (let left = window.x; left + width <= window.x + window.width; left += STEP) {
    for (let top = window.y; top + LABEL_HEIGHT <= window.y + window.height; top += STEP) consider(left, top);
  }
  return best?.rect;
}

function clipped(rect: Rect, bounds: Rect): Rect {
  const [x, y] = [Math.max(rect.x, bounds.x), Math.max(rect.y, bounds.y)];
  const [right, bottom] = [
    Math.min(rect.x + rect.width, bounds.x + bounds.width),
    Math.min(rect.y + rect.height, bounds.y + bounds.height),
  ];
  return { x, y, width: right - x, height: bottom - y };
}

function inside(rect: Rect, bounds: Rect): boolean {
  const { x, y, width, height } = bounds;
  return rect.x >= x && rect.y >= y && rect.x + rect.width <= x + width && rect.y + rect.height <= y + height;
}

/** A line from the edge of a mark to its label. */
export interface Leader {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
}

/** The line to the label's nearest edge; none where it is close enough. */
export function leader({ x, y, radius }: Label, rect: Rect): Leader | undefined {
  const to = [
    Math.max(rect.x - 2, Math.min(rect.x + rect.width + 2, x)),
    Math.max(rect.y + 3, Math.min(rect.y + rect.height - 3, y)),
  ] as const;
  const distance = Math.hypot(to[0] - x, to[1] - y);
  if (distance <= radius + 8) return undefined;
  const part = (radius + 2) / distance;
  return { from: [x + (to[0] - x) * part, y + (to[1] - y) * part], to };
}

function leaderPath(label: Label, rect: Rect): Rect[] {
  const found = leader(label, rect);
  return found ? along([found.from, found.to], 2).slice(1) : [];
}
