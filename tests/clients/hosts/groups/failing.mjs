// Makes failures of fetch for real on a host, at servers of this process. The four that decide about an error agree
// about each, and the servers count the requests.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { serveFailures } from '../../../package/engine/failures/servers.mjs';
import { AUTHORITY } from '../../../package/engine/failures/worlds.mjs';
import { differences } from '../cells.mjs';
import { printedBy } from '../row.mjs';
import { MARK } from '../suite.mjs';

const TESTS = new URL('../../../', import.meta.url);
const SHARED = ['package/engine/failures/fetches.mjs', 'package/engine/failures/rows.mjs', 'vectors/failures.json'];
const shared = () =>
  Object.fromEntries(SHARED.map((path) => [basename(path), readFileSync(new URL(path, TESTS), 'utf8')]));

/** The module that makes all failures on a host. The rows of failures.json need no server. */
const suiteOf = (failures, url, { mute, hides, unasked }) => `
import { isProgrammingError, isTransientError } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import { createFetch as light } from 'rejitter/light/fetch';
import { compare } from './fetches.mjs';
import { misjudged } from './rows.mjs';
const failures = ${JSON.stringify(failures)};
// A POST, which nobody answers from memory.
const ask = async (what) => (await fetch('${url}/?what=' + encodeURIComponent(what), { method: 'POST' })).json();
const mute = ${JSON.stringify(mute)};
const isMute = ({ what, is }) => (${hides} && is === 'stays') || mute.includes(what);
export async function suite(world) {
  const deciders = { createFetch, light, isTransientError, isProgrammingError };
  const found = await compare(deciders, {
    failures: failures.filter((failure) => failure.world === world),
    // Without rights it asks nobody, and nobody gets a request.
    take: world === 'no-rights' ? () => 0 : ask,
    isMute,
    unasked: ${JSON.stringify(unasked)},
  });
  const { real, made } = ${JSON.stringify(JSON.parse(shared()['failures.json']))};
  return { ...found, wrong: [...found.wrong, ...(await misjudged(deciders, [...real, ...made]))] };
}
`;

/**
 * A host, which has a column of the table.
 * @param {string} host
 * @param {{ mute?: string[], hides?: boolean, unasked?: string[], only?: string[], files?: object, build?: string,
 *   browser?: string,
 *   daily?: boolean, results: (folder: any, environment: any) => Promise<any[]> }} options
 *   failures that it does not tell apart from others, whether it tells of none why it failed, the deciders that know
 *   nothing of its errors, and the failures to make;
 *   what it found in each of its worlds
 */
export const failing = (
  host,
  { mute = [], hides = false, unasked = [], only, files = {}, build, results, ...more },
) => ({
  name: `${host}, failures`,
  parts: 'c',
  column: host,
  ...more,
  async run(folder) {
    const { url, failures, environment, close } = await serveFailures();
    folder.closing(close);
    const wanted = failures.filter(({ what }) => !only || only.includes(what));
    folder.write({ ...shared(), 'suite.mjs': suiteOf(wanted, url, { mute, hides, unasked }), ...files });
    for (const line of [build ?? []].flat()) await folder.exec(line);
    const found = await results(folder, environment);
    if (process.env.SHOW) console.log(found.flatMap(({ said }) => said).join('\n'));
    const cells = Object.assign({}, ...found.map((each) => each.cells));
    return { c: [...found.flatMap(({ wrong }) => wrong), ...differences(host, cells)].join('\n') || 'ok' };
  },
});

/** Prints what the suite found in a world. */
export const PRINTS = `import process from 'node:process';
const { suite } = await import('./suite.mjs');
console.log('${MARK}' + JSON.stringify(await suite(process.argv[2])));
process.exit();
`;

/** A host that has one world. */
export const inOneWorld = ({ results, ...host }) => ({ ...host, results: async (folder) => [await results(folder)] });

/** What a program found that has one world. */
export const once = (line) => inOneWorld({ results: printedBy(line) }).results;

/**
 * A program.
 * @param {string} host @param {string} line @param {Record<string, string>} [worlds] the lines in further worlds
 */
export const program = (host, line, { worlds = {}, ...more } = {}) =>
  failing(host, {
    files: { 'main.mjs': PRINTS, 'authority.pem': AUTHORITY },
    async results(folder, environment) {
      const found = [await printedBy(line)(folder)];
      for (const [world, own] of Object.entries(worlds))
        found.push(await printedBy(`${own} ${world}`, environment(world, folder.path('authority.pem')))(folder));
      return found;
    },
    ...more,
  });
