// Seeded choices. Schedule i of seed s is the same on every machine, alone or among others.

import { wordsFrom } from '../lib/words.mjs';

/** A generator of its own for schedule `index` of `seed`. */
export function generator(seed, index) {
  const { unit } = wordsFrom(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35));
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
