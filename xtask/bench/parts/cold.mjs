// @ts-check
// A cold start: import and first success, then the first failure with its retry, in a separate process.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { FILES } from '../contenders/all.mjs';
import { shuffled, uniform } from '../lib/random.mjs';

const PROGRAM = fileURLToPath(new URL('../lib/cold-main.mjs', import.meta.url));
const start = promisify(execFile);

/** @param {import('./all.mjs').Context} context */
export async function run({ nodes, choice: { quick, seed }, say }) {
  const rounds = quick ? 5 : 40;
  /** @type {Record<string, any>} */
  const results = {};
  for (const node of nodes) {
    say(node.name);
    const random = uniform(seed);
    /** @type {Record<string, number[]>} */
    const first = {};
    /** @type {Record<string, number[]>} */
    const failure = {};
    /** @type {Record<string, string>} */
    const absent = {};
    // The round before the first fills the file system's cache.
    for (let round = -1; round < rounds; round++) {
      for (const file of shuffled(FILES, random)) {
        if (file in absent) continue;
        const answer = await once(node.path, file);
        if ('absent' in answer) absent[file] = answer.absent;
        else if (round >= 0) {
          (first[answer.name] ??= []).push(answer.firstMs);
          if (answer.failureMs !== undefined) (failure[answer.name] ??= []).push(answer.failureMs);
        }
      }
    }
    results[node.name] = { first, failure, absent };
  }
  return results;
}

/**
 * @param {string} node
 * @param {string} file
 * @returns {Promise<{ absent: string } | { name: string, firstMs: number, failureMs?: number }>}
 */
async function once(node, file) {
  try {
    const { stdout } = await start(node, [PROGRAM, file], { env: { ...process.env, NODE_OPTIONS: '' } });
    return JSON.parse(stdout);
  } catch (error) {
    if (file.startsWith('rejitter')) throw error;
    return { absent: /** @type {any} */ (error).stderr?.match(/^\w*Error.*$/m)?.[0] ?? String(error) };
  }
}
