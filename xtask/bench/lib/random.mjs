// Seeded randomness, so that the order of a run can be repeated.

import { wordsFrom } from '../../../tests/package/lib/words.mjs';

/** Uniform on [0, 1). */
export const uniform = (seed) => wordsFrom(seed).unit;

/** A shuffled copy (Fisher and Yates). */
export function shuffled(items, random) {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}
