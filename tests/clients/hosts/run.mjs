// Installs the packed package in one host after the other, as a user would, and runs the same suite in each.
//
//   cargo xtask hosts [--only NAME]... [--keep] [--docs]

import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import { closedOrigin } from '../../package/lib/fetching.mjs';
import { closeBrowsers } from './browser.mjs';
import { Folder } from './folder.mjs';
import { GROUPS } from './groups/all.mjs';
import { nodes } from './groups/programs.mjs';
import { startOrigin } from './origin.mjs';
import { document } from './report.mjs';
import { problemOf } from './row.mjs';

const flag = { type: 'boolean' };
const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, keep: flag, docs: flag } });

const wanted = (name) => !values.only || values.only.some((word) => name.toLowerCase().includes(word.toLowerCase()));
const chosen = GROUPS.map((group) => ({ ...group, rows: group.rows.filter(({ name }) => wanted(name)) })).filter(
  ({ rows }) => rows.length > 0,
);
// What failures do is written down; all else that the page says is the table of hosts itself.
if (values.docs) process.env.REJITTER_WRITE_CELLS = '1';
if (chosen.length === 0) throw new Error(`no host is called ${values.only?.join(', ')}`);

const out = join(process.env.REJITTER_TARGET_DIR, 'hosts');
mkdirSync(out, { recursive: true });
const server = await startOrigin();
const closed = await closedOrigin();
const node = nodes(out);
// The tools run on the newest Node with long-term support.
process.env.PATH = `${dirname(await node(24))}${delimiter}${process.env.PATH}`;
let [passed, failed] = [0, 0];
for (const { name, packages = {}, install, rows } of chosen) {
  const dir = join(out, name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
  const folder = new Folder({ dir, tarball: process.env.REJITTER_TARBALL, origin: server.url, closed, node });
  let broken;
  try {
    await (install?.(folder) ?? folder.install(packages));
  } catch (error) {
    broken = error.message;
  }
  for (const row of rows) {
    const problem = broken ?? (await problemOf(row, folder));
    if (problem) failed += 1;
    else passed += 1;
    console.log(`  ${problem ? 'FAILED' : 'ok    '} ${row.name}`);
    if (problem) console.log(problem.replaceAll(/^/gm, '    | '));
  }
  if (!values.keep) folder.remove();
}
server.close();
await closeBrowsers();

console.log(`${passed} passed, ${failed} failed`);
if (values.docs && failed === 0) writeFileSync(new URL('../../../docs/hosts.md', import.meta.url), document(GROUPS));
process.exitCode = failed === 0 ? 0 : 1;
