// Which step runs next: one whose needs have succeeded, within the machine's cores, and alone in its group.

/**
 * @typedef {Map<string, 'running' | 'succeeded' | 'failed'>} States of the steps, by name; the others wait
 * @typedef {{ name: string, needs?: string[], group?: string, seconds?: number }} Planned
 */

// Of the steps of a group, one runs at a time.
/** Cargo locks its build folder: of the commands that use `target/debug`, all but one would only wait. */
export const DEBUG = 'target/debug';
/** Two installations at once would wait for each other, or fail. */
export const INSTALLATIONS = 'installations';
/** Each of these builds uses all cores: one after the other, they leave some for the tests. */
export const TOOL_BUILDS = 'builds of tools';
/** A test starts one or two browsers, each of several processes: more would be too slow for their own time limits. */
export const BROWSERS = 'browsers';
/** Their tests kill and restart servers and have jobs wait: more at once would be too slow for their own limits. */
export const SERVERS = 'servers';

/**
 * A second for a step that has none: of two short ones, that which others wait for starts first.
 * @param {Planned} step
 */
const secondsOf = ({ seconds = 1 }) => seconds;

/**
 * The steps in the order in which they start if they can: before others those that begin the longest chain of steps.
 * Those of a group are one, too: what is left of it must not run alone at the end.
 * @template {Planned} Step
 * @param {Step[]} steps
 */
export function order(steps) {
  /** @type {(first: Planned) => number} */
  const chain = (first) => {
    const next = steps.filter(({ needs = [] }) => needs.includes(first.name)).map(chain);
    return secondsOf(first) + Math.max(0, ...next);
  };
  const byLength = (/** @type {{ seconds: number }} */ a, /** @type {{ seconds: number }} */ b) =>
    b.seconds - a.seconds;
  const longest = steps.map((step) => ({ step, seconds: chain(step) })).sort(byLength);
  const waits = longest.map(({ step, seconds }, at) => {
    const others = step.group ? longest.slice(at + 1).filter((other) => other.step.group === step.group) : [];
    return { step, seconds: others.reduce((sum, other) => sum + secondsOf(other.step), seconds) };
  });
  return waits.sort(byLength).map(({ step }) => step);
}

/**
 * The step to start now, if at most `jobs` may run at once.
 * @template {Planned} Step
 * @param {Step[]} ordered
 * @param {States} states
 * @param {number} jobs
 */
export function next(ordered, states, jobs) {
  const running = ordered.filter(({ name }) => states.get(name) === 'running');
  if (running.length >= Math.max(1, jobs)) return undefined;
  return ordered.find(
    ({ name, needs = [], group }) =>
      !states.has(name) &&
      needs.every((need) => states.get(need) === 'succeeded') &&
      (group === undefined || running.every((other) => other.group !== group)),
  );
}

/**
 * The names of a step that waits for one that failed, and of that one.
 * @param {Planned[]} steps
 * @param {States} states
 */
export function blocked(steps, states) {
  const pairs = steps.flatMap(({ name, needs = [] }) => needs.map((need) => [name, need]));
  return pairs.find(([name, need]) => !states.has(name) && states.get(need) === 'failed');
}

/**
 * The steps that are wanted and all that these need, in the order of `steps`.
 * @template {Planned} Step
 * @param {Step[]} steps
 * @param {(step: Step) => boolean} wanted
 */
export function withNeeds(steps, wanted) {
  const kept = new Set(steps.filter(wanted));
  for (const { name, needs = [] } of kept) {
    for (const need of needs) {
      const step = steps.find((each) => each.name === need);
      // A mistake in the plan, not in the reader's machine.
      if (step === undefined) throw new Error(`${name} needs ${need}, which no step is called`);
      kept.add(step);
    }
  }
  return steps.filter((step) => kept.has(step));
}
