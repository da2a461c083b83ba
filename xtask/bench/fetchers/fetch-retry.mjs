// @ts-check
import wrap from 'fetch-retry';

import { ATTEMPTS, BASE_MS, CAP_MS } from '../contenders/limits.mjs';
import { ADDRESS, STATUSES } from './all.mjs';

export const name = 'fetch-retry';
export const note = "the jitter is the caller's";
export const call = 'fetch(ADDRESS)';
/** @param {typeof globalThis.fetch} inner */
export const scope = (inner) => {
  /** @param {number} attempt */
  const retryDelay = (attempt) => Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
  return { fetch: wrap(inner, { retries: ATTEMPTS - 1, retryOn: STATUSES, retryDelay }), ADDRESS };
};
