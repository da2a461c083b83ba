// One operation under a virtual clock, and what most tests ask about it.

import { underClock } from './clock.mjs';
import { importPackage } from './consumer.mjs';

const { retry } = await importPackage();

/**
 * Runs `retry(fn, options)` to its end, as underClock. `calls` counts the attempts, `delays` lists the arguments of
 * setTimeout.
 */
export async function operate(fn, options, ofClock) {
  let calls = 0;
  const counting = (clock) => (attempt) => {
    calls += 1;
    return fn(attempt, clock);
  };
  const end = await underClock((clock) => retry(counting(clock), options), ofClock);
  return { ...end, calls, delays: end.clock.delays };
}
