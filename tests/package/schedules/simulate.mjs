// One thread of the simulation: it plays schedules with packages and looks for one that breaks an invariant. The timers
// and clocks of its globals are replaced for good.

import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

import { differenceOf } from './compare.mjs';
import { play } from './perform.mjs';
import * as reference from './reference.mjs';
import { makeSchedule } from './schedule.mjs';
import { shrink, trace } from './shrink.mjs';
import { sentenceOf } from './threads.mjs';
import { takeOver } from './world.mjs';

const REFERENCE = { ...reference, ...reference.named };
const LIGHT = { ...REFERENCE, retry: reference.light, retryReport: () => undefined };

/** What is to be seen of a schedule. */
function expectedOf(schedule) {
  reference.restart(schedule.world === 'limits');
  return play(schedule, schedule.light ? LIGHT : REFERENCE);
}
const formsOf = ({ light, twice }, pkg) => (light ? [pkg.light] : twice ? [pkg, pkg.twin] : [pkg]);

/** What breaks an invariant in a schedule that is played with the forms of a package. */
async function objections(schedule, expected, pkg) {
  const found = [];
  let world;
  for (const form of formsOf(schedule, pkg)) {
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
 * @param {{ seed: number, from: number[], step: number, to: number[], small?: boolean, among?: any }} range
 *   schedules from, from + step, …, below to, of each package; for planted bugs, among which
 * @returns {Promise<{ schedules: number, findings: object[] }>} the first finding in each, shrunk if `small`
 */
async function simulate(pkgs, { seed, from, step, to, small = false, among }) {
  let schedules = 0;
  const findings = [];
  /** The next schedule of a package. */
  const places = [...from];
  const isOpen = (i) => findings[i] === undefined && places[i] < to[i];
  for (;;) {
    const open = pkgs.flatMap((_, i) => (isOpen(i) ? i : []));
    if (open.length === 0) return { schedules, findings };
    const index = Math.min(...open.map((i) => places[i]));
    const schedule = makeSchedule(seed, index, among);
    const expected = await expectedOf(schedule);
    schedules += 1;
    for (const i of open.filter((each) => places[each] === index)) {
      places[i] += step;
      const { found } = await objections(schedule, expected, pkgs[i]);
      const [finding] = found;
      if (finding)
        findings[i] = { seed, index, among, ...finding, ...(small && (await shrunk(schedule, finding, pkgs[i]))) };
    }
  }
}

/**
 * The trace of the smallest schedule that breaks the same invariant in the same way: numbers and operation may differ.
 */
async function shrunk(schedule, finding, pkg) {
  const shape = (each) => `${each.rule} ${each.text.replace(/\d+(\.\d+)?/g, '#')}`;
  const tried = async (candidate) => objections(candidate, await expectedOf(candidate), pkg);
  // First of all: a schedule that cannot be played any more breaks something else before.
  const fails = async (candidate) => {
    const [first] = (await tried(candidate)).found;
    return first !== undefined && shape(first) === shape(finding);
  };
  const smallest = await shrink(schedule, fails);
  const { world, found } = await tried(smallest);
  return { trace: trace(smallest, world, found) };
}

/** @param {string} folder of the unpacked package */
async function open(folder) {
  const load = (file) => import(new URL(file, `${pathToFileURL(folder)}/`).href);
  const twin = { ...(await load('index.js')), ...(await load('protection.js')) };
  const node = { ...(await load('index.node.js')), ...(await load('protection.node.js')) };
  const main = { ...node, presets: await load('presets.js') };
  // It takes the marks of the main entry, and has no reports.
  const light = { ...main, ...(await load('light.js')), retryReport: () => undefined };
  return { ...main, twin, light };
}

takeOver();
const { folders, ...range } = workerData;
Promise.all(folders.map(open))
  .then((pkgs) => simulate(pkgs, range))
  .catch((error) => ({ failure: error?.stack ?? String(error) }))
  .then((answer) => parentPort.postMessage(answer));
