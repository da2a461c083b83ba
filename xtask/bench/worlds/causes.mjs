// Outages, overloads and limits of a service.

import { whole } from '../report/table.mjs';
import { blips, bucket, failing, limited, outage, queue } from './servers.mjs';
import { above, atLeast, atMost, duration, lost, recovery, requests, row, share } from './shown.mjs';

/** @typedef {import('./worlds.mjs').World} World */

/** Attempts have a timeout where some take longer. */
const world = (title, [processes, rate, seconds], server, shows, more) => {
  const perS = whole(typeof rate === 'number' ? rate : rate(0));
  return {
    title: `${title}; ${whole(processes)} process${processes === 1 ? '' : 'es'}, ${perS}/s`,
    ...{ processes, rate, seconds, server, shows, ...more },
  };
};

const never = () => 0;

const bursts = (calls, from, to, every, given) => (start) => {
  for (let s = from; s < to; s += every) for (let i = 0; i < calls; i++) start(s * 1000, given);
};

const storm = (start, random) => {
  for (let i = 0; i < 5000; i++) start(20_000 + 1000 * random(), { process: i % 1000 });
};

export const CAUSES = [
  world(
    'two of three zones fail for 60 s: calls in it',
    [20, 100, 120],
    failing(outage(20, 80, 2 / 3), { status: 503, ms: 5 }),
    [row(share(20, 80), [above('no retries', 2)])],
  ),
  world(
    'a customer with 45% of the calls always fails: the others',
    [5, 50, 300],
    failing(never),
    [row(share(), atLeast(98))],
    { badShare: 0.45 },
  ),
  world(
    'a customer sends 200 calls at once that fail, each 20 s: the others',
    [1, 5, 200],
    failing(never),
    [row(share(), atLeast(94))],
    { script: bursts(200, 20, 200, 20, { bad: true }) },
  ),
  world(
    'a route with 5% of the calls always asks to wait 10 s: the others',
    [1, 20, 120],
    failing(never, { status: 429, waitMs: 10_000 }),
    [
      row(share(), atLeast(95)),
      row(duration(0.5), atMost(0.1), '… their median, s'),
      row(duration(0.99), atMost(20), '… their 99th percentile, s'),
    ],
    { badShare: 0.05 },
  ),
  ...[5, 1].map((percent) =>
    world(
      `a route with ${percent}% of the calls allows 10 a minute (createFetch): the others`,
      [1, 20, 300],
      limited(10, 60, { route: true }),
      [
        row(share(), atLeast(percent === 5 ? 90 : 100)),
        row(duration(0.99), atMost(percent === 5 ? 90 : 1), '… their 99th percentile, s'),
      ],
      { badShare: percent / 100, fetches: true, drain: 120 },
    ),
  ),
  world(
    'maintenance for 20 s: failures ask to wait 20 s',
    [20, 50, 100],
    failing(outage(20, 40), { status: 503, waitMs: 20_000 }),
    [row(share(), atLeast(99)), row(requests(20, 40), atMost(0.1), '… requests per call in it')],
  ),
  world(
    '100 requests allowed in 10 s; twice 150 calls at once',
    [1, 6, 140],
    limited(100, 10),
    [row(share(), atLeast(98)), row(requests(), atMost(1.25), '… requests per call')],
    { script: bursts(150, 20, 100, 60), drain: 120 },
  ),
  world(
    '5,000 calls in a second; 300 allowed, others asked to wait 5 s',
    [1000, 200, 120],
    bucket(300, 5000),
    [row(share(), atLeast(98)), row(requests(20, 25), atMost(0.7), '… requests per call in the 5 s from its start')],
    { script: storm, drain: 120 },
  ),
  world('errors for 0.3 s, about every 5 s', [5, 100, 200], blips(5, 0.3), [row(share(), atLeast(98))]),
  world('errors for 1 s, about every 10 s', [5, 100, 200], blips(10, 1), [row(share(), [above('no retries', -2)])]),
  world(
    'errors that rise from 0 to 60% in 300 s',
    [10, 50, 400],
    failing((s) => outage(20, 320, 0.6)(s) * ((s - 20) / 300)),
    [row(share(), atLeast(87))],
  ),
  world(
    'a server for 1,300/s pauses for 30 s: calls after it',
    [200, 1000, 110],
    queue(26, { still: [20, 50] }),
    [
      row(share(50), atLeast(85)),
      row(requests(20, 50), atMost(0.45), '… requests per call in it'),
      row(recovery(50, 3000), atMost(12), '… seconds from its end until 95% are answered within 3 s'),
    ],
    { options: { attemptTimeoutMs: 2000 } },
  ),
  world(
    'a server for 300/s in random order stalls for 10 s',
    [50, 260, 110],
    queue(6, { still: [20, 30], unordered: true }),
    [row(share(), atLeast(80))],
    { options: { attemptTimeoutMs: 1000 } },
  ),
  world(
    'a server for 300/s in random order gets 400/s for 40 s',
    [10, (s) => 240 + outage(20, 60, 160)(s), 140],
    queue(6, { unordered: true }),
    [row(share(), [above('no retries', 8)])],
    { options: { attemptTimeoutMs: 1000 } },
  ),
];

export const BATCH = [
  {
    title: 'jobs lost of 20,000 in an outage of 60 s; 1 process, 20 workers',
    ...{ workers: 20, jobs: 20_000, seconds: 600 },
    server: failing(outage(20, 80), { status: 503, goodMs: 50 }),
    shows: [row(lost, atMost(1000, ['breaker(), cooldown()', 'all three']))],
  },
];
