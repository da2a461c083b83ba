// @ts-check
// A contender must do the job before it is timed. Under timers that take no time.

import assert from 'node:assert/strict';

import { ATTEMPTS } from '../contenders/limits.mjs';
import { loopOf } from './harness.mjs';

/**
 * @param {import('../contenders/all.mjs').Contender} contender
 */
export async function verify({ name, call, scope, retries = true }) {
  for (const [failures, attempts] of retries
    ? [
        [0, 1],
        [3, 4],
        [Infinity, ATTEMPTS],
      ]
    : [[0, 1]]) {
    let calls = 0;
    const error = new Error('flaky');
    const fn = async () => {
      calls += 1;
      if (calls <= failures) throw error;
      return calls;
    };
    const said = `${name}, ${failures} failures`;
    /** @type {unknown[]} */
    const results = [];
    const note = (/** @type {Promise<unknown>} */ promise) => promise.then((result) => results.push(result));
    const once = loopOf(`note(${call})`, { ...scope(fn), note });
    if (failures === Infinity) await assert.rejects(once(1), said);
    else await once(1);
    assert.equal(calls, attempts, `${said}: attempts`);
    assert.deepEqual(results, failures === Infinity ? [] : [attempts], `${said}: result`);
  }
}
