// Do the schedules find bugs? Many are planted in copies of the package, one at a time, and each must be found, by an
// invariant that it breaks.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { sentenceOf } from './invariants.mjs';
import { planted, readBugs } from './planting.mjs';
import { simulated } from './threads.mjs';

/** Within how many schedules a bug must be found. */
const SCHEDULES = 20_000;
const SEED = 7;

const BUGS = readBugs();

test(`${BUGS.length} planted bugs are each found within ${SCHEDULES} schedules, by what they break`, async (t) => {
  assert.ok(BUGS.length >= 103);
  assert.equal(new Set(BUGS.map(({ name }) => name)).size, BUGS.length);
  const root = mkdtempSync(join(tmpdir(), 'rejitter-mutants-'));
  const missed = [];
  const find = async (among, half) => {
    const bugs = BUGS.filter((bug, i) => bug.among === among && i % 2 === half);
    const folders = bugs.map((bug) => planted(root, bug, BUGS.indexOf(bug)));
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
    for (const among of ['plain', 'protected', 'hedged']) await Promise.all([find(among, 0), find(among, 1)]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  assert.deepEqual(missed, []);
});
