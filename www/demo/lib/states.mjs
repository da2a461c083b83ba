/** States that the page can be in, at random but the same for each seed. */

/** Numbers between 0 and 1. @param {number} seed */
export function random(seed) {
  let state = (seed + 1) * 48_271;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/**
 * @param {number} seed
 * @param {any} page the words and the initial state of the page
 * @returns {any}
 */
export function stateOf(seed, { ALL_BACKOFFS, ALL_JITTERS, INITIAL_STATE, PROTECTIONS }) {
  const next = random(seed);
  for (let i = 0; i < 5; i++) next();
  const one = (/** @type {readonly any[]} */ all) => all[Math.floor(next() * all.length)];
  const number = (/** @type {number} */ from, /** @type {number} */ to) => from + (to - from) * next();
  const whole = (/** @type {number} */ from, /** @type {number} */ to) => Math.round(number(from, to));
  const capMs = one([Infinity, 100, 10_000, 60_000, whole(1, 100_000), number(1, 1000)]);
  const upTo = (/** @type {number} */ most) => Math.min(most, capMs);
  return {
    strategy: {
      ...INITIAL_STATE.strategy,
      backoff: one(ALL_BACKOFFS),
      jitter: one(ALL_JITTERS),
      baseMs: one([0, upTo(100), upTo(20_000), number(0, upTo(30_000))]),
      capMs,
      minMs: one([0, 0, number(0, upTo(500))]),
      factor: one([2, 1.5, number(1, 10)]),
      truncateAt: whole(1, 12),
      ratio: number(0, 1),
      spreadMs: whole(1, 5000),
      capRule: one(['bound', 'ceiling', 'draw']),
      maxAttempts: one([1, 2, 6, 10, Infinity, whole(1, 40)]),
      totalTimeoutMs: one([Infinity, Infinity, whole(1, 60_000)]),
    },
    herd: {
      clients: one([10, 20, 24, 100, 1000, whole(10, 10_000)]),
      downMs: one([0, 2000, whole(0, 600_000)]),
      capacityPerS: one([120, whole(1, 100_000)]),
      rejectionCost: one([0, 0.05, 1, next()]),
      demand: number(0.5, 1.1),
      failing: one([0, 0.05, number(0, 0.9)]),
    },
    protection: { retries: one(['on', 'off']), parts: one(PROTECTIONS) },
    hedging: { delayMs: number(10, 1000) },
    live: { failure: one(['mixed', '503', '429']), rate: next(), calls: one([1, 8, 50]) },
    code: one(['fetch', 'call', 'delays', 'bullmq', 'grpc']),
    seed: whole(0, 2 ** 32 - 1),
  };
}
