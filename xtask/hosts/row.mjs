// How one host is run and what its results mean.

import { BUILT, PARTS } from './suite.mjs';

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {(folder: import('./folder.mjs').Folder) => Promise<Record<string, string>>} run resolves with the results
 * @property {string} [parts] of the suite, all by default
 * @property {RegExp} [refused] matches the message of the tool, if the host cannot run the package
 * @property {string} [remark] for the reader of the table
 *
 * @typedef {object} Outcome
 * @property {boolean} good whether the host did what the table expects of it
 * @property {Record<string, string>} [results]
 * @property {string} [message] of the tool that rejected it
 * @property {string} [problem]
 */

/**
 * @param {Row} row
 * @param {import('./folder.mjs').Folder} folder
 * @returns {Promise<Outcome>}
 */
export async function outcomeOf({ run, parts = Object.keys(PARTS).join(''), refused }, folder) {
  try {
    const results = await run(folder);
    const bad = [...parts].filter((part) => results[part] !== 'ok' && results[part] !== BUILT);
    if (refused) {
      const message = [...bad.map((part) => results[part]), results.warning].find((text) => refused.test(text));
      if (message) return { good: true, results, message: refused.exec(message)[0] };
      return { good: false, results, problem: `no message like ${refused}: ${JSON.stringify(results)}` };
    }
    if (bad.length === 0) return { good: true, results };
    return { good: false, results, problem: bad.map((part) => `${part}: ${results[part]}`).join('\n') };
  } catch (error) {
    const message = refused?.exec(`${error.message}\n${error.printed ?? ''}`)?.[0];
    if (message) return { good: true, message };
    return { good: false, problem: String(error.stack ?? error) };
  }
}
