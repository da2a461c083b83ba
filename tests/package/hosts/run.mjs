// Installs the packed package in one host after the other, as a user would, and runs the same suite in each.
//
//   cargo xtask hosts [--only NAME]... [--keep] [--docs]

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import { closedOrigin } from '../lib/fetching.mjs';
import { closeBrowsers } from './browser.mjs';
import { Folder } from './folder.mjs';
import { GROUPS } from './groups/all.mjs';
import { nodes } from './groups/nodes.mjs';
import { startOrigin } from './origin.mjs';
import { document, line, table } from './report.mjs';
import { outcomeOf } from './row.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    keep: { type: 'boolean' },
    docs: { type: 'boolean' },
  },
});

const wanted = (name) => !values.only || values.only.some((word) => name.toLowerCase().includes(word.toLowerCase()));
const chosen = GROUPS.map((group) => ({ ...group, rows: group.rows.filter(({ name }) => wanted(name)) })).filter(
  ({ rows }) => rows.length > 0,
);
if (chosen.length === 0) throw new Error(`no host is called ${values.only?.join(', ')}`);

const out = join(process.env.REJITTER_TARGET_DIR, 'hosts');
mkdirSync(out, { recursive: true });
const tarball = process.env.REJITTER_TARBALL;
const hash = createHash('sha256').update(readFileSync(tarball)).digest('hex').slice(0, 16);

/** The rows by name, of this tarball: a run of some hosts keeps what is known of the others. */
const file = join(out, 'results.json');
const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const results = known.hash === hash ? known.results : {};

const server = await startOrigin();
const closed = await closedOrigin();
const node = nodes(out);
// The tools run on the newest Node with long-term support.
process.env.PATH = `${dirname(await node(24))}${delimiter}${process.env.PATH}`;
const total = chosen.reduce((sum, { rows }) => sum + rows.length, 0);
let number = 0;
let failed = 0;
for (const { name, packages = {}, install, rows } of chosen) {
  const dir = join(out, name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
  const folder = new Folder({ dir, tarball, origin: server.url, closed, node });
  let broken;
  try {
    if (install) await install(folder);
    else await folder.install(packages);
  } catch (error) {
    broken = error;
  }
  for (const row of rows) {
    number += 1;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K  … ${number} of ${total}: ${row.name}` : '');
    const started = performance.now();
    const outcome = broken ? { good: false, problem: broken.message } : await outcomeOf(row, folder);
    await folder.stop();
    const seconds = (performance.now() - started) / 1000;
    results[row.name] = { parts: row.parts, ...outcome };
    if (!outcome.good) failed += 1;
    process.stderr.write(process.stderr.isTTY ? '\r\x1b[2K' : '');
    console.log(`  ${line(row.name, results[row.name])}  ${number} of ${total}, ${seconds.toFixed(1)} s`);
    if (outcome.problem) console.log(outcome.problem.replaceAll(/^/gm, '    | '));
    writeFileSync(file, JSON.stringify({ hash, results }, null, 2));
  }
  if (!values.keep) folder.remove();
}
server.close();
await closeBrowsers();

const names = GROUPS.flatMap(({ rows }) => rows.map(({ name }) => name));
const all = names.filter((name) => name in results).map((name) => [name, results[name]]);
console.log(`\n${table(all.filter(([name]) => wanted(name)))}`);
console.log(`${total - failed} passed, ${failed} failed`);
if (values.docs) {
  const missing = names.filter((name) => !(name in results));
  if (missing.length > 0) throw new Error(`no result of this package yet: ${missing.join(', ')}`);
  writeFileSync(new URL('../../../docs/hosts.md', import.meta.url), document(GROUPS, results));
}
process.exitCode = failed === 0 ? 0 : 1;
