// @ts-check
// The first attempt succeeds: what a retry costs when nothing goes wrong.

import { FILES } from '../contenders/all.mjs';
import { inEachNode } from '../lib/child.mjs';
import { field } from '../lib/field.mjs';
import { compare } from '../lib/harness.mjs';
import { planOf } from '../lib/plans.mjs';
import { designsOf } from '../lib/successes.mjs';
import { patchTimers } from '../lib/timers.mjs';

/** @param {import('./all.mjs').Context} context */
export const run = (context) => inEachNode(context, import.meta.url);

/** @param {import('../lib/plans.mjs').Choice} choice */
export async function measure(choice) {
  // Only for the verification: a success waits for nothing.
  patchTimers('immediate');
  const { contenders, ...rest } = await field(FILES, (file) => import(`../contenders/${file}.mjs`));
  return { samples: await compare(designsOf(contenders), planOf(choice)), ...rest };
}
