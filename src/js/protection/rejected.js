// @ts-check
// The error of an operation that protection rejected before its first attempt.

import { markRejected } from '../run/directives.js';
import { hide } from '../run/report.js';

/** The states that rejected, to tell a layer within itself. @type {WeakMap<object, object>} */
const refusers = new WeakMap();

export class RejectedError extends Error {
  name = 'RejectedError';

  /**
   * @param {'breaker' | 'cooldown'} by
   * @param {number} retryAfterMs
   * @param {unknown} cause
   */
  constructor(by, retryAfterMs, cause) {
    const why = by === 'breaker' ? 'the circuit is open' : 'the server asked to wait';
    super(`rejitter: rejected by ${by}: ${why}`);
    this.by = by;
    this.retryAfterMs = retryAfterMs;
    hide(this, 'cause', cause);
    markRejected(this);
  }
}

/**
 * @param {'breaker' | 'cooldown'} by
 * @param {number} retryAfterMs
 * @param {unknown} cause
 * @param {object} state
 */
export function rejectedBy(by, retryAfterMs, cause, state) {
  const error = new RejectedError(by, retryAfterMs, cause);
  refusers.set(error, state);
  return error;
}

let warned = false;

/**
 * Warns once per process of an operation within another one with the same state: each call counts twice.
 * @param {any} error
 * @param {object} state
 */
export function warnOfLayers(error, state) {
  if (warned || Object(error) !== error || refusers.get(error) !== state) return;
  warned = true;
  try {
    console.warn(
      'rejitter: two layers share one Protection, so each attempt counts twice. ' +
        'Give it to the inner or to the outer one.',
    );
  } catch {
    // Test environments make it throw.
  }
}
