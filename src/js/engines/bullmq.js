// @ts-check
// BullMQ asks a function for each wait; here, the policy answers.

import { delayAfter, settingsOf } from './policy.js';

/** Name of the backoff, in the options of a job. */
const TYPE = 'rejitter';

/** Delay that BullMQ takes for "no further attempt". */
const STOP = -1;

/** Returns a method: bundlers would rename a function with the name of the export. */
function made() {
  const named = {
    /** @param {any} policy */
    bullmq(policy) {
      settingsOf(policy);
      /**
       * @param {number} attemptsMade
       * @param {string} [_] the type of the backoff
       * @param {unknown} [error]
       * @param {{ id?: string }} [job]
       */
      return async (attemptsMade, _, error, job) => {
        try {
          return await delayAfter(policy, attemptsMade, error, job?.id, STOP);
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

/**
 * Without a type of backoff, BullMQ would not call the function, and the attempts would follow each other at once.
 * @param {any} policy
 */
function jobOptions(policy) {
  const attempts = settingsOf(policy).maxAttempts;
  if (attempts === Infinity) throw new RangeError('rejitter: maxAttempts must be finite in BullMQ, got Infinity');
  return { attempts, backoff: { type: TYPE } };
}

export const bullmq = /* @__PURE__ */ made();
