// The smallest schedule that still breaks the same invariant: parts are taken away and numbers made
// small, again and again, as long as the finding stays.

import { isDeepStrictEqual } from 'node:util';

/** How many candidates are tried at most: a finding is worth a few seconds, not minutes. */
const MOST = 3000;

/**
 * @param {object} schedule
 * @param {(candidate: object) => Promise<boolean>} fails whether the finding is still there
 * @param {(schedule: object) => Iterable<(candidate: object) => unknown>} changes that make it smaller
 */
export async function shrink(schedule, fails, changes) {
  let smallest = schedule;
  let tried = 0;
  for (let changed = true; changed && tried < MOST; ) {
    changed = false;
    // A change that helps is tried again at the same place: the next part is there now.
    for (let k = 0, list = [...changes(smallest)]; k < list.length && tried < MOST; ) {
      const candidate = structuredClone(smallest);
      list[k](candidate);
      if (isDeepStrictEqual(candidate, smallest)) {
        k += 1;
        continue;
      }
      tried += 1;
      // One that makes no sense, such as rejected options, is dropped.
      if (await fails(candidate).catch(() => false)) {
        smallest = candidate;
        changed = true;
        list = [...changes(smallest)];
      } else k += 1;
    }
  }
  return smallest;
}

/** Properties that stay: without them, a schedule is not a smaller one but another. */
const NEEDED = new Set('at attempts before early how id kind late ms policy random seed skew start via'.split(' '));

/** Lists the parts of a schedule that may be taken away. */
export function* changes(schedule) {
  if (schedule.operations.length === 1 && !schedule.single && schedule.world !== 'nested')
    yield (s) => Object.assign(s, { single: true });
  // Waits from the host's randomness differ from run to run.
  for (const [i, { options, uses }] of schedule.policies.entries())
    if (options.seed === undefined && !uses.random) yield (s) => Object.assign(s.policies[i].options, { seed: 1 });
  // Half of the operations, a quarter and so on, before anything in them.
  const { length } = schedule.operations;
  for (let part = Math.floor(length / 2); part > 0; part = Math.floor(part / 2))
    for (let from = length - part; from >= 0; from -= part) yield (s) => s.operations.splice(from, part);
  yield* within(schedule, []);
  for (const name of ['early', 'late', 'start']) yield (s) => Object.assign(s.clock, { [name]: 0 });
}

/** Lists the changes of a part of a schedule, at a path. */
function* within(part, path) {
  for (const [name, value] of Object.entries(part)) {
    const here = [...path, name];
    const at = (s, steps = path) => steps.reduce((each, step) => each[step], s);
    if (value !== undefined && !NEEDED.has(name))
      yield (s) => (Array.isArray(part) ? at(s).splice(name, 1) : delete at(s)[name]);
    if (name === 'via' && value === 'wrap') yield (s) => Object.assign(at(s), { via: 'run' });
    if (name === 'end' && value !== undefined) yield* simpler(value, (s) => at(s, here));
    if (typeof value === 'number' && !Number.isInteger(value) && ['at', 'ms'].includes(name))
      yield (s) => Object.assign(at(s), { [name]: Math.round(value) });
    if (typeof value === 'object' && value !== null) yield* within(value, here);
  }
}

/** Simpler ends of a callback. */
function* simpler({ how, ok, value }, at) {
  if (!['return', 'throw', 'never', 'inner'].includes(how))
    yield (s) => Object.assign(at(s), { how: ok ? 'return' : 'throw' });
  if (ok === false && value?.kind !== 'error') yield (s) => Object.assign(at(s), { value: { kind: 'error' } });
}
