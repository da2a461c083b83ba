// A schedule and what happened in it, for people.

import { inspect } from 'node:util';

import { describe } from './world.mjs';

/** How much of a long record is shown. */
const FIRST = 60;
const LAST = 20;

export function trace(schedule, world, found) {
  const lines = found.map(({ rule, text }) => `invariant ${rule}: ${text}`);
  const { options, implied, preset, named, uses, policySignal, clock } = schedule;
  lines.push(
    `  ${preset ? `preset ${preset}` : (named ?? 'policy')} ` +
      `${inspect({ ...implied, ...options }, { breakLength: Infinity, depth: 4 })}`,
  );
  const predicates = ['retryIf', 'retryOnResult', 'beforeRetry', 'random'].filter((name) => uses[name]);
  const core = schedule.core ? `; the core ${inspect(schedule.core, { breakLength: Infinity })}` : '';
  lines.push(
    `  callbacks ${[...predicates, ...uses.hooks].join(' ') || 'none'}; policy signal ${policySignal ?? 'none'}; ` +
      `timers ${clock.early} early, ${clock.late} late${core}`,
  );
  for (const [i, plan] of schedule.operations.entries()) {
    lines.push(`  op ${i}: ${inspect(plan, { breakLength: Infinity, compact: 99, depth: 9 })}`);
  }
  const zero = clock.start;
  for (const [i, entry] of world.log.entries()) {
    if (i === FIRST && world.log.length > FIRST + LAST) lines.push(`  … ${world.log.length - FIRST - LAST} entries …`);
    if (i >= FIRST && i < world.log.length - LAST) continue;
    const who = entry.op >= 0 ? `op ${entry.op}` : '';
    lines.push(
      `  ${(entry.t - zero).toFixed(2).padStart(10)} ms  turn ${String(entry.turn).padEnd(3)} ${who.padEnd(5)} ` +
        `${entry.kind} ${details(entry)}`,
    );
  }
  return lines.join('\n');
}

function details(entry) {
  switch (entry.kind) {
    case 'fn':
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
      return `${entry.ok ? 'with' : 'throws'} ${describe(entry.made.thrown)}`;
    case 'arm':
      return `#${entry.id} ${entry.ms} ms`;
    case 'clear':
    case 'fire':
      return `#${entry.id}`;
    case 'abort':
    case 'listen':
    case 'unlisten':
      return `${entry.signal}`;
    case 'attemptAborted':
      return `${entry.n} ${describe(entry.reason)}`;
    case 'settle':
      return (
        `${entry.ok ? 'resolves' : 'rejects'} with ` +
        `${describe(entry.value)}${entry.report ? ` (${entry.report.reason})` : ''}`
      );
    default:
      return '';
  }
}
