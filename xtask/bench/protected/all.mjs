// @ts-check
// Operations under protection whose first attempt succeeds, and the same policy without.

import { ConsecutiveBreaker, circuitBreaker, handleAll, wrap } from 'cockatiel';
import { RetryPolicy } from 'rejitter';
import { breaker, budget, cooldown, protect } from 'rejitter/protection';

import * as cockatiel from '../contenders/cockatiel.mjs';
import * as bare from '../contenders/bare.mjs';
import { ATTEMPTS, BASE_MS, CAP_MS } from '../contenders/limits.mjs';
import { ALONE, BREAKER, BUDGET, WRAPPED } from './names.mjs';

/** @typedef {import('../contenders/all.mjs').Contender} Contender */

/**
 * @param {string} name
 * @param {() => import('rejitter/protection').Protection | undefined} make
 * @returns {Contender}
 */
const ours = (name, make) => ({
  name,
  call: 'policy.run(fn)',
  scope: (fn) => ({
    fn,
    policy: new RetryPolicy({ maxAttempts: ATTEMPTS, baseMs: BASE_MS, capMs: CAP_MS, protection: make() }),
  }),
});

/** @type {Contender[]} */
export const CONTENDERS = [
  bare,
  ours(ALONE, () => undefined),
  ours(BUDGET, () => protect(budget())),
  ours(BREAKER, () => protect(breaker())),
  ours('with a cooldown', () => protect(cooldown())),
  ours('with all three', () => protect(budget(), breaker(), cooldown())),
  {
    name: WRAPPED,
    note: 'the circuit is checked before each attempt',
    call: 'policy.execute(fn)',
    scope: (fn) => {
      const { policy } = /** @type {any} */ (cockatiel.scope(fn));
      const circuit = circuitBreaker(handleAll, { halfOpenAfter: 5000, breaker: new ConsecutiveBreaker(10) });
      return { fn, policy: wrap(policy, circuit) };
    },
  },
];
