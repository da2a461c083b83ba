// Runs schedules of a suite against a package and looks for one that breaks an invariant. A suite makes schedules,
// performs them, checks what happened, and knows how to shrink and print a schedule.

import { shrink } from './shrink.mjs';

async function objections({ perform, check }, schedule, pkg) {
  const world = await perform(schedule, pkg);
  return { world, found: check(world, pkg) };
}

/**
 * @param {any} suite
 * @param {any} pkg
 * @param {{ seed: number, from: number, step: number, to: number, small?: boolean, closely?: boolean }} range schedules
 *   from, from + step, …, below to
 * @returns {Promise<{ schedules: number, finding?: object }>} the first finding, shrunk if `small`
 */
export async function simulate(suite, pkg, { seed, from, step, to, small = false, closely }) {
  let schedules = 0;
  for (let index = from; index < to; index += step) {
    const schedule = suite.makeSchedule(seed, index, closely);
    const { found } = await objections(suite, schedule, pkg);
    schedules += 1;
    if (found.length === 0) continue;
    const [{ rule, text }] = found;
    const finding = { suite: suite.name, seed, index, rule, text };
    if (!small) return { schedules, finding };
    // The same rule broken in the same way: numbers and the operation may differ.
    const shape = (each) => `${each.rule} ${each.text.replace(/\d+(\.\d+)?/g, '#')}`;
    const fails = async (candidate) =>
      (await objections(suite, candidate, pkg)).found.some((each) => shape(each) === shape(found[0]));
    const smallest = await shrink(schedule, fails, suite.changes);
    const { world, found: again } = await objections(suite, smallest, pkg);
    return { schedules, finding: { ...finding, trace: suite.trace(smallest, world, again) } };
  }
  return { schedules };
}
