// @ts-check
// The settings of every contender, as far as it has them: full jitter below min(10 s, 100 ms·2^(k−1)).

export const ATTEMPTS = 6;
export const BASE_MS = 100;
export const CAP_MS = 10_000;
