// BullMQ asks a function for each wait; here, the policy answers.

import { delayAfter, settingsOf } from './policy.js';

/** Delay that BullMQ takes for "no further attempt". */
const STOP = -1;

/** Returns a method: bundlers would rename a function with the name of the export. */
function made() {
  const named = {
    /** @param {any} policy */
    bullmq(policy) {
      const { maxAttempts } = settingsOf(policy);
      /** @param {number} attemptsMade @param {string} [_] its type @param {unknown} [error] @param {any} [job] */
      return async (attemptsMade, _, error, job) => {
        try {
          const { id: seed, timestamp = NaN, opts } = job ?? {};
          const elapsedMs = Math.max(0, Date.now() - timestamp) || 0;
          const attempt = { attempt: attemptsMade, maxAttempts: opts?.attempts ?? maxAttempts, elapsedMs };
          return (await delayAfter(policy, { ...attempt, error, seed })) ?? STOP;
        } catch (fault) {
          // BullMQ would run the job again and again. Like an operation, the job ends with its own error.
          console.error(fault);
          return STOP;
        }
      };
    },
  };
  return Object.assign(named.bullmq, { jobOptions });
}

/** Without a type of backoff, BullMQ would call no function, and never wait. @param {any} policy */
function jobOptions(policy) {
  const attempts = settingsOf(policy).maxAttempts;
  if (attempts === Infinity) throw new RangeError('rejitter: maxAttempts must be finite in BullMQ, got Infinity');
  return { attempts, backoff: { type: 'rejitter' } };
}

export const bullmq = /* @__PURE__ */ made();
