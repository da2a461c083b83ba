// A schedule of protections for people, and what may be taken away from it.

import { inspect } from 'node:util';

/** How many entries are shown. */
const MOST = 80;
/** Entries that every schedule is full of. */
const PLAIN = new Set(['clear', 'listen', 'unlisten', 'hookEnd']);

const short = (value) => inspect(value, { breakLength: Infinity, compact: 99, depth: 9 });

export function trace(schedule, world, found) {
  const lines = found.map(({ rule, text }) => `${rule}: ${text}`);
  for (const [i, parts] of schedule.protections.entries()) lines.push(`  protection ${i}: ${short(parts)}`);
  for (const [i, policy] of schedule.policies.entries()) lines.push(`  policy ${i}: ${short(policy)}`);
  for (const plan of schedule.operations) lines.push(`  op: ${short(plan)}`);
  lines.push(`  events ${short(schedule.events)}, lies ${short(schedule.lies)}, clock ${short(schedule.clock)}`);
  const log = world.log.filter((entry) => !PLAIN.has(entry.kind));
  for (const entry of log.slice(0, MOST)) {
    const who = entry.op >= 0 ? `op ${entry.op}` : '';
    lines.push(`  ${entry.r.toFixed(3).padStart(12)} turn ${entry.turn} ${who} ${entry.kind} ${details(entry)}`);
  }
  return lines.join('\n');
}

function details(entry) {
  switch (entry.kind) {
    case 'fn':
      return `${entry.n}`;
    case 'end':
      return `of ${entry.of.kind}: ${entry.ok ? 'answers' : 'fails'} ${entry.value.kind ?? entry.value.thrown}`;
    case 'settle':
      return `${entry.ok ? 'resolves' : `rejects with ${entry.value?.name}`} (${entry.report?.reason ?? ''})`;
    case 'arm':
      return `${entry.id}: ${entry.ms} ms`;
    case 'fire':
      return `${entry.id}`;
    case 'hook':
      return entry.name;
    case 'byHand':
      return entry.close ? 'close' : `open for ${entry.open} ms`;
    case 'abort':
      return `of ${entry.signal}`;
    case 'status':
      return short(entry.numbers);
    case 'protection':
      return short(entry.event);
    default:
      return '';
  }
}

/** Lists whose elements may go, and objects whose properties may go. */
const LISTS = ['operations', 'events', 'lies', 'before', 'attempts', 'verdicts', 'results', 'befores', 'hooks'];
const OBJECTS = ['options', 'budget', 'breaker', 'cooldown', 'hedge', 'hooks'];
const SWITCHES = ['retryIf', 'retryOnResult', 'beforeRetry', 'signal', 'afterwards'];

export function* changes(schedule) {
  yield* within(schedule, []);
  for (const i of schedule.protections.keys())
    for (const part of ['budget', 'breaker', 'cooldown', 'hedge'])
      if (schedule.protections[i][part])
        yield (s) => {
          delete s.protections[i][part];
        };
}

/** Lists the parts of a schedule, at a path, that may go. */
function* within(part, path) {
  for (const [name, value] of Object.entries(part)) {
    const here = [...path, name];
    const at = (s, steps = here) => steps.reduce((each, step) => each[step], s);
    if (Array.isArray(value) && LISTS.includes(name))
      for (let i = value.length - 1; i >= 0; i -= 1)
        yield (s) => {
          at(s).splice(i, 1);
        };
    else if (OBJECTS.includes(name))
      for (const key of Object.keys(value))
        yield (s) => {
          delete at(s)[key];
        };
    else if (SWITCHES.includes(name) && value === true)
      yield (s) => {
        at(s, path)[name] = false;
      };
    if (typeof value === 'number' && !Number.isInteger(value) && ['at', 'ms'].includes(name))
      yield (s) => {
        at(s, path)[name] = Math.round(value);
      };
    if (typeof value === 'object' && value !== null) yield* within(value, here);
  }
}
