// The tables of the page of the worlds.

import { misses } from '../worlds/shown.mjs';
import { markdownTable, named } from './table.mjs';

/**
 * @typedef {object} Row
 * @property {string} title
 * @property {string} [world] its title
 * @property {number} [digits] after the point
 * @property {import('../worlds/shown.mjs').Aim[]} aims
 * @property {Record<string, number | undefined>} numbers by contender
 *
 * @typedef {{ name: string, contenders: string[], rows: Row[] }} Table
 */

const cell = (value, digits = 0) =>
  value?.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }) ?? '–';

export function tableOf({ name, contenders, rows }, versions) {
  const head = [name, ...contenders.map((each) => named(each, versions))];
  const lines = rows.map(({ title, digits, numbers }) => [
    title,
    ...contenders.map((each) => cell(numbers[each], digits)),
  ]);
  // Steps of 10% show the curve. A row of hundreds shows nothing, unless more is said of it.
  const shown = lines.filter(
    ([title, ...cells], i) =>
      !/^\d*5%$/.test(title) &&
      (!cells.every((text) => text === '100' || text === '–') || lines[i + 1]?.[0].startsWith('…')),
  );
  return markdownTable([head, ...shown]);
}

/** What misses its aim, a line each. */
export const missed = (tables) =>
  tables.flatMap(({ name: table, rows }) =>
    rows.flatMap(({ title, world = title, digits = 1, aims, numbers }) =>
      aims
        .filter((aim) => misses(aim, numbers))
        .map((aim) => {
          const { name, than, words } = aim;
          const other = than === undefined ? '' : ` (${cell(numbers[than], digits)})`;
          const row = world === title ? title : `${world} ${title}`;
          return `${table}, ${row}: ${name} ${cell(numbers[name], digits)}, aim ${words}${other}`;
        }),
    ),
  );
