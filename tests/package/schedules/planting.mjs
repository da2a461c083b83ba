// Plants bugs in copies of the package, one at a time, and lets schedules look for them.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { modules } from '../lib/consumer.mjs';
import { sentenceOf } from './invariants.mjs';
import { Threads } from './threads.mjs';

/**
 * A bug: the rules that it breaks, and the edits that plant it.
 * @typedef {object} Mutant
 * @property {string} name
 * @property {string[]} rules
 * @property {[file: string, find: string, put: string][]} edits
 * @property {'plain' | 'protected' | 'hedged'} among the schedules that look for it
 */

/** Files that no schedule uses. */
const UNUSED = /[/\\](lab|testing|simulations)[^/\\]*$|\.(wasm|md|d\.ts)$/;

/** A copy of the package with the edits applied; each must apply exactly once. */
export function planted(root, { name, edits }, i) {
  const folder = join(root, String(i));
  cpSync(modules, folder, { recursive: true, filter: (path) => !UNUSED.test(path) });
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

/**
 * Fails unless the schedules find each bug, by a rule that it breaks.
 * @param {import('node:test').TestContext} t
 * @param {{ mutants: Mutant[], seed: number, schedules: number }} search within how many schedules each
 *   must be found
 */
export async function findAll(t, { mutants, seed, schedules: to }) {
  assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
  for (const { rules } of mutants) rules.forEach(sentenceOf);
  const root = mkdtempSync(join(tmpdir(), 'rejitter-mutants-'));
  const threads = new Threads(2);
  try {
    const tasks = mutants.map((mutant, i) => ({
      name: mutant.name,
      rules: mutant.rules,
      folder: planted(root, mutant, i),
      seed,
      from: 0,
      step: 1,
      to,
      small: false,
      among: mutant.among,
    }));
    const missed = [];
    await threads.each(tasks, ({ name, rules }, { schedules, finding }) => {
      if (finding) t.diagnostic(`${name}: schedule ${schedules}, rule ${finding.rule}: ${finding.text}`);
      if (finding === undefined) missed.push(name);
      else if (!rules.includes(`${finding.rule}`))
        missed.push(`${name}: found by rule ${finding.rule}, "${finding.text}", instead of ${rules.join(' or ')}`);
    });
    assert.deepEqual(missed, []);
  } finally {
    await threads.close();
    rmSync(root, { recursive: true, force: true });
  }
}
