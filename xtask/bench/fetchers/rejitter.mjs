// @ts-check
import { createFetch } from 'rejitter/fetch';

import { ATTEMPTS, BASE_MS, CAP_MS } from '../contenders/limits.mjs';
import { ADDRESS } from './all.mjs';

export const name = 'rejitter/fetch';
export const call = 'fetch(ADDRESS)';
/** @param {typeof globalThis.fetch} inner */
export const scope = (inner) => ({
  fetch: createFetch({ maxAttempts: ATTEMPTS, baseMs: BASE_MS, capMs: CAP_MS }, inner),
  ADDRESS,
});
