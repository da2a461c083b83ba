// Reads the bugs of planted-bugs.diff, which says how they are written.

import { readFileSync } from 'node:fs';

import { sidesOf } from '../lib/planted.mjs';

/**
 * A bug: the rules that it breaks, the edits that plant it, and the schedules that look for it: among which, and from
 * which one on.
 * @typedef {import('../lib/planted.mjs').Edit} Edit
 * @typedef {{ name: string, rules: string[], edits: Edit[], among: string, from: number }} Bug
 */

/** Functions of the breaker's machine, and their parameters. */
const MACHINE = {
  admit: 'state, options, now, first',
  close: 'state, now',
  ended: 'state, options, now, draw, ticket, verdict, hintMs',
  look: 'state, now',
  open: 'state, options, now, ms',
};
const machine = (name, body) => `export * from './generated.js';
  export const ${name} = (${MACHINE[name]}) => {
    const { NOTHING, SUCCESS, FAILURE } = core;
    const [CLOSED, OPEN, HALF_OPEN, SAME, HAS_CLOSED] = [0, 1, 2, 0, 2];
    const [TICKETS, SINCE, ROW_BEGUN, IN_ROW, ROW_AT, PROBE, OPENS, UNTIL, LONGEST, LEASE] =
      [10, 11, 13, 14, 15, 16, 18, 20, 21, 22];
    const usual = () => core.${name}(${MACHINE[name]});
    ${body}
  };`;

/** The edit of a heading: a body in place of a function, or the words that a diff removes and adds. */
function editOf(where, diff) {
  if (MACHINE[where]) return ['protection/machines.js', "export * from './generated.js';", machine(where, diff)];
  // The arguments are those of `decide` in decision.js.
  const core = { core: diff, decide: `return { draw, decide(...a) { ${diff} } };` }[where];
  if (core !== undefined)
    return [
      'wasm/core-inline.js',
      'return core;',
      `return (load.planted ??= (({ decide, draw }) => { ${core} })(TRANSLATED));`,
    ];
  return [where, ...sidesOf(diff)];
}

/** Reads the bugs. @returns {Bug[]} */
export function readBugs() {
  const bugs = [];
  const [, ...sections] = readFileSync(new URL('planted-bugs.diff', import.meta.url), 'utf8').split(
    /^# (?=\w+(?: from \d+)?$)/m,
  );
  for (const text of sections) {
    const [section, ...hunks] = text.split(/\n+@ /);
    const [among, from = 0] = section.split(' from ');
    for (const hunk of hunks) {
      const [, file, name, rules, diff] = /^([^:\n]+)(?:: ([^\n]*) \[([\w ]*)\])?\n(.*?)\s*$/s.exec(hunk);
      if (name !== undefined) bugs.push({ name, rules: rules.split(' '), edits: [], among, from: Number(from) });
      bugs.at(-1).edits.push(editOf(file, diff));
    }
  }
  return bugs;
}
