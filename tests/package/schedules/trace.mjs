// A schedule and what happened in it, for people.

import { inspect } from 'node:util';

/** How much of a long record is shown. */
const FIRST = 70;
const LAST = 20;
/** Entries that say little. */
const PLAIN = new Set(['signals', 'traced', 'metrics']);

const short = (value, depth) => inspect(value, { breakLength: Infinity, compact: 99, depth });

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
