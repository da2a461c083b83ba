/** The numbers of a figure: as a table on the page, and as a CSV file. */
import { html } from './dom';
import { count, duration, share } from './format';

/** Meaning of a number, and so its format. */
export type Unit = 'ms' | 'share' | 'count' | 'number';

export interface Column {
  readonly name: string;
  readonly unit?: Unit;
}
export type Cell = number | string | undefined;

export interface Table {
  /** Title of the numbers, with their seed. */
  readonly caption: string;
  /** The first one heads the rows. */
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Values to worry about: shown in colour and bold. */
  readonly isBad?: (row: number, column: number) => boolean;
}

const WRITTEN: Record<Unit, (value: number) => string> = {
  ms: duration,
  share,
  count: (value) => count(Math.round(10 * value) / 10),
  number: (value) => String(Number(value.toPrecision(4))),
};
const UNIT_NAMES: Record<Unit, string> = { ms: ' (ms)', share: ' (0 to 1)', count: '', number: '' };

/** `data-value` holds each number unrounded. */
export function tableElement({ caption, columns, rows, isBad }: Table): HTMLTableElement {
  const head = html('tr', {}, ...columns.map(({ name }) => html('th', { scope: 'col' }, name)));
  const body = html('tbody');
  for (const [r, cells] of rows.entries()) {
    const row = html('tr');
    for (const [c, cell] of cells.entries()) {
      const text = written(cell, columns[c]?.unit);
      if (c === 0) row.append(html('th', { scope: 'row' }, text));
      else row.append(html('td', { 'data-value': cell, class: isBad?.(r, c) ? 'bad' : undefined }, text));
    }
    body.append(row);
  }
  return html('table', {}, html('caption', {}, caption), html('thead', {}, head), body);
}

function written(cell: Cell, unit: Unit | undefined): string {
  if (cell === undefined) return '–';
  return typeof cell === 'number' && unit ? WRITTEN[unit](cell) : String(cell);
}

/** RFC 4180, with the units in the head. Words are quoted, so that a spreadsheet splits none of them. */
export function csv({ columns, rows }: Table): string {
  const lines = [columns.map(({ name, unit }) => name + (unit ? UNIT_NAMES[unit] : '')), ...rows];
  return lines.map((cells) => cells.map(field).join(',')).join('\r\n') + '\r\n';
}

function field(cell: Cell): string {
  if (cell === undefined) return '';
  return typeof cell === 'number' ? String(rounded(cell)) : `"${cell.replaceAll('\u00a0', ' ').replaceAll('"', '""')}"`;
}

/** Three decimals, or six significant digits below one: without the noise of binary fractions. */
function rounded(value: number): number {
  return Math.abs(value) < 1 ? Number(value.toPrecision(6)) : Math.round(1000 * value) / 1000;
}
