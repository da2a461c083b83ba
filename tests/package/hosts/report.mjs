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

const sentences = (text) => text.split(/(?<=\.) (?=[A-Z])/);
const isLong = (text) => sentences(text).length > 2;

/** The whole document: hosts in a line per group, then those of which there is more to say. */
export function document(groups, results) {
  const lines = groups.map(({ name, versions = '', rows }) => {
    const names = (kept) =>
      rows
        .filter(kept)
        .map((row) => row.name)
        .join('; ') || '–';
    const all = names((row) => plain(row, results[row.name]));
    return `| ${name} | ${escaped(isLong(versions) ? sentences(versions)[0] : versions)} | ${all} | ${names((row) => !plain(row, results[row.name]))} |`;
  });
  const remarks = groups
    .flatMap(({ rows }) => rows)
    .filter((row) => !plain(row, results[row.name]))
    .map((row) => {
      const result = results[row.name];
      const said = result.message ? `\`${escaped(result.message)}\`` : '';
      return `| ${row.name} | ${cells(result).join('')} | ${[row.remark ?? '', said].filter(Boolean).join(' ')} |`;
    });
  const further = groups
    .filter(({ versions = '' }) => isLong(versions))
    .map(({ name, versions }) => `${wrapped(`**${name}.** ${sentences(versions).slice(1).join(' ')}`, 120)}\n\n`);
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
