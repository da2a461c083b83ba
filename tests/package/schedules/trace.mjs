// A schedule and what happened in it, for people.

import { inspect } from 'node:util';

import { describe } from './world.mjs';

/** How much of a long record is shown. */
const FIRST = 70;
const LAST = 20;
/** Entries that say little. */
const PLAIN = new Set(['signals', 'traced', 'metrics']);

const short = (value) => inspect(value, { breakLength: Infinity, compact: 99, depth: 9 });

export function trace(schedule, world, found) {
  const lines = found.map(({ rule, text }) => `invariant ${rule}: ${text}`);
  const { protections, policies, operations, events, lies, clock } = schedule;
  for (const [name, list] of Object.entries({ protection: protections, policy: policies, op: operations }))
    for (const [i, each] of list.entries()) lines.push(`  ${name} ${i}: ${short(each)}`);
  lines.push(`  ${short({ events, lies, clock })}`);
  const log = world.log.filter((entry) => !PLAIN.has(entry.kind));
  for (const [i, entry] of log.entries()) {
    if (i === FIRST && log.length > FIRST + LAST) lines.push(`  … ${log.length - FIRST - LAST} entries …`);
    if (i >= FIRST && i < log.length - LAST) continue;
    const who = entry.op >= 0 ? `op ${entry.op}` : '';
    const at = (entry.t - clock.start).toFixed(3).padStart(12);
    lines.push(
      `  ${at} ms  turn ${String(entry.turn).padEnd(3)} ${who.padEnd(5)} ${entry.kind} ${DETAILS[entry.kind]?.(entry) ?? ''}`,
    );
  }
  return lines.join('\n');
}

/** What a line shows of an entry, by its kind. */
const DETAILS = {
  fn: ({ n }) => n,
  attemptAborted: ({ n }) => n,
  hook: ({ name, event }) => `${name} ${event.attempt} ${event.reason ?? ''}`,
  retryIf: ({ outcome }) => describe(outcome),
  retryOnResult: ({ outcome }) => describe(outcome),
  curve: ({ k }) => k,
  beforeRetry: ({ event }) => event.attempt,
  end: ({ of, ok, made }) => `of ${of.kind}: ${ok ? 'with' : 'throws'} ${describe(made.thrown)}`,
  arm: ({ id, ms }) => `#${id} ${ms} ms`,
  fire: ({ id }) => `#${id}`,
  abort: ({ signal }) => signal,
  byHand: ({ close, open }) => (close ? 'close' : `open for ${open} ms`),
  status: ({ numbers }) => short(numbers),
  protection: ({ event }) => short(event),
  settle: ({ ok, value, report }) => `${ok ? 'resolves' : 'rejects'} with ${describe(value)} (${report?.reason})`,
};
