/** All subsets of two or three of a list. */
export const subsets = (list) =>
  list.flatMap((a, i) => list.slice(i + 1).flatMap((b, j) => [[a, b], ...list.slice(i + j + 2).map((c) => [a, b, c])]));
