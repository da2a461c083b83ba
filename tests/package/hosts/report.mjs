// The table of hosts, for the terminal and for docs/hosts.md.

import { wrapped } from '../../../xtask/bench/report/table.mjs';
import { BUILT, PARTS } from './suite.mjs';

const LETTERS = Object.keys(PARTS);

const cells = ({ parts = LETTERS.join(''), results, message }) =>
  LETTERS.map((part) => {
    if (!parts.includes(part)) return '–';
    if (results?.[part] === 'ok') return '●';
    if (results?.[part] === BUILT) return '○';
    return results?.[part] || message ? '✗' : '?';
  });

/** One row for the terminal. */
export const line = (name, result) =>
  `${result.good ? 'ok    ' : 'FAILED'} ${name.padEnd(52)} ` +
  `${cells(result).join(' ')}${result.message ? `  ${result.message}` : ''}`;

const escaped = (text) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');

/** Whether a host does all that there is, with nothing to remark. */
const plain = ({ remark }, result) => remark === undefined && cells(result).every((cell) => cell === '●');

/** The whole document: hosts in a line per group, then those of which there is more to say. */
export function document(groups, results) {
  const isPlain = (row) => plain(row, results[row.name]);
  const lines = groups.map(({ name, versions = '', rows }) => {
    const names = (kept) => Array.from(rows.filter(kept), (row) => row.name).join('; ') || '–';
    return `| ${name} | ${escaped(versions)} | ${names(isPlain)} | ${names((row) => !isPlain(row))} |`;
  });
  const remarks = groups.flatMap(({ rows }) =>
    rows
      .filter((row) => !isPlain(row))
      .map(({ name, remark }) => {
        const said = results[name].message && `\`${escaped(results[name].message)}\``;
        return `| ${name} | ${cells(results[name]).join('')} | ${[remark, said].filter(Boolean).join(' ')} |`;
      }),
  );
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

● works, ○ is built and not run here, ✗ fails (the remark is the tool's message), – is not part of the run.

${further.join('')}| host | ${LETTERS.join('')} | remarks |
|---|---|---|
${remarks.join('\n')}
`;
}
