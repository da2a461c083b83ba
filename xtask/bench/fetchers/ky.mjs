// @ts-check
import ky from 'ky';

import { ATTEMPTS, BASE_MS, CAP_MS } from '../contenders/limits.mjs';
import { ADDRESS } from './all.mjs';

export const name = 'ky';
export const note = 'its timeout is off';
export const call = 'get(ADDRESS)';
/** @param {typeof globalThis.fetch} inner */
export const scope = (inner) => {
  /** @param {number} attempt */
  const delay = (attempt) => BASE_MS * 2 ** (attempt - 1);
  return {
    get: ky.create({
      fetch: inner,
      timeout: false,
      retry: { limit: ATTEMPTS - 1, delay, backoffLimit: CAP_MS, jitter: true },
    }),
    ADDRESS,
  };
};
