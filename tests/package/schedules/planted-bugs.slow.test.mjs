// Do the schedules find bugs? Many are planted in copies of the package, one at a time, and each must be found, by an
// invariant that it breaks.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { workFolder } from '../lib/consumer.mjs';
import { planted } from '../lib/planted.mjs';
import { readBugs } from './planted-bugs.mjs';
import { sentenceOf, simulated } from './threads.mjs';

/** Within how many schedules of its kind a bug must be found. Few have a hold that a later hint makes longer. */
const SCHEDULES = { held: 15_000 };
const USUAL = 6_000;
const SEED = 7;
/** Kinds of schedules, those that play longest first: two are played at a time. */
const KINDS = ['protected', 'held', 'plain', 'progress', 'light', 'limited', 'hedged'];

const BUGS = readBugs();

test(`${BUGS.length} planted bugs are each found within ${USUAL} schedules or a few more, by what they break`, async (t) => {
  assert.ok(BUGS.length >= 149);
  assert.deepEqual(new Set(BUGS.map(({ among }) => among)), new Set(KINDS));
  assert.equal(new Set(BUGS.map(({ name }) => name)).size, BUGS.length);
  const root = workFolder('planted-bugs');
  const missed = [];
  const find = async (among) => {
    const bugs = BUGS.filter((bug) => bug.among === among);
    const folders = bugs.map((bug) => planted(join(root, String(BUGS.indexOf(bug))), bug));
    const from = bugs.map((bug) => bug.from);
    const to = from.map((first) => first + (SCHEDULES[among] ?? USUAL));
    const { findings } = await simulated({ folders, seed: SEED, from, to, among });
    for (const [i, { name, rules }] of bugs.entries()) {
      rules.forEach(sentenceOf);
      const { index, rule, text } = findings[i] ?? {};
      const said = `${name}: schedule ${index}, rule ${rule}: ${text}`;
      t.diagnostic(said);
      if (!rules.includes(rule)) missed.push(`${said}; expected ${rules.join(' or ')}`);
    }
  };
  const kinds = KINDS.values();
  const worker = async () => {
    for (const among of kinds) await find(among);
  };
  await Promise.all([worker(), worker()]);
  assert.deepEqual(missed, []);
});
