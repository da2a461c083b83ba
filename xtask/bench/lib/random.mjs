// Seeded randomness, so that the order of a run can be repeated.

/**
 * Uniform on [0, 1): mulberry32.
 * @param {number} seed
 * @returns {() => number}
 */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A shuffled copy (Fisher and Yates).
 * @template T
 * @param {readonly T[]} items
 * @param {() => number} random
 */
export function shuffled(items, random) {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}
