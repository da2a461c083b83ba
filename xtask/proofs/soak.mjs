// A day of traffic, played in minutes: ten million operations under all parts of protection, with timeouts, aborts and
// outages, of which nothing may be left. Prints the heap after each two hours.

import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { importEntry, importPackage } from '../../tests/package/lib/consumer.mjs';
import { generator } from '../../tests/package/schedules/random.mjs';
import { Day } from './day.mjs';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OPERATIONS = 1e7;
/** The first minute of each hour, the server is down. */
const OUTAGE_MS = 60_000;
/** More than operations that are under way take; a tenth of a byte per operation. */
const SPREAD_BYTES = 1e6;
/** What one key may start: `BURST` units at once, and `LIMIT` per second. */
const LIMIT = 40;
const BURST = 2;
const KEYS = ['a', 'b', 'c'];

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const { RetryPolicy, retryAfter } = await importPackage();
const { breaker, budget, cooldown, hedge, limiter, protect } = await importEntry('protection');

const day = new Day();
const g = generator(1, 1);
/** Starts of the last second, by key: as many as may be, in a ring. */
const starts = Object.fromEntries(
  KEYS.map((key) => [key, { times: new Float64Array(LIMIT + BURST).fill(-1e9), at: 0 }]),
);
let attempts = 0;
/**
 * The shortest time in which a key has started more than a second allows. An assertion within an attempt is retried.
 */
let shortestMs = Infinity;

function started(key) {
  attempts += 1;
  const ring = starts[key];
  shortestMs = Math.min(shortestMs, day.now - ring.times[ring.at]);
  ring.times[ring.at] = day.now;
  ring.at = (ring.at + 1) % ring.times.length;
}

const statused = (status) => Object.assign(new Error('answered'), { status });

/** A server: usually quick, sometimes slow, silent, too busy or down. */
function call({ signal }, key) {
  started(key);
  return new Promise((resolve, reject) => {
    const chance = g.unit();
    if (chance < 0.002) {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      return;
    }
    const down = day.now % HOUR_MS < OUTAGE_MS;
    const end = () => {
      if (chance < 0.01) reject(retryAfter(500, statused(429)));
      else if (down || chance < 0.06) reject(statused(503));
      else resolve(key);
    };
    setTimeout(end, 5 + 40 * g.unit() + (chance > 0.99 ? 400 : 0));
  });
}

const protection = protect(
  ...[budget(), breaker(), cooldown(), hedge({ delayMs: 200 })],
  limiter({ limit: LIMIT, burst: BURST, concurrency: 40, maxQueue: 200 }),
);
const policy = new RetryPolicy({
  ...{ baseMs: 50, capMs: 2000, maxAttempts: 4, attemptTimeoutMs: 1000, totalTimeoutMs: 8000 },
  ...{ protection, metrics: true, retryIf: () => true },
});

/** One that a third of the operations share, for the whole day. */
const shared = new AbortController();
const ends = { resolved: 0, rejected: 0 };

function operate(i) {
  const key = KEYS[i % KEYS.length];
  const options = { key };
  if (i % 3 === 0) options.signal = shared.signal;
  else if (g.chance(0.03)) {
    const controller = new AbortController();
    options.signal = controller.signal;
    setTimeout(() => controller.abort(), 300 * g.unit());
  }
  policy
    .run((attempt) => call(attempt, key), options)
    .then(
      () => (ends.resolved += 1),
      () => (ends.rejected += 1),
    );
}

const heaps = [];
day.install();
for (let hour = 0; hour < 24; hour += 2) {
  const from = (OPERATIONS * hour) / 24;
  const to = (OPERATIONS * (hour + 2)) / 24;
  for (let i = Math.ceil(from); i < to; i += 1) {
    await day.advance((i / OPERATIONS) * DAY_MS);
    operate(i);
  }
  collect();
  heaps.push(process.memoryUsage().heapUsed);
  const { resolved, rejected } = ends;
  console.log(
    `${hour + 2} h: ${attempts} attempts, ${resolved} resolved, ${rejected} rejected, ` +
      `${(heaps.at(-1) / 1e6).toFixed(2)} MB of heap`,
  );
}
// Whatever still waits has ended by its deadline.
await day.advance(DAY_MS + HOUR_MS);
day.uninstall();

const { operations, inFlight } = policy.metrics();
assert.deepEqual({ operations, inFlight }, { operations: OPERATIONS, inFlight: 0 });
assert.equal(ends.resolved + ends.rejected, OPERATIONS);
assert.equal(day.pending, 0, 'a timer is left');
assert.ok(shortestMs > 999, `${LIMIT + BURST + 1} starts of one key in ${shortestMs} ms`);
for (const key of KEYS) {
  const { running, queued } = protection.for(key).status().limiter;
  assert.deepEqual({ running, queued }, { running: 0, queued: 0 }, key);
}
// The first two hours compile what runs.
const [, second, ...later] = heaps;
const grown = Math.max(...later) - second;
assert.ok(grown < SPREAD_BYTES, `the heap grew by ${grown} B`);
console.log(`${OPERATIONS} operations in 24 h: all ended, nothing is left, the heap grew by ${Math.max(0, grown)} B`);
