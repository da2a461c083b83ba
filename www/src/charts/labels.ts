/** Where direct labels go, so that none covers another, nor a mark. */

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Of one line of text. */
export const LABEL_HEIGHT = 16;

/** In 12 px semi-bold Inter: rather too wide than too narrow, and known before the font is there. */
export function labelWidth(text: string): number {
  let width = 0;
  for (const character of text) width += /[fijlrt1 .,:·'()\u00a0]/.test(character) ? 4.3 : /[A-Zmw%±]/.test(character) ? 9.4 : 7.05;
  return Math.ceil(width);
}

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
    return Array.from({ length: steps }, (_, s) => around(x + ((fromX - x) * s) / steps, y + ((fromY - y) * s) / steps, radius));
  });
}

/**
 * Positions on a line, in the order of the wanted ones, at least `gap` apart and inside the span, with the
 * smallest sum of squared shifts.
 */
export function spread(wanted: readonly number[], gap: number, [from, to]: readonly [from: number, to: number]): number[] {
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

const STEP = 4;

/**
 * A place for each label, as near to its mark as one is free, rather beside than above or below;
 * undefined where there is none. The first label chooses first.
 */
export function placed(labels: readonly Label[], obstacles: readonly Rect[], bounds: Rect): (Rect | undefined)[] {
  const taken = [...obstacles];
  const names: Rect[] = [];
  return labels.map((label) => {
    const width = labelWidth(label.text);
    const { x, y, radius } = label;
    let best: { rect: Rect; cost: number } | undefined;
    const consider = (left: number, top: number): void => {
      const rect = { x: left, y: top, width, height: LABEL_HEIGHT };
      const dx = Math.max(left - x, x - left - width, 0);
      const dy = Math.max(top - y, y - top - LABEL_HEIGHT, 0);
      const offAxis = Math.abs(top + LABEL_HEIGHT / 2 - y);
      const cost = Math.hypot(dx, dy) + offAxis / 4 + (left < x ? 4 : 0);
      if (best && best.cost <= cost) return;
      if (left < bounds.x || top < bounds.y || left + width > bounds.x + bounds.width || top + LABEL_HEIGHT > bounds.y + bounds.height) return;
      if (taken.some((other) => overlap(rect, other))) return;
      if (leaderPath(label, rect).some((part) => names.some((name) => overlap(part, name)))) return;
      best = { rect, cost };
    };
    const middle = y - LABEL_HEIGHT / 2;
    consider(x + radius + 4, middle);
    consider(x - radius - 4 - width, middle);
    for (let left = bounds.x; left + width <= bounds.x + bounds.width; left += STEP) {
      for (let top = bounds.y; top + LABEL_HEIGHT <= bounds.y + bounds.height; top += STEP) consider(left, top);
    }
    if (best) {
      names.push(best.rect);
      taken.push(best.rect, ...leaderPath(label, best.rect));
    }
    return best?.rect;
  });
}

function leaderPath(label: Label, rect: Rect): Rect[] {
  const end = leader(label, rect);
  return end ? along([[label.x, label.y], end], 2) : [];
}

/** Where a line from the mark to its label ends: at the nearest edge. Nothing if they are close enough. */
export function leader({ x, y, radius }: Label, rect: Rect): readonly [x: number, y: number] | undefined {
  const end = [Math.max(rect.x - 2, Math.min(rect.x + rect.width + 2, x)), Math.max(rect.y + 3, Math.min(rect.y + rect.height - 3, y))] as const;
  return Math.hypot(end[0] - x, end[1] - y) > radius + 8 ? end : undefined;
}
