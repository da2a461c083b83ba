// @ts-check
// The wrappers of fetch that take part.

/**
 * @typedef {object} Fetcher
 * @property {string} name
 * @property {string} [note] where it differs from what all are set to
 * @property {boolean} [retries] false: the fetch alone
 * @property {string} call the expression that runs one operation
 * @property {(inner: typeof fetch) => Record<string, unknown>} scope what the names in it mean
 */

export const FILES = ['bare', 'rejitter', 'ky', 'fetch-retry', 'ofetch'];

export const ADDRESS = 'http://bench.invalid/users/7';
export const STATUSES = [408, 425, 429, 500, 502, 503, 504];
