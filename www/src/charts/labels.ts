/** Where direct labels go, so that none covers another. */

/** Width of a label in 12 px semi-bold Inter: rather too wide than too narrow, and known before the font is there. */
export function labelWidth(text: string): number {
  let width = 0;
  for (const character of text)
    width += /[fijlrt1 .,:·'()\u00a0]/.test(character) ? 4.3 : /[A-Zmw%±]/.test(character) ? 9.4 : 7.05;
  return Math.ceil(width);
}

/** Height of one line of text. */
export const LABEL_HEIGHT = 16;

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
