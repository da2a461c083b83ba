// The table of hosts, for the terminal and for docs/hosts.md.

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

/** @param {[string, object][]} rows */
export const table = (rows) => rows.map(([name, result]) => `  ${line(name, result)}\n`).join('');

const escaped = (text) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');

/** The whole document. */
export function document(groups, results) {
  const sections = groups.map(({ name, versions = '', rows }) => {
    const lines = rows.map((row) => {
      const result = results[row.name];
      const said = result.message ? `\`${escaped(result.message)}\`` : '';
      const remark = [row.remark ?? '', said].filter(Boolean).join(' ');
      return `| ${row.name} | ${cells(result).join(' | ')} | ${remark} |`;
    });
    const head = `| host | ${LETTERS.join(' | ')} | remarks |\n|---|${LETTERS.map(() => '---|').join('')}---|`;
    return `## ${name}\n\n${versions ? `${versions}\n\n` : ''}${head}\n${lines.join('\n')}\n`;
  });
  return `# Hosts

Each row is a run of the packed package, installed as a user installs it. \`cargo xtask hosts --docs\` writes this file.

${LETTERS.map((part) => `- **${part}**: ${PARTS[part]}`).join('\n')}

● works, ○ is built and not run here, ✗ does not work (the remark has the tool's own message), – is not part of the run.

${sections.join('\n')}`;
}
