// Do the schedules find bugs? Many are planted in copies of the package, one at a time, and each must be found, by an
// invariant that it breaks.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { planted } from '../lib/planted.mjs';
import { readBugs } from './planted-bugs.mjs';
import { sentenceOf, simulated } from './threads.mjs';

/** Within how many schedules of its kind a bug must be found. Few have a hold that a later hint makes longer. */
const SCHEDULES = { held: 15_000 };
const USUAL = 6_000;
const SEED = 7;
/** The sections of bugs, the longest first: two are played at a time. */
const SECTIONS = [
  ...['protected', 'held', 'plain', 'limited', 'progress', 'hedged', 'light'],
  ...['protected from 5000', 'protected from 3300', 'protected from 1500'],
  ...['held from 12000', 'held from 3600', 'limited from 1500', 'plain from 2700', 'progress from 4800'],
];

const BUGS = readBugs();

test(`${BUGS.length} planted bugs are each found within ${USUAL} schedules or a few more, by what they break`, async (t) => {
  assert.ok(BUGS.length >= 149);
  assert.deepEqual(new Set(BUGS.map(({ section }) => section)), new Set(SECTIONS));
  assert.equal(new Set(BUGS.map(({ name }) => name)).size, BUGS.length);
  const root = mkdtempSync(join(tmpdir(), 'rejitter-mutants-'));
  const missed = [];
  const find = async (section) => {
    const bugs = BUGS.filter((bug) => bug.section === section);
    const folders = bugs.map((bug) => planted(join(root, String(BUGS.indexOf(bug))), bug));
    const [among, first = 0] = section.split(' from ');
    const from = Number(first);
    const { findings } = await simulated({ folders, seed: SEED, from, to: from + (SCHEDULES[among] ?? USUAL), among });
    for (const [i, { name, rules }] of bugs.entries()) {
      rules.forEach(sentenceOf);
      const { index, rule, text } = findings[i] ?? {};
      const said = `${name}: schedule ${index}, rule ${rule}: ${text}`;
      t.diagnostic(said);
      if (!rules.includes(rule)) missed.push(`${said}; expected ${rules.join(' or ')}`);
    }
  };
  const sections = SECTIONS.values();
  const worker = async () => {
    for (const section of sections) await find(section);
  };
  try {
    await Promise.all([worker(), worker()]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  assert.deepEqual(missed, []);
});
