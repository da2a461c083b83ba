// A cold start: import and first success, the first failure with its retry, the second, and the longest turn of the
// event loop after that, in a process of its own each.

import { FIELDS, load } from '../contenders.mjs';
import { inNode } from '../lib/child.mjs';
import { operationOf, patchTimers } from '../lib/harness.mjs';
import { shuffled, uniform } from '../lib/random.mjs';

export async function run({ node, choice: { quick, seed } }) {
  const random = uniform(seed);
  const results = [{}, {}, {}, {}];
  const left = new Set(FIELDS.retries.keys());
  // The round before the first fills the file system's cache.
  for (let round = -1; round < (quick ? 5 : 40); round++) {
    for (const index of shuffled([...left], random)) {
      const measured = await inNode(node, import.meta.url, 'measure', index, ['--expose-gc']);
      if (measured.length === 0) left.delete(index);
      if (round < 0) continue;
      for (const [i, ms] of measured.entries()) (results[i][FIELDS.retries[index].name] ??= []).push(ms);
    }
  }
  const [first, failure, second, turn] = results;
  return { first, failure, second, turn };
}

/**
 * Returns the ms of import and first success, of the first failure with its retry, of the second, and of the longest
 * turn during three more; nothing if that contender does not run here.
 * @param {number} index of the contender
 */
export async function measure(index) {
  patchTimers();
  const contender = FIELDS.retries[index];
  let calls = 0;
  let failures = 0;
  const error = new Error('flaky');
  const fn = async () => {
    calls += 1;
    if (calls <= failures) throw error;
    return calls;
  };
  const start = performance.now();
  const scope = await load(contender);
  if (scope === undefined) return [];
  const operation = operationOf(contender.call, scope(fn));
  await operation();
  const ms = [performance.now() - start];
  if (contender.retries !== false) {
    // An import may have filled new space to where its collection is due. Whether that falls into the first failure
    // depends on all that a program has loaded.
    globalThis.gc({ type: 'minor' });
    const fail = async () => {
      [calls, failures] = [0, 1];
      const before = performance.now();
      await operation();
      if (calls !== 2) throw new Error(`${calls} attempts instead of 2`);
      return performance.now() - before;
    };
    ms.push(await fail(), await fail());
    ms.push(await longestTurn(fail));
  }
  return ms;
}

async function longestTurn(use) {
  let longest = 0;
  let last = performance.now();
  let goesOn = true;
  const turn = () => {
    const time = performance.now();
    longest = Math.max(longest, time - last);
    last = time;
    if (goesOn) setImmediate(turn);
  };
  setImmediate(turn);
  for (let i = 0; i < 3; i++) await use();
  goesOn = false;
  return longest;
}
