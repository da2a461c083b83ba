// The table of hosts, for docs/hosts.md.

import { wrapped } from '../../../xtask/bench/report/table.mjs';
import { versionsOf } from './row.mjs';
import { tableOfCells } from './cells.mjs';
import { PARTS } from './suite.mjs';

const LETTERS = Object.keys(PARTS);

const cellsOf = ({ parts = LETTERS.join(''), built, rejected }) =>
  LETTERS.map((part) => (parts.includes(part) ? (rejected ? '✗' : built ? '○' : '●') : '–')).join('');

/** Whether a host does all that there is, with nothing to remark. */
const isPlain = (row) => row.remark === undefined && !/[^●]/.test(cellsOf(row));

const FAILURES = wrapped(
  'Each failure is made for real. A number says how many requests the server counted of one call of `createFetch` ' +
    'with `maxAttempts: 3`: where it is 3, or a multiple, the call was retried. In parentheses are attempts, where no ' +
    'server counts. Of bodies, which break off after `createFetch` has resolved, the table says what ' +
    '`isTransientError` returns; `succeeds`: the host finds no fault. `rejitter/light/fetch` retries the same, and ' +
    'what stays as well if the host rejects with the words of a lost connection. A POST without a key was sent once by ' +
    'rejitter in each row, but where the connection was provably never made. A proxy, HTTP/2 and missing rights are ' +
    'rows of the hosts that a process can be given them in; – is not part of the run.',
  120,
);
const NOT_RUN = wrapped(
  'Not run, because it would flood its server: a proxy that hangs up on `CONNECT`. `fetch` of Node 22 and 24 asks it ' +
    'again without end, thousands of times in some seconds, until a signal ends it: set `attemptTimeoutMs` or ' +
    '`totalTimeoutMs` there. That of Node 26 and of Deno rejects, and is retried.',
  120,
);

/** The whole document: hosts in a line per group, then those of which there is more to say. */
export function document(groups) {
  const lines = groups.map(({ name, packages, versions = `${versionsOf(packages)}.`, rows }) => {
    const names = (kept) => Array.from(rows.filter(kept), (row) => row.name).join('; ') || '–';
    return `| ${name} | ${versions} | ${names(isPlain)} | ${names((row) => !isPlain(row))} |`;
  });
  const noted = groups.flatMap(({ rows }) => rows.filter((row) => !isPlain(row) && !row.column));
  const remarks = noted.map((row) => `| ${row.name} | ${cellsOf(row)} | ${row.remark} |`);
  const further = groups
    .filter((group) => group.further)
    .map((group) => `${wrapped(`**${group.name}.** ${group.further}`, 120)}\n\n`);
  return `# Hosts

Each name is a run of the packed package, as users install it. \`cargo xtask hosts --docs\` writes this page.

${LETTERS.map((part) => `- **${part}**: ${PARTS[part]}`).join('\n')}

| | with | all of a to ${LETTERS.at(-1)} work | see below |
|---|---|---|---|
${lines.join('\n')}

## Remarks

● works, ○ is built and not run here, ✗ fails, with the tool's message, – is not part of the run.

${further.join('')}| host | ${LETTERS.join('')} | remarks |
|---|---|---|
${remarks.join('\n')}

## Failures of fetch

${FAILURES}

${tableOfCells(groups.flatMap(({ rows }) => rows).flatMap(({ column = [] }) => column))}

${NOT_RUN}
`;
}
