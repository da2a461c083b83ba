// Runs schedules against a package and looks for one that breaks an invariant.

import { pathToFileURL } from 'node:url';

import { differenceOf } from './compare.mjs';
import { play } from './perform.mjs';
import * as reference from './reference.mjs';
import { makeSchedule } from './schedule.mjs';
import { sentenceOf } from './invariants.mjs';
import { changes, shrink } from './shrink.mjs';
import { trace } from './trace.mjs';

const REFERENCE = { ...reference, ...reference.named };

/** What breaks an invariant in a schedule that is played with these forms of a package. */
async function objections(schedule, expected, forms) {
  const found = [];
  let world;
  for (const form of forms) {
    world = await play(schedule, form);
    const difference = differenceOf(world, expected);
    found.push(...world.problems, ...(difference ? [difference] : []));
  }
  for (const { rule } of found) sentenceOf(rule);
  return { world, found };
}

/**
 * Plays schedules with packages, until one breaks an invariant in each, or there are no more.
 * @param {any[]} pkgs
 * @param {{ seed: number, from: number, step: number, to: number, small?: boolean, among?: any }} range schedules from,
 *   from + step, …, below to; for planted bugs, among which schedules
 * @returns {Promise<{ schedules: number, findings: object[] }>} the first finding in each, shrunk if `small`
 */
export async function simulate(pkgs, { seed, from, step, to, small = false, among }) {
  let schedules = 0;
  const findings = [];
  for (let index = from; index < to && Object.keys(findings).length < pkgs.length; index += step) {
    const schedule = makeSchedule(seed, index, among);
    const expected = await play(schedule, REFERENCE);
    schedules += 1;
    for (const [i, pkg] of pkgs.entries()) {
      if (findings[i] !== undefined) continue;
      const { found } = await objections(schedule, expected, schedule.twice ? [pkg, pkg.twin] : [pkg]);
      if (found.length > 0)
        findings[i] = { seed, index, among, ...found[0], ...(small && (await shrunk(schedule, found[0], pkg))) };
    }
  }
  return { schedules, findings };
}

/** The trace of the smallest schedule that breaks the same invariant in the same way: numbers and operation may differ. */
async function shrunk(schedule, finding, pkg) {
  const shape = (each) => `${each.rule} ${each.text.replace(/\d+(\.\d+)?/g, '#')}`;
  const tried = async (candidate) => objections(candidate, await play(candidate, REFERENCE), [pkg]);
  const fails = async (candidate) => (await tried(candidate)).found.some((each) => shape(each) === shape(finding));
  const smallest = await shrink(schedule, fails, changes);
  const { world, found } = await tried(smallest);
  return { trace: trace(smallest, world, found) };
}

/** @param {string} folder of the unpacked package */
export async function open(folder) {
  const load = (file) => import(new URL(file, `${pathToFileURL(folder)}/`).href);
  const pkg = { ...(await load('index.js')), ...(await load('protection.js')), presets: await load('presets.js') };
  return { ...pkg, twin: { ...(await load('index.browser.js')), ...(await load('protection.browser.js')) } };
}
