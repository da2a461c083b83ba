// @ts-check
// Wrappers of fetch, over a fetch that answers at once: the first response is good, or the second.

import assert from 'node:assert/strict';

import { FILES } from '../fetchers/all.mjs';
import { inNode } from '../lib/child.mjs';
import { field } from '../lib/field.mjs';
import { compare, loopOf } from '../lib/harness.mjs';
import { planOf } from '../lib/plans.mjs';
import { patchTimers } from '../lib/timers.mjs';

const CASES = ['200', '503, then 200'];

/** @param {import('./all.mjs').Context} context */
export async function run({ nodes, choice, say }) {
  /** @type {Record<string, any>} */
  const results = {};
  for (const node of nodes) {
    results[node.name] = {};
    for (const [failures, name] of CASES.entries()) {
      say(`${node.name}, ${name}`);
      results[node.name][name] = await inNode(node, import.meta.url, 'measure', { ...choice, failures });
    }
  }
  return results;
}

/**
 * A fetch that fails this often in a row, then succeeds once; a separate one for each contender.
 * @param {number} failures
 */
const stubOf = (failures) =>
  new Function(
    'failures',
    `
  let calls = 0;
  const fetch = async () => {
    calls += 1;
    return new Response(null, { status: calls % (failures + 1) === 0 ? 200 : 503 });
  };
  return { calls: () => calls, fetch };
`,
  )(failures);

/**
 * @param {any} contender
 * @param {number} failures
 */
function designOf({ name, call, scope, retries = true }, failures) {
  const { fetch, calls } = stubOf(failures);
  const attempts = failures + 1;
  // The bare call gets all the responses that the others' retries get.
  const loop = loopOf(retries ? call : Array(attempts).fill(call).join(', await '), scope(fetch));
  return {
    name,
    /** @param {number} n */
    async loop(n) {
      const before = calls();
      await loop(n);
      assert.equal(calls() - before, attempts * n, `${name}: attempts`);
    },
  };
}

/** @param {any} contender */
async function verify({ name, call, scope, retries = true }) {
  for (const failures of retries ? [0, 3] : [0]) {
    const { fetch, calls } = stubOf(failures);
    /** @type {Response[]} */
    const responses = [];
    const note = (/** @type {Promise<Response>} */ promise) => promise.then((response) => responses.push(response));
    await loopOf(`note(${call})`, { ...scope(fetch), note })(1);
    assert.equal(calls(), failures + 1, `${name}: attempts`);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200],
      `${name}: result`,
    );
  }
}

/** @param {import('../lib/plans.mjs').Choice & { failures: number }} choice */
export async function measure({ failures, ...choice }) {
  patchTimers('immediate');
  const { contenders, ...rest } = await field(FILES, (file) => import(`../fetchers/${file}.mjs`), verify);
  return {
    samples: await compare(
      contenders.map((contender) => designOf(contender, failures)),
      planOf(choice),
    ),
    ...rest,
  };
}
