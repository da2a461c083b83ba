/**
 * Policies from data, as `JSON.stringify(policy)` writes them.
 *
 * @module rejitter/data
 */

import type { RetryPolicy } from './index.js';

/**
 * Creates a policy from the parsed output of `policy.toJSON()`. What data cannot hold (callbacks, hooks, a
 * signal) `with` adds. `as`, a class that extends RetryPolicy, makes it one of that class without calling its
 * constructor.
 *
 * @throws {TypeError | RangeError} if the data have another version, or listing every invalid option
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * import { fromData } from 'rejitter/data';
 * const stored = JSON.stringify(new RetryPolicy({ maxAttempts: 4 }));
 * const policy = fromData(JSON.parse(stored)).with({ retryIf: (error) => error.status !== 404 });
 * await policy.run(() => callApi());
 * ```
 */
export function fromData<Policy extends RetryPolicy = RetryPolicy>(
  data: unknown,
  options?: { as?: (new (...args: any[]) => Policy) | undefined },
): Policy;
