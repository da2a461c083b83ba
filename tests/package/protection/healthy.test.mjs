// Scenes F to J of the design: clients of a service that works, or works again. With the defaults, nothing rejects them:
// not for a burst whose failures come first, nor for a batch whose last answers are timeouts, nor for a first attempt
// that always fails, nor for an outage long ago.

import assert from 'node:assert/strict';
import { importAll, timed } from './entry.mjs';

const { RetryPolicy, breaker, budget, cooldown, protect } = await importAll();

const MINUTE = 60_000;

/** Calls with a time, and how each attempt ends: after how long, and whether it succeeds. */
const SCENES = {
  'F: 100 at once each 5 s, every fifth fails at once': {
    calls: () => bursts(20, 5000, 100, (i) => [0, i % 5 === 0 ? [5, false] : [50, true]]),
    rejected: 0,
    succeed: 1600,
  },
  'G: scene B each minute': {
    calls: () => bursts(10, MINUTE, 1000, (i) => [i / 10, i % 50 === 49 ? [1, false] : [100, true]]),
    rejected: 0,
    succeed: 9800,
  },
  'H: one a minute, whose first attempt fails and whose retry succeeds': {
    calls: () => bursts(240, MINUTE, 1, () => [0, [20, false], [20, true]]),
    maxAttempts: 2,
    rejected: 0,
    succeed: 240,
  },
  'I: 1,000 at once, of which 30 time out when the others have succeeded': {
    calls: () => bursts(20, 10_000, 1000, (i) => [0, i < 30 ? [1000, false] : [i % 70, true]]),
    rejected: 0,
    succeed: 19_400,
  },
  'J: an outage of 25 minutes met once a minute, then two hours as H': {
    calls: () => bursts(145, MINUTE, 1, (_, n) => [0, [20, false], [20, n >= 25]]),
    maxAttempts: 2,
    // Retries of two operations at which it opens; it is closed when it is asked again.
    rejected: 2,
    succeed: 120,
  },
};

/** Bursts of calls: `call` answers when one starts after the burst does, and the ends of its attempts. */
function bursts(count, every, size, call) {
  return Array.from({ length: count * size }, (_, k) => {
    const n = Math.floor(k / size);
    const [after, ...ends] = call(k % size, n);
    return { at: n * every + after, ends };
  });
}

for (const [name, { calls, maxAttempts = 1, rejected, succeed }] of Object.entries(SCENES)) {
  for (const parts of [[breaker()], [budget(), breaker(), cooldown()]])
    timed(`${name}, with ${parts.length} parts`, async (clock) => {
      const api = protect(...parts);
      const policy = new RetryPolicy({ maxAttempts, protection: api, random: () => 0.5 });
      let done = 0;
      for (const { at, ends } of calls()) {
        await clock.advance(at - clock.now);
        const fn = ({ attempt }) =>
          new Promise((resolve, reject) => {
            const [ms, ok] = ends[attempt - 1];
            setTimeout(() => (ok ? resolve() : reject(new Error('failed'))), ms);
          });
        policy.run(fn).then(
          () => {
            done += 1;
          },
          () => {},
        );
      }
      await clock.drain();
      assert.deepEqual([done, api.status().breaker.rejected], [succeed, rejected]);
    });
}
