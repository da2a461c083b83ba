// Runs schedules against a package and looks for one that breaks an invariant.

import { pathToFileURL } from 'node:url';

import { check } from './check.mjs';
import { perform } from './perform.mjs';
import { makeSchedule } from './schedule.mjs';
import { changes, shrink } from './shrink.mjs';
import { trace } from './trace.mjs';

async function objections(schedule, pkg) {
  const world = await perform(schedule, pkg);
  return { world, found: check(world, pkg) };
}

/**
 * @param {any} pkg
 * @param {{ seed: number, from: number, step: number, to: number, small?: boolean, among?: any }} range schedules from,
 *   from + step, …, below to; for planted bugs, among which schedules
 * @returns {Promise<{ schedules: number, finding?: object }>} the first finding, shrunk if `small`
 */
export async function simulate(pkg, { seed, from, step, to, small = false, among }) {
  let schedules = 0;
  for (let index = from; index < to; index += step) {
    const schedule = makeSchedule(seed, index, among);
    const { found } = await objections(schedule, pkg);
    schedules += 1;
    if (found.length === 0) continue;
    const [{ rule, text }] = found;
    const finding = { seed, index, rule, text, among };
    if (!small) return { schedules, finding };
    // The same rule broken in the same way: numbers and the operation may differ.
    const shape = (each) => `${each.rule} ${each.text.replace(/\d+(\.\d+)?/g, '#')}`;
    const fails = async (candidate) =>
      (await objections(candidate, pkg)).found.some((each) => shape(each) === shape(found[0]));
    const smallest = await shrink(schedule, fails, changes);
    const { world, found: again } = await objections(smallest, pkg);
    return { schedules, finding: { ...finding, trace: trace(smallest, world, again) } };
  }
  return { schedules };
}

/** @param {string} folder of the unpacked package */
export async function open(folder) {
  const load = (file) => import(new URL(file, `${pathToFileURL(folder)}/`).href);
  const pkg = { ...(await load('index.js')), ...(await load('protection.js')), presets: await load('presets.js') };
  return { ...pkg, twin: { ...(await load('index.browser.js')), ...(await load('protection.browser.js')) } };
}
