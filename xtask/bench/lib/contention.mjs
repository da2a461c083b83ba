// The figure of "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015) in plain JavaScript, as a
// careful programmer writes it: typed arrays, a binary heap, Math.random. N clients compete for one row; one
// try is a read, its answer (with the row's version), a write, its answer; each message takes
// |Normal(10, 2)| ms. A write whose version still matches succeeds; any other client waits and reads again.
// An event is a message's arrival at the server, as in the lab.

import { BinaryHeap } from './binary-heap.mjs';

const BASE_MS = 5;
const CAP_MS = 2000;
const HOP_MEAN_MS = 10;
const HOP_SD_MS = 2;

/**
 * Each returns the wait of a client after a failed write: `attempt` counts them from 1, `previous` is its
 * last wait, at first the base.
 */
const WAITS = {
  none: () => 0,
  exponential: (attempt) => ceiling(attempt),
  equal: (attempt) => {
    const half = ceiling(attempt) / 2;
    return half + Math.random() * half;
  },
  full: (attempt) => Math.random() * ceiling(attempt),
  decorrelated: (_, previous) => Math.min(CAP_MS, BASE_MS + Math.random() * (3 * previous - BASE_MS)),
};

const ceiling = (attempt) => Math.min(CAP_MS, BASE_MS * 2 ** attempt);

/** Normal variates come in pairs (Marsaglia's polar method). */
let spare = NaN;
function normal() {
  if (!Number.isNaN(spare)) {
    const z = spare;
    spare = NaN;
    return z;
  }
  for (;;) {
    const x = 2 * Math.random() - 1;
    const y = 2 * Math.random() - 1;
    const square = x * x + y * y;
    if (square >= 1 || square === 0) continue;
    const scale = Math.sqrt((-2 * Math.log(square)) / square);
    spare = y * scale;
    return x * scale;
  }
}

const hop = () => Math.abs(HOP_MEAN_MS + HOP_SD_MS * normal());

/**
 * @returns {{ events: number, calls: Uint32Array, timesMs: Float64Array }} writes, and the last success, of each run
 */
export function contention(strategy, clients, runs) {
  const waitOf = WAITS[strategy];
  const queue = new BinaryHeap(clients);
  const seen = new Uint32Array(clients);
  const attempts = new Uint32Array(clients);
  const previous = new Float64Array(clients);
  const calls = new Uint32Array(runs);
  const timesMs = new Float64Array(runs);
  let events = 0;
  for (let run = 0; run < runs; run++) {
    let version = 0;
    attempts.fill(0);
    previous.fill(BASE_MS);
    // The sign of an event's number: a read, or (complemented) a write.
    for (let client = 0; client < clients; client++) queue.push(hop(), client);
    while (queue.size > 0) {
      const now = queue.time;
      const event = queue.pop();
      events++;
      if (event >= 0) {
        seen[event] = version;
        queue.push(now + hop() + hop(), ~event);
        continue;
      }
      const client = ~event;
      const answered = now + hop();
      calls[run]++;
      if (seen[client] === version) {
        version++;
        timesMs[run] = Math.max(timesMs[run], answered);
      } else {
        const wait = waitOf(++attempts[client], previous[client]);
        previous[client] = wait;
        queue.push(answered + wait + hop(), client);
      }
    }
  }
  return { events, calls, timesMs };
}
