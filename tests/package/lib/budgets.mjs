// @ts-check
// How many bytes the package may add to an app: bundled by esbuild for browsers and production, compressed by brotli.
// The tests hold the limits, `cargo xtask bench` shows them next to the sizes of others. A limit above the target has a
// reason.

import { brotliCompressSync, gzipSync } from 'node:zlib';

import { EXPORTS } from './shortcuts.mjs';

/**
 * @typedef {object} Budget
 * @property {string} name
 * @property {string} code the module that is bundled
 * @property {number} limit bytes of brotli; more fails the tests
 * @property {number} [target] the aim of the design, if it has one
 */

/** @type {(imports: string, name: string, limit: number, target?: number) => Budget} */
const budget = (imports, name, limit, target) => ({ name, code: `export ${imports};`, limit, target });

/** @type {Budget[]} */
export const BUDGETS = [
  budget("{ retry } from 'rejitter/light'", 'rejitter/light', 2_260, 2_300),
  budget("{ delayMs, retry } from 'rejitter/light'", 'rejitter/light with delayMs', 2_320, 2_350),
  // An abort ends the body after the operation, by a weak link: AbortSignal.any keeps 50 B per call in Node 20. And
  // whatever fetch rejects with is a failure of the network, unless somebody threw it on purpose.
  budget("{ createFetch, fetchWithRetry } from 'rejitter/light/fetch'", 'rejitter/light/fetch', 4_065, 3_700),
  // The verbs of attempts take 1,000 B and the word of a server 260 B: the aim was set before them.
  budget("{ retryWithFullJitter } from 'rejitter'", 'retryWithFullJitter', 10_430, 9_500),
  budget("{ RetryPolicy } from 'rejitter'", 'RetryPolicy', 11_695, 10_800),
  // The same, and the other strategies, retrySync and isTransientError.
  budget(`{ ${EXPORTS.join(', ')} } from 'rejitter'`, 'rejitter, everything', 15_980, 13_000),
  // The same, and a caller's own errors are known by a wrapper, not by when they come.
  budget("{ createFetch } from 'rejitter/fetch'", 'rejitter/fetch', 17_665, 16_700),
  budget(
    "{ createFetch } from 'rejitter/fetch'; export { breaker, budget, cooldown, protect } from 'rejitter/protection'",
    'rejitter/fetch with three parts of protection',
    23_455,
    22_000,
  ),
  // Losses that are true: whole seconds, 32 bits, caps that no wait reaches.
  ...Object.entries({
    ...{ nextDelay: 1_305, bullmq: 1_340, pgBoss: 1_610, temporal: 1_550, stepFunctions: 1_580, sqs: 1_600 },
    ...{ cloudTasks: 1_575, grpc: 1_580 },
  }).map(([name, limit]) => budget(`{ ${name} } from 'rejitter/engines'`, `rejitter/engines, ${name}`, limit, 1_500)),
  // A first success that costs a quarter, holds, keys of a fetch, queues of limiters, an SDK that is late or throws.
  budget("{ telemetry } from 'rejitter/otel'", 'rejitter/otel', 3_095, 2_500),
  // What recipes import for other clients, alone.
  budget("{ retryAfterMs } from 'rejitter/fetch'", 'rejitter/fetch, retryAfterMs', 865, 4_000),
  budget("{ HttpStatusError } from 'rejitter/fetch'", 'rejitter/fetch, HttpStatusError', 280, 4_000),
  budget("{ permanent } from 'rejitter'", 'permanent', 575, 800),
  budget("{ TimeoutError } from 'rejitter'", 'TimeoutError', 125, 500),
  // Options, errors and the core, which are those of `retry`, weigh most of it.
  budget("{ keepConnected } from 'rejitter/reconnect'", 'rejitter/reconnect', 7_745, 8_000),
];

/** Bytes of brotli that parts add to an app. */
export const PARTS = [
  // The order of three names in the reader of options moves it by 50 B. Parts that may hold are asked in a list, and
  // weigh nothing where they are not used, but for a place at the end of an attempt and on the way of a first success.
  ['rejitter/protection', 'budget, protect', 3_730, 3_300],
  ['rejitter/protection', 'breaker, budget, cooldown, protect', 5_940, 5_500],
  ['rejitter/protection', 'SupersededError, breaker, budget, cooldown, hedge, protect', 7_760, 7_400],
  // A rate, places, weights, a queue of which each place is known, another limiter that is asked, seven options.
  ['rejitter/protection', 'limiter, protect', 5_310, 4_500],
  ['rejitter/reconnect', 'keepConnected', 2_120, 1_900],
  ['rejitter/reconnect', 'closeError, keepConnected', 2_320, 2_100],
  // The failures of all hosts, clients and databases, by their words, and the grammar of headers.
  ['rejitter', 'isTransientError', 2_775, 2_600, 'retryWithFullJitter'],
].map(([entry, parts, limit, target, base = 'RetryPolicy']) => ({ entry, parts, limit, target, base }));

/** @typedef {{ raw: number, gzip: number, brotli: number }} Size */

/**
 * Both at their best, as servers send what does not change.
 * @param {Uint8Array} code
 * @returns {Size}
 */
export const weigh = (code) => ({
  raw: code.length,
  gzip: gzipSync(code, { level: 9 }).length,
  brotli: brotliCompressSync(code).length,
});
