// Options of random policies that data can hold.

import { makeSchedule } from '../schedules/schedule.mjs';

const SEEDS = [undefined, 0, 7, 2 ** 53 - 1, 0n, 2n ** 64n - 1n, 12345678901234567890n, '', 'text', '\u{1F600}'];

/** Options of the random schedules, with seeds of every kind. @param {number} i which of them */
export function randomOptions(i) {
  const { policies } = makeSchedule(1, i, 'plain');
  const { seed, ...others } = { ...policies[0].implied, ...policies[0].options };
  // A function is not data.
  if (others.backoff === 'function') others.backoff = [5, 50.25, Infinity];
  return { ...others, seed: SEEDS[i % SEEDS.length] };
}
