// @ts-check
// Numbers and tables as text and as Markdown.

/** @typedef {import('../lib/stats.mjs').Spread} Spread */

/**
 * Three digits that count, without exponent: 0.0123, 1.23, 12.3, 123, 12,300.
 * @param {number} value
 */
export function digits(value) {
  if (!Number.isFinite(value)) return '—';
  if (value === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < 3) return value.toFixed(2 - size);
  const step = 10 ** (size - 2);
  return whole(Math.round(value / step) * step);
}

/**
 * With a comma between thousands.
 * @param {number} value
 */
export const whole = (value) =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');

/**
 * A median and its quartiles.
 * @param {Spread | undefined} spread
 */
export const withSpread = (spread) =>
  spread === undefined ? '—' : `${digits(spread.median)} (${digits(spread.q1)}–${digits(spread.q3)})`;

/**
 * Columns in line; all but the first to the right.
 * @param {string[][]} rows the first is the heading
 */
export function textTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (/** @type {string[]} */ row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  const [head, ...body] = rows;
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)].join('\n');
}

/** @param {string[][]} rows the first is the heading */
export function markdownTable(rows) {
  const line = (/** @type {string[]} */ row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const [head, ...body] = rows;
  return [line(head), `|---|${'---:|'.repeat(head.length - 1)}`, ...body.map(line)].join('\n');
}

/**
 * A paragraph in lines of at most `width` characters, if its words allow.
 * @param {string} text
 */
export function wrapped(text, width = 110) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.length - 1;
    if (last >= 0 && lines[last].length + 1 + word.length <= width) lines[last] += ` ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}
