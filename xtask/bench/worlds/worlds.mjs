// The worlds, as rows: how often the service is called, how it answers, and what part of the calls counts.

/**
 * @typedef {object} World
 * @property {string} title
 * @property {number} seconds how long there are calls
 * @property {number} [rate] calls a second, by Poisson
 * @property {(start: (at: number, call?: Partial<Call>) => void) => void} [script] instead: starts each call
 * @property {number} [processes] that share the calls
 * @property {number} [attempts]
 * @property {number} [badShare] of the calls, which go to a route that always fails and do not count
 * @property {(s: number) => number} [fails] share of attempts that fail, at a time in seconds
 * @property {boolean} [stalls] the service serves 300 a second in order, nobody waits longer than 1 s, and it stands
 *   still from 10 s to 20 s
 * @property {number} [window] jobs of ten workers, of which 100 are served in so many seconds and others asked to wait
 * @property {[from: number, to: number]} [counts] in seconds
 * @property {{ breaker?: number, three?: number }} [aims] least per cent of calls
 * @property {string} [also] title of a second number: how long the recovery takes, if the first are requests per call
 * @property {number[]} [most] aims of both: at most so much
 *
 * One call; `answer` overrides how the service answers an attempt.
 * @typedef {{ at: number, bad: boolean, ok: boolean, answer?: (attempt: number) => [ms: number, ok: boolean] }} Call
 */

const outage = (/** @type {number} */ from, /** @type {number} */ to) => (/** @type {number} */ s) =>
  s >= from && s < to ? 1 : 0;
const always = (/** @type {number} */ share) => () => share;
const both = (/** @type {number} */ least) => ({ breaker: least, three: least });

/** @param {(start: (at: number, ms: number, ok: boolean) => void) => void} script */
const bursts = (script) => (/** @type {(at: number, call?: Partial<Call>) => void} */ start) =>
  script((at, ms, ok) => start(at, { answer: () => [ms, ok] }));

/** @type {World[]} */
export const WORLDS = [
  { title: '5 s up, 5 s down, 20/s', rate: 20, seconds: 300, fails: (s) => +(s % 10 >= 5), aims: both(30) },
  { title: '10 s up, 10 s down, 20/s', rate: 20, seconds: 300, fails: (s) => +(s % 20 >= 10), aims: both(35) },
  { title: '40% errors, 20/s', rate: 20, seconds: 300, fails: always(0.4), aims: { breaker: 96 } },
  { title: '40% errors, 5/s', rate: 5, seconds: 300, fails: always(0.4), aims: { breaker: 95 } },
  { title: '40% errors, 3/s', rate: 3, seconds: 300, fails: always(0.4), aims: { breaker: 95 } },
  { title: '40% errors, 2/s', rate: 2, seconds: 300, fails: always(0.4), aims: { breaker: 95 } },
  { title: '25% errors, 1/s', rate: 1, seconds: 600, fails: always(0.25) },
  {
    title: 'the 120 s after an outage of 60 s, 1/s',
    rate: 1,
    seconds: 240,
    fails: outage(60, 120),
    counts: [120, 240],
    aims: both(94),
  },
  {
    title: 'the 120 s after an outage of 600 s, 20/s',
    rate: 20,
    seconds: 780,
    fails: outage(60, 660),
    counts: [660, 780],
    aims: both(94),
  },
  { title: '2 s of errors a minute, 20/s', rate: 20, seconds: 300, fails: (s) => +(s % 60 >= 58), aims: both(94) },
  {
    title: 'the minute after a start of 20 s of errors, 20/s',
    rate: 20,
    seconds: 80,
    fails: outage(0, 20),
    counts: [20, 80],
    aims: both(95),
  },
  ...[15, 20, 25, 30, 40].map((percent) => ({
    title: `healthy calls beside a bad route of ${percent}%, 20/s`,
    rate: 20,
    seconds: 120,
    badShare: percent / 100,
    aims: percent <= 30 ? both(99) : undefined,
  })),
  {
    title: '100 calls at once each 5 s, of which 20 fail at once (1 attempt)',
    seconds: 300,
    attempts: 1,
    script: bursts((start) => {
      for (let s = 0; s < 300; s += 5) for (let i = 0; i < 100; i++) start(s * 1000, i % 5 === 0 ? 5 : 50, i % 5 !== 0);
    }),
    aims: both(80),
  },
  {
    title: '1,000 calls in 0.1 s each minute, of which 20 fail at once (1 attempt)',
    seconds: 600,
    attempts: 1,
    script: bursts((start) => {
      for (let s = 0; s < 600; s += 60)
        for (let i = 0; i < 1000; i++) start(s * 1000 + i / 10, i % 50 === 49 ? 1 : 100, i % 50 !== 49);
    }),
    aims: both(98),
  },
  {
    title: '1,000 calls at once, of which the last 30 time out, each 10 s (1 attempt)',
    seconds: 200,
    attempts: 1,
    script: bursts((start) => {
      for (let s = 0; s < 200; s += 10)
        for (let i = 0; i < 1000; i++) start(s * 1000, i < 30 ? 1000 : 30 + i / 25, i >= 30);
    }),
    aims: both(97),
  },
  {
    title: 'a call a minute whose first attempt fails (2 attempts), 4 h',
    seconds: 14_400,
    attempts: 2,
    script: (start) => {
      for (let s = 0; s < 14_400; s += 60) start(s * 1000, { answer: (attempt) => [20, attempt > 1] });
    },
    aims: both(100),
  },
  {
    title: 'that call in the 2 h after an outage of 25 min (2 attempts)',
    seconds: 8700,
    attempts: 2,
    script: (start) => {
      for (let s = 0; s < 8700; s += 60) start(s * 1000, { answer: (attempt) => [20, s >= 1500 && attempt > 1] });
    },
    counts: [1620, 8700],
    aims: both(100),
  },
  ...[5, 15, 30, 60].map((window) => ({
    title: `1,000 jobs of 10 workers, 100 allowed in ${window} s`,
    seconds: 0,
    window,
    aims: { three: 96 },
  })),
  ...[10, 100].map((processes) => ({
    title: `requests per call in an outage that stalls 10 s, ${processes} processes, 280/s`,
    also: `seconds from its end until 95% are answered, ${processes} processes`,
    rate: 280,
    seconds: 60,
    stalls: true,
    processes,
    most: processes === 10 ? [0.4, 10] : undefined,
  })),
];
