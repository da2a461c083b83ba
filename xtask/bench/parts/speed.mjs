// Measures operations whose first attempt succeeds, or that fail a few times, under timers that take no time.

import assert from 'node:assert/strict';

import { ATTEMPTS, FIELDS, load } from '../contenders.mjs';
import { inNode } from '../lib/child.mjs';
import { compare, loopOf, patchTimers } from '../lib/harness.mjs';

/** Processes that a full run takes: the engine compiles the same code in another way in each. */
export const PROCESSES = 5;

/** Measures a field, with so many failures before each success. */
export const speed =
  (field, failures) =>
  async ({ node, choice }) => {
    const runs = [];
    for (let i = 0; i < (choice.quick ? 1 : PROCESSES); i++)
      runs.push(await inNode(node, import.meta.url, 'measure', { ...choice, seed: choice.seed + i, field, failures }));
    const [{ samples, notes }] = runs;
    const joined = Object.keys(samples).map((name) => [name, runs.flatMap((run) => run.samples[name])]);
    return { samples: Object.fromEntries(joined), notes };
  };

/**
 * A callback that fails this often in a row, then succeeds once, and how often it was called: a separate one for each
 * contender, so that the engine optimises it for that one.
 */
function calleeOf(field, failures) {
  const last = `calls % (failures + 1) === 0`;
  const body =
    field === 'fetch'
      ? `return new Response(null, { status: ${last} ? 200 : 503 });`
      : `if (!(${last})) throw error; return calls;`;
  const code = `let calls = 0; return { fn: async () => { calls += 1; ${body} }, calls: () => calls };`;
  return new Function('failures', 'error', code)(failures, new Error('flaky'));
}

/** A contender must do the job before it is timed. */
export async function verify({ name, call, retries = true }, scope, field) {
  // Each wrapper of fetch ends in its own way when all attempts fail.
  for (const failures of [0, ...(retries ? [3] : []), ...(retries && field !== 'fetch' ? [Infinity] : [])]) {
    const { fn, calls } = calleeOf(field, failures);
    const text = `${name}, ${failures} failures`;
    const results = [];
    const note = (promise) => promise.then((result) => results.push(result));
    const once = loopOf(`note(${call})`, { ...scope(fn), note });
    if (failures === Infinity) await assert.rejects(once(1), text);
    else await once(1);
    assert.equal(calls(), Math.min(failures + 1, ATTEMPTS), `${text}: attempts`);
    const result = field === 'fetch' ? 200 : failures + 1;
    const found = results.map((each) => each?.status ?? each);
    assert.deepEqual(found, failures === Infinity ? [] : [result], `${text}: result`);
  }
}

export async function measure({ field, failures, quick, seed }) {
  patchTimers();
  const designs = [];
  const notes = {};
  for (const contender of FIELDS[field]) {
    const { name, call, note, retries = true } = contender;
    const scope = await load(contender);
    if (scope === undefined) continue;
    await verify(contender, scope, field);
    if (note !== undefined) notes[name] = note;
    // A success alone is so short that counting would show.
    const counts = failures > 0 || field === 'fetch';
    const { fn, calls } = counts ? calleeOf(field, failures) : { fn: new Function('return async () => 1;')() };
    // The bare call gets all that the others' retries get; one that throws is no measure.
    if (!retries && failures > 0 && field !== 'fetch') continue;
    const all = retries
      ? call
      : Array(failures + 1)
          .fill(call)
          .join(', await ');
    const loop = loopOf(all, scope(fn));
    designs.push({
      name,
      async loop(n) {
        const before = calls?.();
        await loop(n);
        if (calls) assert.equal(calls() - Number(before), (failures + 1) * n, `${name}: attempts`);
      },
    });
  }
  const plan = { rounds: quick ? 40 : 60, batchMs: 1, warmUpMs: quick ? 20 : 200, seed };
  return { samples: await compare(designs, plan), notes };
}
