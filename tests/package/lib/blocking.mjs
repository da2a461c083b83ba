// A clock for code that blocks: `Atomics.wait` takes no real time, it moves the monotonic clock.

import { own, replace } from './clock.mjs';

/**
 * Runs `body(clock)`, synchronously. `clock.waits` lists the timeouts of all waits; `clock.now` may be moved
 * by the body; `wake(ms)` says how long a wait of `ms` really lasts.
 */
export function underBlockingClock(body, options) {
  const { start = 1000, wake = (ms) => ms } = own(options);
  const clock = { now: start, waits: [] };
  const { wait } = Atomics;
  const saved = [
    replace(globalThis.performance, 'now', () => clock.now),
    replace(Atomics, 'wait', (cell, index, value, ms) => {
      // The host itself answers whether this thread may block.
      if (ms === 0) return wait(cell, index, value, ms);
      if (clock.waits.length > 100_000) throw new Error('more than 100000 waits');
      clock.waits.push(ms);
      clock.now += wake(ms);
      return 'timed-out';
    }),
  ];
  try {
    return { clock, value: body(clock) };
  } catch (error) {
    return { clock, error, threw: true };
  } finally {
    for (const putBack of saved) putBack();
  }
}
