// The table of what `createFetch` does about each failure on each host, as a run found it last. It stands in
// docs/hosts.md, and nowhere else: `cargo xtask hosts --docs` writes it, any other run compares.

import { documents, wholeTableIn } from '../../package/lib/readers.mjs';

const HEADING = 'failure';
const NOT_RUN = '–';

/** Host → failure → what a run found. @type {Record<string, Record<string, string>>} */
const known = {};
const [[, ...columns], , ...rows] = wholeTableIn(documents.get('docs/hosts.md'), HEADING);
for (const [i, host] of columns.entries())
  known[host] = Object.fromEntries(
    rows.map(([what, ...cells]) => [what, cells[i]]).filter(([, cell]) => cell !== NOT_RUN),
  );

/** Returns a line for each cell that a run found otherwise than the last one, or keeps what it found for the page. */
export function differences(host, cells) {
  const before = known[host];
  if (process.env.REJITTER_WRITE_CELLS) {
    known[host] = cells;
    return [];
  }
  // On a busy machine the end of a body may arrive with its beginning: then a host notices more.
  const isAsKnown = (there, cell) => there === cell || (there === 'succeeds' && cell === 'true');
  // A failure that was not made any more is a difference, too.
  return Object.keys({ ...before, ...cells })
    .filter((what) => !isAsKnown(before?.[what], cells[what]))
    .map((what) => `${what}: ${cells[what]}, but docs/hosts.md says ${before?.[what]}`);
}

/** The table: a line for each failure, a column for each host. @param {string[]} hosts */
export function tableOfCells(hosts) {
  const failures = [...new Set(hosts.flatMap((host) => Object.keys(known[host] ?? {})))];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line([HEADING, ...hosts]),
    `|${'---|'.repeat(hosts.length + 1)}`,
    ...failures.map((what) => line([what, ...hosts.map((host) => known[host]?.[what] ?? NOT_RUN)])),
  ].join('\n');
}
