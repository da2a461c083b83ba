// The effect of protection on calls and on the server: worlds on virtual time, each with ten seeds, as medians. Writes
// the tables of docs/reference/worlds.md: the same numbers on every machine.

import { inNode } from '../lib/child.mjs';
import { versions } from '../lib/machine.mjs';
import { median } from '../lib/stats.mjs';
import { markdownTable, named, writeTables } from '../report/table.mjs';
import { misses } from '../worlds/shown.mjs';
import { TABLES } from '../worlds/tables.mjs';

const SEEDS = 10;
/** One per core. */
const PROCESSES = 2;

/** The tables, with a row for each number that a world shows. */
const SHOWN = TABLES.map(({ worlds, ...table }) => ({
  ...table,
  rows: worlds.flatMap((world) =>
    world.shows.map((row) => ({ ...row, title: row.title ?? world.title, world: world.title })),
  ),
}));

export async function run({ node, choice: { quick, docs, seed }, say }) {
  const seeds = Array.from({ length: quick ? 1 : SEEDS }, (_, i) => seed + i);
  say(`${TABLES.flatMap(({ worlds }) => worlds).length} worlds, ${seeds.length} seeds each`);
  const shares = Array.from({ length: PROCESSES }, (_, i) => seeds.filter((_, k) => k % PROCESSES === i));
  /** by seed, table and row */
  const played = (await Promise.all(shares.map((part) => inNode(node, import.meta.url, 'measure', part)))).flat();
  const tables = SHOWN.map(({ name, contenders, rows }, t) => {
    const numbers = (r) =>
      Object.fromEntries(contenders.map((each) => [each, medianOf(played.map((shown) => shown[t][r][each]))]));
    return { name, contenders, rows: rows.map((row, r) => ({ ...row, numbers: numbers(r) })) };
  });
  const written = tables.map((table) => tableOf(table, versions()));
  if (docs) writeTables('reference/worlds.md', written);
  else console.log(written.join('\n\n'));
  const misses = missed(tables);
  if (misses.length > 0) throw new Error(`aims are missed:\n${misses.join('\n')}`);
  return tables;
}

export async function measure(seeds) {
  const { CONTENDERS } = await import('../worlds/contenders.mjs');
  const { play } = await import('../worlds/play.mjs');
  const shown = [];
  for (const seed of seeds) {
    const start = performance.now();
    const tables = [];
    for (const { contenders, worlds } of TABLES) {
      const rows = [];
      for (const world of worlds) {
        const numbers = world.shows.map(() => ({}));
        rows.push(...numbers);
        for (const name of contenders) {
          const played = await play(world, CONTENDERS[name], seed);
          for (const [i, { of }] of world.shows.entries()) if (played) numbers[i][name] = of(played);
        }
      }
      tables.push(rows);
    }
    shown.push(tables);
    console.log(`        seed ${seed}: ${Math.round((performance.now() - start) / 1000)} s`);
  }
  return shown;
}

/** Of contenders that cannot play a world, there is none. */
function medianOf(values) {
  const known = values.filter((value) => typeof value === 'number');
  return known.length === 0 ? undefined : median(known);
}

const cell = (value, digits = 0) =>
  value?.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }) ?? '–';

export function tableOf({ name, contenders, rows }, versions) {
  const withVersions = (each) =>
    each
      .split(', ')
      .map((part) => named(part, versions))
      .join(', ');
  const head = [name, ...contenders.map(withVersions)];
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
