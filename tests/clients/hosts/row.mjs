// How one host is run and what its results mean.

import { DEPENDENCY, PARTS, PRINT, resultsIn } from './suite.mjs';

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {(folder: import('./folder.mjs').Folder) => Promise<Record<string, string>>} run resolves with the results
 *   of the parts, by their letters
 * @property {string} [browser] that runs it
 * @property {string} [parts] of the suite, all by default
 * @property {Record<string, string>} [expected] what else the results must say, such as whether the host compiles wasm
 * @property {boolean} [built] a tool puts the parts into a file, which is not run here
 * @property {RegExp} [rejected] matches the message of the tool, if the host cannot run the package
 * @property {boolean} [daily] false: not in the daily run, though its group is
 * @property {string} [column] of the table of failures, which the row is
 * @property {string} [recipe] of the documents, which it runs
 * @property {string} [remark] for the reader of the table
 */

/** The packages of a group, for the reader. @param {Record<string, string>} packages */
export const versionsOf = (packages) =>
  Array.from(Object.entries(packages), ([name, version]) => `${name} ${version}`).join(', ');

/** For rows with a dependency that requires what the app imports, and shares its instance. */
export const ONE_INSTANCE = { dependency: true, expected: { instances: 'one' } };

/** A project with the suite as `suite.mjs`, its files, and the commands that build it. */
export const row = (name, { files = {}, build = [], env, results, ...more }) => ({
  name,
  ...more,
  async run(folder) {
    const own = typeof files === 'function' ? files(folder) : files;
    folder.write({ 'suite.mjs': folder.suite(more), ...(more.dependency && DEPENDENCY), ...own });
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

/** Runs a host. Returns what it does otherwise than its row says. @param {Row} row */
export async function problemOf({ run, parts = Object.keys(PARTS).join(''), expected = {}, built, rejected }, folder) {
  try {
    const results = await run(folder);
    if (rejected) return `no message like ${rejected}`;
    const wrong = [...(built ? '' : parts)].filter((part) => results[part] !== 'ok');
    wrong.push(...Object.keys(expected).filter((name) => String(results[name]) !== expected[name]));
    return wrong.map((name) => `${name}: ${results[name]}`).join('\n');
  } catch (error) {
    return rejected?.test(error.message) ? '' : String(error.stack);
  } finally {
    await folder?.stop();
  }
}
