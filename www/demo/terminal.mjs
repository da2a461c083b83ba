/** Colour and tables for a terminal. Colour only where it is read: on a TTY, without NO_COLOR. */
import process from 'node:process';

const coloured = process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

/** @param {number} on @param {number} off */
function sgr(on, off) {
  return (/** @type {string} */ text) => (coloured ? `\x1b[${on}m${text}\x1b[${off}m` : text);
}

export const paint = { bold: sgr(1, 22), dim: sgr(2, 22), red: sgr(31, 39), green: sgr(32, 39) };

/** @param {string} text */
function width(text) {
  return text.replace(/\x1b\[\d+m/g, '').length;
}

/**
 * Rows under titles, in columns as wide as their widest cell.
 * @param {{ title: string, right?: boolean }[]} columns
 * @param {string[][]} rows
 */
export function table(columns, rows) {
  const header = columns.map(({ title }) => paint.dim(title));
  const widths = columns.map((_, c) => Math.max(...[header, ...rows].map((row) => width(row[c] ?? ''))));
  const line = (/** @type {string[]} */ cells) =>
    cells
      .map((cell, c) => {
        const space = ' '.repeat(/** @type {number} */ (widths[c]) - width(cell));
        return columns[c]?.right ? space + cell : cell + space;
      })
      .join('  ')
      .trimEnd();
  return `${[header, ...rows].map(line).join('\n')}\n`;
}
