// Numbers and tables as Markdown.

import { readFileSync, writeFileSync } from 'node:fs';

/** Three digits that count, without exponent: 0.0123, 1.23, 12.3, 123, 12,300. */
export function digits(value) {
  if (!Number.isFinite(value)) return '—';
  if (value === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < 3) return value.toFixed(2 - size);
  const step = 10 ** (size - 2);
  return whole(Math.round(value / step) * step);
}

/** With a comma between thousands. */
export const whole = (value) => Math.round(value).toLocaleString('en-US');

/** A median and its quartiles. */
export const withSpread = (spread) =>
  spread === undefined ? '—' : `${digits(spread.median)} (${digits(spread.q1)}–${digits(spread.q3)})`;

/** @param {string[][]} rows the first is the heading */
export function markdownTable(rows, alignment = '---:|') {
  const line = (row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const [head, ...body] = rows;
  return [line(head), `|---|${alignment.repeat(head.length - 1)}`, ...body.map(line)].join('\n');
}

/**
 * Writes tables into a document, each in the place of the one whose first cell is the same.
 * @param {string} name of the document
 */
export function writeTables(name, tables) {
  const file = new URL(`../../../docs/${name}`, import.meta.url);
  writeFileSync(file, tables.reduce(placed, readFileSync(file, 'utf8')));
}

function placed(text, table) {
  const start = text.indexOf(`\n${table.split(' |', 1)[0]} |`) + 1;
  if (start === 0) throw new Error(`no table is like ${table.split('\n', 1)[0]}`);
  return (
    text.slice(0, start) +
    table +
    text
      .slice(start)
      .replace(/^(?:\|.*(?:\n|$))+/, '\n')
      .replace(/^\n{2,}/, '\n\n')
  );
}

/** The name of a package with its version. */
export const named = (name, versions) => (versions[name] ? `${name} ${versions[name]}` : name);

/** A paragraph in lines of at most so many characters, if its words allow. */
export const wrapped = (text, width = 110) =>
  text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n')
    .trimEnd();
