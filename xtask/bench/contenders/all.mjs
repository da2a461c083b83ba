// @ts-check
// The contenders. Each is a separate module, so that a cold start loads one and nothing else.

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} [note] where it differs from what all are set to
 * @property {boolean} [retries] false: the call alone
 * @property {string} call the expression that runs one operation
 * @property {(fn: () => unknown) => Record<string, unknown>} scope what the names in it mean
 */

export const FILES = [
  'bare',
  'hand-written',
  'rejitter-policy',
  'rejitter-function',
  'rejitter-light',
  'p-retry',
  'cockatiel',
  'exponential-backoff',
  'async-retry',
  'attempt',
  'smithy',
  'effect',
];
