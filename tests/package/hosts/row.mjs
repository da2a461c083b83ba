// How one host is run and what its results mean.

import { BUILT, PARTS, PRINT, resultsIn } from './suite.mjs';

/** @typedef {import('./folder.mjs').Folder} Folder */
/** @typedef {Record<string, string>} Results of the parts, by their letters */

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {(folder: Folder) => Promise<Results>} run
 * @property {string} [browser] that runs it
 * @property {string} [parts] of the suite, all by default
 * @property {Results} [expected] what else the results must say, such as whether the host compiles WebAssembly
 * @property {RegExp} [rejected] matches the message of the tool, if the host cannot run the package
 * @property {boolean} [daily] false: not in the daily run, though its group is
 * @property {string} [remark] for the reader of the table
 *
 * @typedef {object} Outcome
 * @property {boolean} good whether the host did what the table expects of it
 * @property {Results} [results]
 * @property {string} [message] of the tool that rejected it
 * @property {string} [problem]
 */

/** A project with the suite as `suite.mjs`, its files, and the commands that build it. */
export const row = (name, { files = {}, build = [], env, results, ...more }) => ({
  name,
  ...more,
  async run(folder) {
    const own = typeof files === 'function' ? files(folder) : files;
    folder.write({ 'suite.mjs': folder.suite(more), ...own });
    for (const line of [build].flat()) await folder.exec(line, env);
    return results(folder);
  },
});

/** The results that a command prints. */
export const printedBy = (line, env) => async (folder) => resultsIn(await folder.exec(line, env));

/** The results that a server answers with. */
export const answeredBy =
  (server, path = '') =>
  async (folder) =>
    (await fetch((await folder.serve(...server)) + path)).json();

/** The suite as a program, by the extension of its file. */
const PROGRAMS = {
  mjs: (suite) => suite(),
  cjs: (suite) => suite({ commonJs: true }),
  ts: (suite) => suite().replace('(part, run)', '(part: string, run: () => Promise<boolean>)'),
};

/**
 * A program that prints the results.
 * @param {string} line ends with the file, which is called `main`
 */
export function program(name, line, more = {}) {
  const [file, extension] = /main\.(\w+)$/.exec(line);
  return row(name, {
    ...more,
    files: (folder) => ({ [file]: PROGRAMS[extension]((form) => folder.suite({ ...more, ...form })) + PRINT }),
    results: printedBy(line, more.env),
  });
}

export async function outcomeOf({ run, parts = Object.keys(PARTS).join(''), rejected, expected = {} }, folder) {
  try {
    const results = await run(folder);
    const bad = [...parts].filter((part) => results[part] !== 'ok' && results[part] !== BUILT);
    if (rejected) {
      const message = [...bad.map((part) => results[part]), results.warning].find((text) => rejected.test(text));
      if (message) return { good: true, results, message: rejected.exec(message)[0] };
      return { good: false, results, problem: `no message like ${rejected}: ${JSON.stringify(results)}` };
    }
    bad.push(...Object.keys(expected).filter((name) => String(results[name]) !== expected[name]));
    if (bad.length === 0) return { good: true, results };
    return { good: false, results, problem: bad.map((part) => `${part}: ${results[part]}`).join('\n') };
  } catch (error) {
    const message = rejected?.exec(`${error.message}\n${error.printed ?? ''}`)?.[0];
    if (message) return { good: true, message };
    return { good: false, problem: String(error.stack ?? error) };
  } finally {
    await folder?.stop();
  }
}
