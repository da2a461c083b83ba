// A schedule and what happened in it, for people.

import { inspect } from 'node:util';

import { describe } from './world.mjs';

/** How much of a long record is shown. */
const FIRST = 70;
const LAST = 20;
/** Entries that every schedule is full of. */
const PLAIN = new Set(['clear', 'listen', 'unlisten', 'hookEnd']);

const short = (value) => inspect(value, { breakLength: Infinity, compact: 99, depth: 9 });

export function trace(schedule, world, found) {
  const lines = found.map(({ rule, text }) => `invariant ${rule}: ${text}`);
  const { protections, policies, operations, events, lies, clock, core } = schedule;
  for (const [name, list] of Object.entries({ protection: protections, policy: policies, op: operations }))
    for (const [i, each] of list.entries()) lines.push(`  ${name} ${i}: ${short(each)}`);
  lines.push(`  ${short({ events, lies, clock, core })}`);
  const log = world.log.filter((entry) => !PLAIN.has(entry.kind));
  for (const [i, entry] of log.entries()) {
    if (i === FIRST && log.length > FIRST + LAST) lines.push(`  … ${log.length - FIRST - LAST} entries …`);
    if (i >= FIRST && i < log.length - LAST) continue;
    const who = entry.op >= 0 ? `op ${entry.op}` : '';
    const at = (entry.t - clock.start).toFixed(3).padStart(12);
    lines.push(`  ${at} ms  turn ${String(entry.turn).padEnd(3)} ${who.padEnd(5)} ${entry.kind} ${details(entry)}`);
  }
  return lines.join('\n');
}

function details(entry) {
  switch (entry.kind) {
    case 'fn':
    case 'attemptAborted':
      return `${entry.n}`;
    case 'hook':
      return `${entry.name} ${entry.event.attempt}${entry.event.reason ? ` ${entry.event.reason}` : ''}`;
    case 'retryIf':
    case 'retryOnResult':
      return describe(entry.outcome);
    case 'curve':
      return `${entry.k}`;
    case 'beforeRetry':
      return `${entry.event.attempt}`;
    case 'end':
      return `of ${entry.of.kind}: ${entry.ok ? 'with' : 'throws'} ${describe(entry.made.thrown)}`;
    case 'arm':
      return `#${entry.id} ${entry.ms} ms`;
    case 'fire':
      return `#${entry.id}`;
    case 'abort':
      return `${entry.signal}`;
    case 'byHand':
      return entry.close ? 'close' : `open for ${entry.open} ms`;
    case 'status':
      return short(entry.numbers);
    case 'protection':
      return short(entry.event);
    case 'settle':
      return (
        `${entry.ok ? 'resolves' : 'rejects'} with ` +
        `${describe(entry.value)}${entry.report ? ` (${entry.report.reason})` : ''}`
      );
    default:
      return '';
  }
}
