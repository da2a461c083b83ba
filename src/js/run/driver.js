// @ts-check
// The parts of the driver with which hedging makes attempts. They are passed to it, because protection may come from
// another copy of the package: errors and attempts are to be of this one.

import { Limits } from './limits.js';
import { Operation, record } from './operation.js';
import { callbackFailed } from './settle.js';
import { ask, begin, classify, review } from './steps.js';

export const DRIVER = { Limits, Operation, record, begin, review, ask, classify, callbackFailed };

/** @typedef {typeof DRIVER} Driver */

/**
 * Has protection guard an operation, unless it let the first attempt pass already.
 * @param {import('./steps.js').Operation} op
 */
export function protect(op) {
  op.guard ??= (op.task ?? op.settings).protection?.use().guard(op, DRIVER);
  op.admission = op.guard?.admission;
}
