// Callbacks that several test files pass to the package.

import { OPTIONS } from '../../../xtask/npm/options.mjs';

/** The options that are told of an event. */
export const HOOKS = OPTIONS.flatMap(({ name, rule }) => (rule === 'hook' ? [name] : []));
/** The one that is awaited before each retry. */
export const AWAITED = 'beforeRetry';
export const OBSERVERS = [...HOOKS, AWAITED];

/** A callback that throws this error. */
export const fails = (error) => () => {
  throw error;
};

/** Returns a promise that rejects with the reason of an attempt's signal. */
export const untilAborted = ({ signal }) =>
  new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
