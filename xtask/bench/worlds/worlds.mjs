// The worlds, as rows: how often the service is called, how it answers, and what the tables show. Those here are
// played by other packages, too.

import { failing, limited, outage, stalling } from './servers.mjs';
import { atLeast, atMost, recovery, requests, row, share } from './shown.mjs';

/**
 * One call; `answer` overrides how the server answers an attempt.
 * @typedef {object} Call
 * @property {number} at
 * @property {boolean} bad whether it is one that does not count
 * @property {boolean} ok
 * @property {number} ms how long it took
 * @property {number} [process] its number; otherwise any one
 * @property {import('./servers.mjs').Server} [answer]
 *
 * @typedef {object} World
 * @property {string} title
 * @property {number} seconds how long there are calls
 * @property {number} [drain] seconds that the last of them have; 30 by default
 * @property {number | ((s: number) => number)} [rate] calls a second, by Poisson
 * @property {(start: (at: number, call?: Partial<Call>) => void, random: () => number) => void} [script] starts calls
 * @property {number} [workers] that make calls one after the other. One that is rejected waits as long as the error
 *   says before the next
 * @property {number} [jobs] calls of all workers
 * @property {number} [processes] that share the calls
 * @property {number} [badShare] of the calls, which do not count
 * @property {object} [options] of each operation
 * @property {boolean} [fetches] whether calls are made by `createFetch`
 * @property {(status: number) => unknown} [result] of an attempt; undefined if it fails. By default, 200 alone is one
 * @property {import('./servers.mjs').MakeServer} server
 * @property {import('./shown.mjs').Shown[]} shows
 */

const always = (share) => () => share;
const BOTH = ['breaker()', 'all three'];
const both = (least) => atLeast(least, BOTH);
const FOUR = { maxAttempts: 4 };
const TWO = { maxAttempts: 2 };
const ONE = { maxAttempts: 1 };

/** Fails without a status, and takes as long as otherwise. */
const fails = (share) => failing(share, { status: 0, ms: 20 });
const NEVER = fails(always(0));

const bursts = (script) => (start) => script((at, ms, ok) => start(at, { answer: () => [ms, ok ? 200 : 0] }));

/** Calls at random. */
const at = (title, rate, seconds, server, more) => ({
  ...{ title: `${title}, ${rate}/s`, rate, seconds, server, shows: [row(share())] },
  ...more,
});
const shares = (aims, from = 0, to = Infinity) => ({ shows: [row(share(from, to), aims)] });

/** Calls of one attempt, of which some fail. */
const together = (title, seconds, script, least) => ({
  ...{ title: `${title} (1 attempt)`, seconds, options: ONE, server: NEVER, script: bursts(script) },
  ...shares(both(least)),
});

/** A call each minute, of two attempts. */
const eachMinute = (title, seconds, downUntil) => ({
  ...{ title, seconds, options: TWO, server: NEVER },
  script: (start) => {
    for (let s = 0; s < seconds; s += 60)
      start(s * 1000, { answer: (attempt) => [20, s >= downUntil && attempt > 1 ? 200 : 0] });
  },
  ...(downUntil === 0 ? shares(both(100)) : shares(both(100), downUntil + 120, seconds)),
});

const ROWS = [
  at(
    '5 s up, 5 s down',
    20,
    300,
    fails((s) => +(s % 10 >= 5)),
    shares(both(30)),
  ),
  at(
    '10 s up, 10 s down',
    20,
    300,
    fails((s) => +(s % 20 >= 10)),
    shares(both(35)),
  ),
  ...[20, 5, 3, 2].map((rate) =>
    at('40% errors', rate, 300, fails(always(0.4)), shares(atLeast(rate === 20 ? 96 : 95, ['breaker()']))),
  ),
  at('25% errors', 1, 600, fails(always(0.25)), {}),
  at('the 120 s after an outage of 60 s', 1, 240, fails(outage(60, 120)), shares(both(94), 120, 240)),
  at('the 120 s after an outage of 600 s', 20, 780, fails(outage(60, 660)), shares(both(94), 660, 780)),
  at(
    '2 s of errors a minute',
    20,
    300,
    fails((s) => +(s % 60 >= 58)),
    shares(both(94)),
  ),
  at('the minute after a start of 20 s of errors', 20, 80, fails(outage(0, 20)), shares(both(95), 20, 80)),
  ...[15, 20, 25, 30, 40].map((percent) =>
    at(`healthy calls beside a bad route of ${percent}%`, 20, 120, NEVER, {
      badShare: percent / 100,
      ...shares(percent <= 30 ? both(99) : []),
    }),
  ),
  together(
    '100 calls at once each 5 s, of which 20 fail at once',
    300,
    (start) => {
      for (let s = 0; s < 300; s += 5) for (let i = 0; i < 100; i++) start(s * 1000, i % 5 === 0 ? 5 : 50, i % 5 !== 0);
    },
    80,
  ),
  together(
    '1,000 calls in 0.1 s each minute, of which 20 fail at once',
    600,
    (start) => {
      for (let s = 0; s < 600; s += 60)
        for (let i = 0; i < 1000; i++) start(s * 1000 + i / 10, i % 50 === 49 ? 1 : 100, i % 50 !== 49);
    },
    98,
  ),
  together(
    '1,000 calls at once, of which the last 30 time out, each 10 s',
    200,
    (start) => {
      for (let s = 0; s < 200; s += 10)
        for (let i = 0; i < 1000; i++) start(s * 1000, i < 30 ? 1000 : 30 + i / 25, i >= 30);
    },
    97,
  ),
  eachMinute('a call a minute whose first attempt fails (2 attempts), 4 h', 14_400, 0),
  eachMinute('that call in the 2 h after an outage of 25 min (2 attempts)', 8700, 1500),
  ...[5, 15, 30, 60].map((window) => ({
    title: `1,000 jobs of 10 workers, 100 allowed in ${window} s`,
    seconds: 0,
    drain: 1000 * window,
    workers: 10,
    jobs: 1000,
    fetches: true,
    options: {},
    server: limited(100, window, { ms: (random) => 10 + 200 * random() }),
    shows: [row(share(), atLeast(96))],
  })),
  ...[10, 100].map((processes) => ({
    title: `requests per call in an outage that stalls 10 s, ${processes} processes, 280/s`,
    rate: 280,
    seconds: 60,
    processes,
    server: stalling([10, 20], [1000, 0]),
    shows: [
      row(requests(10, 20), processes === 10 ? atMost(0.4, BOTH) : []),
      row(
        recovery(20),
        processes === 10 ? atMost(10, BOTH) : [],
        `seconds from its end until 95% are answered, ${processes} processes`,
      ),
    ],
  })),
];

export const WORLDS = ROWS.map((world) => ({ options: FOUR, ...world }));
