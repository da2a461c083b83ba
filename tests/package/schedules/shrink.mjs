// The smallest schedule that still breaks the same invariant: parts are taken away and values made simple, again and
// again, as long as the finding stays.

import { inspect, isDeepStrictEqual } from 'node:util';

/** How many candidates are tried at most: a finding is worth a few seconds, not minutes. */
const MOST = 3000;

/** Properties that stay: without them, a schedule is not a smaller one but another. */
const NEEDED = new Set(
  'at attempts before early how id kind late light ms policy random seed skew start via'.split(' '),
);

/** Simpler values of properties. */
const SIMPLE = {
  via: (via) => (via === 'wrap' ? 'run' : via),
  how: (how) => (['never', 'inner'].includes(how) ? how : 'now'),
  kind: () => 'error',
  at: Math.round,
  ms: Math.round,
  early: () => 0,
  late: () => 0,
  start: () => 0,
};

/**
 * @param {object} schedule
 * @param {(candidate: object) => Promise<boolean>} fails whether the finding is still there
 */
export async function shrink(schedule, fails) {
  let smallest = schedule;
  let tried = 0;
  for (let changed = true; changed && tried < MOST; ) {
    changed = false;
    // A change that helps is tried again at the same place: the next part is there now.
    for (let k = 0, list = [...changes(smallest)]; k < list.length && tried < MOST; ) {
      const candidate = structuredClone(smallest);
      list[k](candidate);
      tried += 1;
      // One that makes no sense, such as rejected options, is dropped.
      const helps = !isDeepStrictEqual(candidate, smallest) && (await fails(candidate).catch(() => false));
      if (helps) [smallest, changed, list] = [candidate, true, [...changes(candidate)]];
      else k += 1;
    }
  }
  return smallest;
}

/** The changes of a part of a schedule, at a path. */
function* changes(part, path = []) {
  for (const [name, value] of Object.entries(part)) {
    const within = (schedule) => path.reduce((each, step) => each[step], schedule);
    if (value !== undefined && !NEEDED.has(name))
      yield (schedule) => (Array.isArray(part) ? within(schedule).splice(name, 1) : delete within(schedule)[name]);
    if (value !== undefined && SIMPLE[name])
      yield (schedule) => Object.assign(within(schedule), { [name]: SIMPLE[name](value, part) });
    if (typeof value === 'object' && value !== null) yield* changes(value, [...path, name]);
  }
}

/** How much of a long record is shown. */
const FIRST = 70;
const LAST = 20;
/** Entries that say little. */
const PLAIN = new Set(['signals', 'traced', 'metrics']);

const short = (value, depth) => inspect(value, { breakLength: Infinity, compact: 99, depth });

/** A schedule and what happened in it, for people. */
export function trace(schedule, { log }, found) {
  const { protections, policies, operations, events, lies, clock } = schedule;
  const lists = Object.entries({ protections, policies, operations, events, lies, clock: [clock] });
  const said = lists.flatMap(([name, list]) => list.map((each, i) => `  ${name} ${i}: ${short(each, 9)}`));
  const shown = log.filter(({ kind }) => !PLAIN.has(kind));
  const lines = shown.map(({ kind, op, t, turn, seen, attempt, of, ...what }) => {
    const at = (t - clock.start).toFixed(3).padStart(12);
    const who = op < 0 ? '' : `op ${op}`;
    return `  ${at} ms  turn ${turn}  ${who}  ${kind} ${of?.kind ?? ''} ${short(seen ?? what, 1).slice(0, 200)}`;
  });
  if (lines.length > FIRST + LAST) lines.splice(FIRST, lines.length - FIRST - LAST, '  …');
  return [...found.map(({ rule, text }) => `invariant ${rule}: ${text}`), ...said, ...lines].join('\n');
}
