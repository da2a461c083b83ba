// Runs schedules against a package and looks for one that breaks an invariant.

import { pathToFileURL } from 'node:url';

import { check } from './check.mjs';
import { perform } from './perform.mjs';
import { makeSchedule } from './schedule.mjs';
import { shrink } from './shrink.mjs';
import { trace } from './trace.mjs';

/** @param {string} folder of the unpacked package */
export const open = (folder) => import(new URL('index.js', `${pathToFileURL(folder)}/`).href);

async function objections(schedule, pkg) {
  const world = await perform(schedule, pkg);
  return { world, found: check(world, pkg) };
}

/**
 * @param {any} pkg
 * @param {{ seed: number, from: number, step: number, to: number, small?: boolean }} range schedules from, from + step,
 *   …, below to
 * @returns {Promise<{ schedules: number, finding?: object }>} the first finding, shrunk if `small`
 */
export async function simulate(pkg, { seed, from, step, to, small = false }) {
  let schedules = 0;
  for (let index = from; index < to; index += step) {
    const schedule = makeSchedule(seed, index);
    const { found } = await objections(schedule, pkg);
    schedules += 1;
    if (found.length === 0) continue;
    const [{ rule, text }] = found;
    if (!small) return { schedules, finding: { seed, index, rule, text } };
    // The same rule broken in the same way: numbers and the operation may differ.
    const shape = (each) => `${each.rule} ${each.text.replace(/\d+(\.\d+)?/g, '#')}`;
    const smallest = await shrink(schedule, async (candidate) =>
      (await objections(candidate, pkg)).found.some((each) => shape(each) === shape(found[0])),
    );
    const { world, found: again } = await objections(smallest, pkg);
    return { schedules, finding: { seed, index, rule, text, trace: trace(smallest, world, again) } };
  }
  return { schedules };
}
