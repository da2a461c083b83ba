// Schedules on several threads, and the invariants by name.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** The tables of tests/README.md. */
const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const sentences = new Map(
  Array.from(page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm), ([, name, sentence]) => [name, sentence]),
);

/** @param {string} name @returns {string} what holds */
export function sentenceOf(name) {
  assert.ok(sentences.has(name), `tests/README.md has no invariant called ${name}`);
  return sentences.get(name);
}

/**
 * A thread's answer to a task: `{ schedules, findings }`. The schedules are `from` … `to` − 1 for each of the folders.
 */
export const simulated = (task) =>
  new Promise((resolve, reject) => {
    const workerData = { step: 1, ...task };
    // Schedules leave much garbage: with little space for what is young, a tenth of the time goes to collections.
    const options = { workerData, resourceLimits: { maxYoungGenerationSizeMb: 192 }, env: { NODE_OPTIONS: '' } };
    const thread = new Worker(new URL('simulate.mjs', import.meta.url), options);
    thread.once('message', (answer) => (answer.failure ? reject(new Error(answer.failure)) : resolve(answer)));
    thread.once('exit', (code) => reject(new Error(`a thread of the simulation ended with ${code}`)));
  });

/**
 * Schedules `from` … `to` − 1 of a seed, shared out evenly: how many were played, and a report of the first finding.
 */
export async function simulation({ folder, from = 0, threads = 2, ...task }) {
  const step = Math.max(1, Math.min(task.to - from, threads));
  const each = { ...task, folders: [folder], step, to: [task.to], small: true };
  const answers = await Promise.all(Array.from({ length: step }, (_, i) => simulated({ ...each, from: [from + i] })));
  const [finding] = answers.flatMap(({ findings }) => findings).sort((a, b) => a.index - b.index);
  return { schedules: answers.reduce((sum, answer) => sum + answer.schedules, 0), report: finding && report(finding) };
}

const report = ({ seed, index, rule, text, trace, among }) =>
  `invariant "${rule}" is broken: ${text}\n  what must hold: ${sentenceOf(rule)}\n  schedule ${index} of seed ${seed}; ` +
  `to see it alone: run.mjs --seed ${seed} --only ${index}${among ? ` --among ${among}` : ''}\nshrunk to:\n${trace}`;
