// Seeded choices. Schedule i of seed s is the same on every machine, alone or among others.

/** A generator of its own for schedule `index` of `seed`. */
export function generator(seed, index) {
  let a = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  /** mulberry32: uniform on [0, 1). */
  const unit = () => {
    a = (a + 0x6d2b79f5) | 0;
    let z = Math.imul(a ^ (a >>> 15), 1 | a);
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
  // The first outputs of neighbouring seeds are alike.
  for (let i = 0; i < 4; i += 1) unit();
  return {
    unit,
    chance: (p) => unit() < p,
    /** A whole number from lo to hi. */
    whole: (lo, hi) => lo + Math.floor(unit() * (hi - lo + 1)),
    pick: (list) => list[Math.floor(unit() * list.length)],
    /** `make()` as often as said. */
    list: (n, make) => Array.from({ length: n }, make),
  };
}
