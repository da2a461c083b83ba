// @ts-check
// How many bytes the package may add to an app: bundled by esbuild for browsers and production, compressed by brotli. The tests hold the limits, `cargo xtask bench` shows them next to the sizes of others.

import { brotliCompressSync, gzipSync } from 'node:zlib';

import { EXPORTS } from './shortcuts.mjs';

/**
 * @typedef {object} Budget
 * @property {string} name
 * @property {string} code the module that is bundled
 * @property {number} limit bytes of brotli; more fails the tests
 * @property {number} [target] the aim of the design, if it has one
 * @property {string} [reason] why the limit is above the target
 */

/** @type {Budget[]} */
export const BUDGETS = [
  {
    name: 'rejitter/light',
    code: `export { retry } from 'rejitter/light';`,
    limit: 2_300,
    target: 2_300,
  },
  {
    name: 'rejitter/light with delayMs',
    code: `export { delayMs, retry } from 'rejitter/light';`,
    limit: 2_350,
    target: 2_350,
  },
  {
    name: 'rejitter/light/fetch',
    code: `export { createFetch, fetchWithRetry } from 'rejitter/light/fetch';`,
    limit: 3_850,
    target: 3_700,
    reason:
      'an abort ends the body after the operation, by a weak link: AbortSignal.any keeps 50 B per call in Node 20',
  },
  {
    name: 'retryWithFullJitter',
    code: `export { retryWithFullJitter } from 'rejitter';`,
    limit: 9_590,
    target: 9_400,
    reason:
      'marks are read by one function for all entries; an attempt is an object of its own, with limits of its own',
  },
  {
    name: 'RetryPolicy',
    code: `export { RetryPolicy } from 'rejitter';`,
    limit: 10_850,
    target: 10_900,
  },
  {
    name: 'rejitter, everything',
    code: `export { ${EXPORTS.join(', ')} } from 'rejitter';`,
    limit: 13_930,
    target: 13_000,
    reason: 'the same, and the other strategies, retrySync and isTransientError',
  },
  {
    name: 'rejitter/fetch',
    code: `export { createFetch } from 'rejitter/fetch';`,
    limit: 16_600,
    target: 16_400,
    reason: "the same, and a caller's own errors are known by a wrapper, not by when they come",
  },
  {
    name: 'rejitter/fetch with three parts of protection',
    code:
      `export { createFetch } from 'rejitter/fetch'; ` +
      `export { breaker, budget, cooldown, protect } from 'rejitter/protection';`,
    limit: 21_890,
    target: 21_800,
    reason: 'the same as of one function, and of createFetch',
  },
  ...Object.entries({
    nextDelay: 1_040,
    bullmq: 1_075,
    pgBoss: 1_620,
    temporal: 1_550,
    stepFunctions: 1_570,
    sqs: 1_600,
    cloudTasks: 1_580,
    grpc: 1_580,
  }).map(([name, limit]) => ({
    name: `rejitter/engines, ${name}`,
    code: `export { ${name} } from 'rejitter/engines';`,
    limit,
    target: 1_500,
    ...(limit > 1_500 && { reason: 'losses that are true: whole seconds, 32 bits, caps that no wait reaches' }),
  })),
  {
    name: 'rejitter/otel',
    code: `export { telemetry } from 'rejitter/otel';`,
    limit: 2_995,
    target: 2_500,
    reason: 'a first success that costs a quarter, holds, keys of a fetch, an SDK that is late or throws',
  },
  {
    name: 'rejitter/reconnect',
    code: `export { keepConnected } from 'rejitter/reconnect';`,
    limit: 8_120,
    target: 8_000,
    reason: 'options, errors and the core, which are those of `retry`, weigh most of it',
  },
  {
    name: 'rejitter/lab',
    code: `export * from 'rejitter/lab';`,
    limit: 100_800,
  },
];

/** Bytes of brotli that `isTransientError` may add to an app that has one function: it has what createFetch has. */
export const TRANSIENT = { limit: 1_740, target: 1_200, reason: 'the failures of all hosts, clients and databases' };

/**
 * Bytes of brotli that parts of protection add to an app that has `RetryPolicy`.
 * @type {{ parts: string, limit: number, target: number, reason?: string }[]}
 */
export const PROTECTION = [
  {
    parts: 'budget, protect',
    limit: 3_360,
    target: 3_300,
    reason: 'the order of three names in the reader of options moves it by 50 B',
  },
  {
    parts: 'breaker, budget, cooldown, protect',
    limit: 5_400,
    target: 5_500,
  },
  {
    parts: 'SupersededError, breaker, budget, cooldown, hedge, protect',
    limit: 7_300,
    target: 7_400,
  },
];

/** The same of connections. */
export const RECONNECT = [
  { parts: 'keepConnected', limit: 1_900, target: 1_900 },
  { parts: 'closeError, keepConnected', limit: 2_090, target: 2_100 },
];

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

/**
 * Returns the problem with a size, or undefined.
 * @param {Budget} budget
 * @param {Size} size
 */
export function overBudget({ name, limit }, { brotli }) {
  return brotli > limit ? `${name}: ${brotli} B of brotli, the budget is ${limit}` : undefined;
}
