// Do the schedules find bugs? Many are planted in copies of the package, one at a time, and each must be found, by an
// invariant that it breaks.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { planted, sidesOf } from '../lib/planted.mjs';
import { sentenceOf, simulated } from './threads.mjs';

/** Within how many schedules a bug must be found. */
const SCHEDULES = 20_000;
const SEED = 7;

/**
 * A bug: the rules that it breaks, the edits that plant it, and the schedules that look for it.
 * @typedef {{ name: string, rules: string[], edits: [file: string, find: string, put: string][], among: string }} Mutant
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
      'made ??= compiled() ?? translated())',
      `made ??= (({ decide, draw }) => { ${core} })(compiled()))`,
    ];
  return [where, ...sidesOf(diff)];
}

/** Reads the bugs: planted-bugs.diff says how they are written. @returns {Mutant[]} */
function readBugs() {
  const bugs = [];
  const [, ...sections] = readFileSync(new URL('planted-bugs.diff', import.meta.url), 'utf8').split(/^# (?=\w+$)/m);
  for (const section of sections) {
    const [among, ...hunks] = section.split(/\n+@ /);
    for (const hunk of hunks) {
      const [, file, name, rules, diff] = /^([^:\n]+)(?:: (.*) \[(.*)\])?\n(.*?)\s*$/s.exec(hunk);
      if (name !== undefined) bugs.push({ name, rules: rules.split(' '), edits: [], among });
      bugs.at(-1).edits.push(editOf(file, diff));
    }
  }
  return bugs;
}

const BUGS = readBugs();

test(`${BUGS.length} planted bugs are each found within ${SCHEDULES} schedules, by what they break`, async (t) => {
  assert.ok(BUGS.length >= 113);
  assert.equal(new Set(BUGS.map(({ name }) => name)).size, BUGS.length);
  const root = mkdtempSync(join(tmpdir(), 'rejitter-mutants-'));
  const missed = [];
  const find = async (among, half) => {
    const bugs = BUGS.filter((bug, i) => bug.among === among && i % 2 === half);
    const folders = bugs.map((bug) => planted(join(root, `${BUGS.indexOf(bug)}`), bug));
    const { findings } = await simulated({ folders, seed: SEED, to: SCHEDULES, among });
    for (const [i, { name, rules }] of bugs.entries()) {
      rules.forEach(sentenceOf);
      const { index, rule, text } = findings[i] ?? {};
      const said = `${name}: schedule ${index}, rule ${rule}: ${text}`;
      t.diagnostic(said);
      if (!rules.includes(rule)) missed.push(`${said}; expected ${rules.join(' or ')}`);
    }
  };
  try {
    for (const among of ['plain', 'light', 'protected', 'hedged']) await Promise.all([find(among, 0), find(among, 1)]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  assert.deepEqual(missed, []);
});
