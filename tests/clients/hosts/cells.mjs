// The table of what `createFetch` does about each failure on each host, as a run found it last: `cargo xtask hosts
// --docs` writes it, any other run compares.

import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('cells.json', import.meta.url);

/** Host → failure → what a run found. @returns {Record<string, Record<string, string>>} */
const readCells = () => JSON.parse(readFileSync(FILE, 'utf8'));

/** Returns a line for each cell that a run found otherwise than the last one, or writes what it found. */
export function differences(host, cells) {
  const known = readCells();
  if (process.env.REJITTER_WRITE_CELLS) {
    writeFileSync(FILE, `${JSON.stringify({ ...known, [host]: cells }, null, 1)}\n`);
    return [];
  }
  // On a busy machine the end of a body may arrive with its beginning: then a host notices more.
  const isAsKnown = (before, cell) => before === cell || (before === 'succeeds' && cell === 'true');
  // A failure that was not made any more is a difference, too.
  return Object.keys({ ...known[host], ...cells })
    .filter((what) => !isAsKnown(known[host]?.[what], cells[what]))
    .map((what) => `${what}: ${cells[what]}, but docs/hosts.md says ${known[host]?.[what]}`);
}

/** The table: a line for each failure, a column for each host. @param {string[]} hosts */
export function tableOfCells(hosts) {
  const known = readCells();
  const failures = [...new Set(hosts.flatMap((host) => Object.keys(known[host] ?? {})))];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...hosts]),
    `|${'---|'.repeat(hosts.length + 1)}`,
    ...failures.map((what) => line([what, ...hosts.map((host) => known[host]?.[what] ?? '–')])),
  ].join('\n');
}
