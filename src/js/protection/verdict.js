// @ts-check
// This decides what a response says about its destination, whatever the method and whether it is retried.

import { FAILURE, NOTHING, SUCCESS } from './machines.js';

/** A request that came too often, which says nothing about whether the server works. */
const TOO_MANY = 429;

/**
 * Returns the verdict on a status. 501 and 505 say that the server does not know the request.
 * @param {number} status
 */
export function verdictOf(status) {
  if (status === TOO_MANY) return NOTHING;
  return status === 408 || (status >= 500 && status < 600 && status !== 501 && status !== 505) ? FAILURE : SUCCESS;
}
