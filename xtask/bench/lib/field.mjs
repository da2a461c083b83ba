// @ts-check
// The contenders that run on this host, verified, and what keeps the others away.

import { verify } from './verify.mjs';

/**
 * @typedef {object} Field
 * @property {any[]} contenders
 * @property {Record<string, string>} absent file → why
 * @property {Record<string, string>} notes name → where it differs from what all are set to
 */

/**
 * @param {string[]} files
 * @param {(file: string) => Promise<any>} load
 * @param {(contender: any) => Promise<void>} [check]
 * @returns {Promise<Field>}
 */
export async function field(files, load, check = verify) {
  /** @type {Field} */
  const found = { contenders: [], absent: {}, notes: {} };
  for (const file of files) {
    try {
      const contender = await load(file);
      await check(contender);
      found.contenders.push(contender);
      if (contender.note !== undefined) found.notes[contender.name] = contender.note;
    } catch (error) {
      // A peer that does not run here is reported; rejitter must run.
      if (!(error instanceof Error) || file.startsWith('rejitter')) throw error;
      found.absent[file] = error.message.split('\n')[0];
    }
  }
  return found;
}
