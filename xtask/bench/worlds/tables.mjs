// The tables of worlds: tests/vectors/worlds.json.

import { readFileSync } from 'node:fs';

import { SERVERS } from './servers.mjs';
import { shown } from './shown.mjs';

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
 * Calls that start together, between two times in seconds: those whose number, modulo `failing[0]`, is from
 * `failing[1]` to below `failing[2]` fail after `failsMs`. With `secondFrom`, the second attempt succeeds from then on.
 * @typedef {{ calls: number, from?: number, to?: number, every?: number, apartMs?: number, random?: boolean,
 *   processes?: number, bad?: boolean, failing?: number[], failsMs?: number, ms?: number, moreMs?: number,
 *   secondFrom?: number }} Starts `moreMs`: a call takes so much longer than the one before it
 *
 * @typedef {object} World
 * @property {string} title
 * @property {number} seconds how long there are calls
 * @property {number} [drain] seconds that the last of them have; 30 by default
 * @property {number} [rate] calls a second, by Poisson
 * @property {import('./servers.mjs').Share} [surge] how many more
 * @property {Starts} [starts]
 * @property {number} [workers] that make calls one after the other. One that is rejected waits as long as the error
 *   says before the next
 * @property {number} [jobs] calls of all workers
 * @property {number} [processes] that share the calls
 * @property {number} [badShare] of the calls, which do not count
 * @property {number} [quota] that the server has for all processes, in requests a second, as limiters know it
 * @property {object} [options] of each operation
 * @property {boolean} [fetches] whether calls are made by `createFetch`
 * @property {string} [kind] of the calls, with options and results as {@link KINDS} has them
 * @property {(status: number) => unknown} [result] of an attempt; undefined if it fails. By default, 200 alone is one
 * @property {import('./servers.mjs').MakeServer} server
 * @property {import('./shown.mjs').Shown[]} shows
 *
 * The name is the head of the first column.
 * @typedef {{ name: string, contenders: string[], worlds: World[] }} Table
 */

/**
 * Services that fail a share of the attempts, over the whole range. `losses` are those that all three may have against
 * no retries at 65 and 70%.
 */
const sweepOf = ({ processes, rate, losses }) =>
  Array.from({ length: 16 }, (_, i) => 5 * (i + 1)).map((percent) => {
    const aims = percent <= 70 ? [`all three ≥ no retries − ${losses[percent] ?? 2}`] : [];
    if (percent <= 65 && processes === 1) aims.push('all three ≥ budget() − 3');
    if (percent <= 75) aims.push('breaker() ≥ no protection − 3');
    return {
      ...{ title: `${percent}%`, seconds: 300, rate, processes },
      server: ['failing', { share: percent / 100 }, { ms: 10 }],
      shows: [`share: ${aims.join('; ')}`],
    };
  });

const FIXED = { backoff: 'fixed', jitter: 'none' };

/** Calls that are repeated though no server fails, or whose failures are results. @type {Record<string, object>} */
const KINDS = {
  polls: {
    options: {
      ...{ ...FIXED, baseMs: 1000, maxAttempts: Infinity, totalTimeoutMs: 60_000 },
      retryOnResult: ({ status }) => status === 202,
    },
    result: (status) => (status < 300 ? { status } : undefined),
  },
  refreshes: {
    options: {
      ...FIXED,
      baseMs: 10,
      maxAttempts: 2,
      retryIf: ({ status }) => status === 401,
      beforeRetry: async () => {},
    },
  },
  'tries again': { options: { retryIf: () => ({ afterMs: 10 }) } },
  '503 as a result': {
    options: { maxAttempts: 4, retryOnResult: ({ status }) => status === 503 },
    result: (status) => ({ status }),
  },
  'busy as a result': {
    options: { maxAttempts: 4, retryOnResult: ({ busy }) => busy },
    result: (status) => ({ busy: status !== 200 }),
  },
};

/** A world with the functions that its words stand for. */
const worldOf =
  (given) =>
  ({ kind, server: [name, ...args] = ['failing', { share: 0 }], shows, ...world }) => ({
    ...{ ...given, ...KINDS[kind], ...world },
    server: SERVERS[name](...args),
    shows: shows.map(shown),
  });

const tables = JSON.parse(readFileSync(new URL('../../../tests/vectors/worlds.json', import.meta.url), 'utf8'));

/** @type {Table[]} */
export const TABLES = tables.map(({ name, contenders, options, sweep, worlds = sweepOf(sweep) }) => ({
  ...{ name, contenders },
  worlds: worlds.map(worldOf({ options })),
}));
