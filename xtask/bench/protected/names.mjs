// @ts-check
// Names of contenders, for the reports.

/** The policy without protection. */
export const ALONE = 'rejitter, policy';
export const BUDGET = 'with a budget';
export const BREAKER = 'with a breaker';
export const WRAPPED = 'cockatiel, retry and circuit breaker';
