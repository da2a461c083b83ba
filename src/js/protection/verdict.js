// @ts-check
// What a response, or its absence, says about the destination, whatever the method and whether it is retried.

import { FAILURE, NOTHING, SUCCESS } from './machines.js';

/** A request that came too often, which says nothing about whether the server works. */
export const TOO_MANY = 429;

/**
 * Returns the verdict on a status. 501 and 505 say that the server does not know the request.
 * @param {unknown} status
 */
export function verdictOf(status) {
  if (status === TOO_MANY) return NOTHING;
  return status === 408 || (/^5\d\d$/.test(`${status}`) && status !== 501 && status !== 505) ? FAILURE : SUCCESS;
}
