// `cargo xtask site`: the demo page and the documentation as static files, for any web server and under any path.

import { resolve } from 'node:path';

import { command, run, sh } from '../run/command.mjs';
import { fromRoot, inRoot, inTarget } from '../run/places.mjs';
import { setUp } from '../run/run.mjs';
import { IN_PAGE, buildPage } from './demo.mjs';
import { NPM_OF_SITE } from './setup.mjs';

const folder = inRoot('xtask/site');

/** Builds the documentation. Links between its sources are checked. */
export const buildDocs = (out, ...more) =>
  command([`${folder}/node_modules/.bin/typedoc`, '--out', out, ...more], {
    dir: folder,
    remedy: "see TypeDoc's message: a warning, such as a link that leads nowhere, is an error",
  });

/** Checks the links of the documentation as it was built. */
export const checkLinks = (out) =>
  command(sh`node links.mjs ${out}`, { dir: folder, remedy: 'correct the links above' });

/**
 * @param {{ out?: string }} options
 * @param {import('../run/run.mjs').Step[]} all
 */
export async function site({ out }, all) {
  await setUp(all, [IN_PAGE, NPM_OF_SITE]);
  // A folder of the caller's is not emptied before. Vite counts from its own.
  const to = out === undefined ? inTarget('site') : resolve(out);
  const empty = out === undefined ? ['--emptyOutDir'] : [];
  console.log();
  await run({ ...buildPage('--', ...empty, '--outDir', to), env: { REJITTER_DOCS: './docs/' } });
  console.log();
  await run(buildDocs(`${to}/docs`, ...(out === undefined ? [] : ['--cleanOutputDir', 'false'])));
  await run(checkLinks(`${to}/docs`));
  console.log(`\nThe page is in ${fromRoot(to)}`);
  console.log('Its addresses are relative: serve the folder under any path.');
}
