// The functions of the package and what each one's name stands for, restated independently of the package: the tests
// compare the two.

import { NAMED } from '../schedules/waits.mjs';

/** Export name → the options that `retry` would need to do the same. */
export const SHORTCUTS = Object.fromEntries(
  Object.entries(NAMED).map(([name, own]) => [name, { backoff: 'exponential', jitter: 'full', ...own }]),
);

export const BACKOFFS = ['fixed', 'linear', 'exponential', 'truncated'];
export const JITTERS = ['none', 'full', 'equal', 'decorrelated'];

/** Returns the names that a module exports for users: those with an underscore are for the package's other modules. */
export const publicNames = (/** @type {object} */ module) =>
  Object.keys(module)
    .filter((name) => !name.startsWith('_'))
    .sort();

/** All that the package exports: a name that comes or goes is a change of the API and must be seen here. */
export const EXPORTS = [
  ...Object.keys(SHORTCUTS),
  'RetryError',
  'RetryPolicy',
  'TimeoutError',
  'isPermanent',
  'isProgrammingError',
  'isRetryAfter',
  'isTransientError',
  'permanent',
  'retryAfter',
  'retryReport',
  'retrySync',
].sort();
