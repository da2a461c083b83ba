// @ts-check
import { Effect, Schedule } from 'effect';

import { ATTEMPTS } from './limits.mjs';

export const name = 'effect';
export const note = 'the effect is built once and run many times; jitter is ×0.8 to ×1.2, no cap';
export const call = 'Effect.runPromise(program)';
/** @param {() => unknown} fn */
export const scope = (fn) => {
  const schedule = Schedule.exponential('100 millis').pipe(Schedule.jittered, Schedule.upTo({ times: ATTEMPTS - 1 }));
  const attempt = Effect.tryPromise({ try: () => fn(), catch: (/** @type {unknown} */ error) => error });
  return { Effect, program: Effect.retry(attempt, schedule) };
};
