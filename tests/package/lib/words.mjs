// Random words that Rust draws too: tests/common/words.rs.

/** The words of one subject of a test. @param {number} index its number */
export const words = (index) => wordsFrom(Math.imul(index, 0x9e3779b9));

/** mulberry32. @param {number} state */
export function wordsFrom(state) {
  const word = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  return {
    word,
    /** @param {number} n */
    below: (n) => word() % n,
    /** Uniform on [0, 1). */
    unit: () => word() / 4294967296,
  };
}
