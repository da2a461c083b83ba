// @ts-check
// A cold start: import and first success, then the first failure with its retry, in a separate process.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { FIELDS } from '../contenders.mjs';
import { shuffled, uniform } from '../lib/random.mjs';

const PROGRAM = fileURLToPath(new URL('../lib/cold-main.mjs', import.meta.url));
const start = promisify(execFile);

/** @param {import('../lib/child.mjs').Context} context */
export async function run({ node, choice: { quick, seed } }) {
  const random = uniform(seed);
  const env = { ...process.env, NODE_OPTIONS: '' };
  /** @type {Record<string, number[]>[]} */
  const results = [{}, {}];
  // The round before the first fills the file system's cache.
  for (let round = -1; round < (quick ? 5 : 40); round++) {
    for (const [index, { name }] of shuffled([...FIELDS.retries.entries()], random)) {
      const { stdout } = await start(node, [PROGRAM, String(index)], { env });
      // A peer that does not run here says why.
      const measured = round >= 0 && stdout.startsWith('[') ? JSON.parse(stdout) : [];
      for (const [i, ms] of measured.entries()) (results[i][name] ??= []).push(ms);
    }
  }
  const [first, failure] = results;
  return { first, failure };
}
