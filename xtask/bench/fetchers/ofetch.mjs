// @ts-check
import { createFetch } from 'ofetch';

import { ATTEMPTS, BASE_MS } from '../contenders/limits.mjs';
import { ADDRESS } from './all.mjs';

export const name = 'ofetch';
export const note = "no backoff: the wait cannot depend on the attempt; the jitter is the caller's";
export const call = 'fetch(ADDRESS)';
/** @param {typeof globalThis.fetch} inner */
export const scope = (inner) => {
  const { raw } = createFetch({
    fetch: inner,
    defaults: { retry: ATTEMPTS - 1, retryDelay: () => Math.random() * BASE_MS },
  });
  return { fetch: raw, ADDRESS };
};
