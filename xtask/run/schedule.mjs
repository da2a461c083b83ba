// Which step runs next: one whose needs have succeeded, within the machine's cores and shared rooms.

/**
 * A resource that a limited number of steps may use at the same time.
 * @typedef {{ name: string, places: number }} Room
 * @typedef {'waiting' | 'running' | 'succeeded' | 'failed'} State
 * @typedef {{ name: string, needs?: string[], room?: Room, seconds?: number }} Planned
 */

/** Cargo locks its build folder: of the commands that use `target/debug`, all but one would only wait. */
export const DEBUG = { name: 'target/debug', places: 1 };
/** Two installations at once would wait for each other, or fail. */
export const INSTALLATIONS = { name: 'installations', places: 1 };
/** Each of these builds uses all cores: one after the other, they leave some for the tests. */
export const TOOL_BUILDS = { name: 'builds of tools', places: 1 };
/** A test starts one or two browsers, each of several processes: more would be too slow for their own time limits. */
export const BROWSERS = { name: 'browsers', places: 2 };
/** Their tests kill and restart servers and have jobs wait: more at once would be too slow for their own limits. */
export const SERVERS = { name: 'servers', places: 2 };

/**
 * A second for a step that has none: of two short ones, that which others wait for starts first.
 * @param {Planned} step
 */
const secondsOf = ({ seconds = 1 }) => seconds;

/**
 * The indices of the steps in the order in which they start if they can: before others those that begin the longest
 * chain of steps. Those that share a room are one, too: what is left of it must not run alone at the end.
 * @param {Planned[]} steps
 */
export function order(steps) {
  /** @type {(first: Planned) => number} */
  const chain = (first) => {
    const next = steps.filter(({ needs = [] }) => needs.includes(first.name)).map(chain);
    return secondsOf(first) + Math.max(0, ...next);
  };
  const chains = steps.map(chain);
  const longest = [...steps.keys()].sort((a, b) => chains[b] - chains[a]);
  const waits = longest.map((step, at) => {
    const { room } = steps[step];
    const others = room ? longest.slice(at + 1).filter((other) => steps[other].room === room) : [];
    const seconds = others.reduce((sum, other) => sum + secondsOf(steps[other]), 0);
    return { step, seconds: chains[step] + seconds / (room?.places ?? 1) };
  });
  return waits.sort((a, b) => b.seconds - a.seconds).map(({ step }) => step);
}

/** @type {(steps: Planned[], step: number) => number[]} */
const needsOf = (steps, step) =>
  (steps[step].needs ?? []).flatMap((name) => steps.findIndex((each) => each.name === name));

/**
 * The step to start now, if at most `jobs` may run at once.
 * @param {Planned[]} steps
 * @param {number[]} ordered
 * @param {State[]} states
 * @param {number} jobs
 */
export function next(steps, ordered, states, jobs) {
  const running = steps.filter((_, i) => states[i] === 'running');
  if (running.length >= Math.max(1, jobs)) return undefined;
  return ordered.find((step) => {
    const { room } = steps[step];
    return (
      states[step] === 'waiting' &&
      needsOf(steps, step).every((needed) => states[needed] === 'succeeded') &&
      (room === undefined || running.filter((other) => other.room === room).length < room.places)
    );
  });
}

/**
 * A step that waits for one that failed, and which one.
 * @param {Planned[]} steps
 * @param {State[]} states
 */
export function blocked(steps, states) {
  const pairs = [...steps.keys()].flatMap((step) => needsOf(steps, step).map((needed) => [step, needed]));
  return pairs.find(([step, needed]) => states[step] === 'waiting' && states[needed] === 'failed');
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
