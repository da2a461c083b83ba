// Do the schedules find bugs? Many are planted in copies of the package, one at a time, and each must
// be found, by the rule that it breaks. The package as it is passes the same schedules (schedules.test.mjs
// runs far more of them).

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { modules } from '../lib/consumer.mjs';
import { MUTANTS } from './mutants.mjs';
import { Threads } from './threads.mjs';

/** Within how many schedules a bug must be found. */
const SCHEDULES = 100_000;
const SEED = 7;

const root = mkdtempSync(join(tmpdir(), 'rejitter-mutants-'));
const threads = new Threads(2);
after(async () => {
  await threads.close();
  rmSync(root, { recursive: true, force: true });
});

/** A copy of the package with the edits applied; each must apply exactly once. */
function planted({ name, edits }, i) {
  const folder = join(root, String(i));
  cpSync(modules, folder, { recursive: true });
  for (const [file, find, put] of edits) {
    const path = join(folder, 'lib', file);
    const parts = readFileSync(path, 'utf8').split(anchor(find));
    assert.equal(parts.length, 2, `"${name}" must apply once to ${file}, where it applies ${parts.length - 1} times`);
    writeFileSync(path, parts.join(put));
  }
  return folder;
}

/** The text of an anchor however the formatter breaks its lines. @param {string} text */
function anchor(text) {
  const tokens = text.match(/\w+|[^\w\s]/g) ?? [];
  return new RegExp(tokens.map((token) => token.replace(/[^\w]/, '\\$&')).join('\\s*'));
}

test('the package itself passes', async () => {
  const { finding } = await threads.simulate({ folder: modules, seed: SEED, schedules: 4000, small: false });
  assert.equal(finding, undefined, finding?.text);
});

test(`${MUTANTS.length} planted bugs are each found within ${SCHEDULES} schedules`, async (t) => {
  assert.ok(MUTANTS.length >= 30);
  assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length);
  const tasks = MUTANTS.map((mutant, i) => ({
    name: mutant.name,
    rules: mutant.rules,
    folder: planted(mutant, i),
    seed: SEED,
    from: 0,
    step: 1,
    to: SCHEDULES,
    small: false,
  }));
  const missed = [];
  await threads.each(tasks, ({ name, rules }, { schedules, finding }) => {
    if (finding) t.diagnostic(`${name}: schedule ${schedules}, invariant ${finding.rule}: ${finding.text}`);
    if (finding === undefined) missed.push(name);
    else if (!rules.includes(finding.rule))
      missed.push(`${name}: found by invariant ${finding.rule}, "${finding.text}", instead of ${rules.join(' or ')}`);
  });
  assert.deepEqual(missed, []);
});
