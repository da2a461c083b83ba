// Callbacks that several test files pass to the package.

import { OPTIONS } from '../../../xtask/npm/options.mjs';

/** The options that are told of an event. */
export const HOOKS = OPTIONS.flatMap(({ name, rule }) => (rule === 'hook' ? [name] : []));
/** The same, and the one that is waited for. */
export const OBSERVERS = [...HOOKS, 'beforeRetry'];

/** A callback that throws this error. */
export const fails = (error) => () => {
  throw error;
};
