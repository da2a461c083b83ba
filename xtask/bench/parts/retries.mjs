// @ts-check
// Three failures, then success, under timers that take no time: what the retries themselves cost.

import assert from 'node:assert/strict';

import { FILES } from '../contenders/all.mjs';
import { inNode } from '../lib/child.mjs';
import { field } from '../lib/field.mjs';
import { compare, loopOf } from '../lib/harness.mjs';
import { planOf } from '../lib/plans.mjs';
import { patchTimers } from '../lib/timers.mjs';

/** @type {('immediate' | 'microtask')[]} */
const KINDS = ['immediate', 'microtask'];

const CALLS = 4;

/** @param {import('./all.mjs').Context} context */
export async function run({ nodes, choice, say }) {
  /** @type {Record<string, any>} */
  const results = {};
  for (const node of nodes) {
    results[node.name] = {};
    for (const kind of KINDS) {
      say(`${node.name}, ${kind} timers`);
      results[node.name][kind] = await inNode(node, import.meta.url, 'measure', { ...choice, kind });
    }
  }
  return results;
}

/** @param {{ call: string, scope: (fn: () => unknown) => Record<string, unknown>, name: string }} contender */
function designOf({ name, call, scope }) {
  const { fn, calls } = new Function(
    'CALLS',
    'error',
    `
    let calls = 0;
    return { fn: async () => { calls += 1; if (calls % CALLS !== 0) throw error; return calls; }, calls: () => calls };
  `,
  )(CALLS, new Error('flaky'));
  const loop = loopOf(call, scope(fn));
  return {
    name,
    /** @param {number} n */
    async loop(n) {
      const before = calls();
      await loop(n);
      assert.equal(calls() - before, CALLS * n, `${name}: attempts`);
    },
  };
}

/** @param {import('../lib/plans.mjs').Choice & { kind: 'immediate' | 'microtask' }} choice */
export async function measure(choice) {
  patchTimers(choice.kind);
  const { contenders, ...rest } = await field(
    FILES.filter((file) => file !== 'bare'),
    (file) => import(`../contenders/${file}.mjs`),
  );
  return { samples: await compare(contenders.map(designOf), planOf(choice)), ...rest };
}
