// The effect of protection on calls and on the server: worlds on virtual time, each with ten seeds, as medians. Writes
// the tables of docs/reference/worlds.md: the same numbers on every machine.

import { inNode } from '../lib/child.mjs';
import { versions } from '../lib/machine.mjs';
import { median } from '../lib/stats.mjs';
import { writeTables } from '../report/table.mjs';
import { missed, tableOf } from '../report/worlds.mjs';
import { TABLES } from '../worlds/tables.mjs';

const SEEDS = 10;
/** One per core. */
const PROCESSES = 2;

/** Returns a table with rows in place of worlds: of those whose titles contain a word. */
const rowsOf =
  (word) =>
  ({ worlds, ...table }) => ({
    ...table,
    rows: worlds
      .filter(({ title }) => title.includes(word))
      .flatMap((world) => world.shows.map((row) => ({ ...row, title: row.title ?? world.title, world }))),
  });

export async function run({ node, choice: { quick, docs, seed, world = '' }, say }) {
  const seeds = Array.from({ length: quick ? 1 : SEEDS }, (_, i) => seed + i);
  const chosen = TABLES.map(rowsOf(world));
  say(`${new Set(chosen.flatMap(({ rows }) => rows.map((row) => row.world))).size} worlds, ${seeds.length} seeds each`);
  const shares = Array.from({ length: PROCESSES }, (_, i) => ({
    world,
    seeds: seeds.filter((_, k) => k % PROCESSES === i),
  }));
  /** by seed, table and row */
  const played = (await Promise.all(shares.map((part) => inNode(node, import.meta.url, 'measure', part)))).flat();
  const tables = chosen.map(({ name, contenders, rows }, t) => {
    const numbers = (r) =>
      Object.fromEntries(contenders.map((each) => [each, medianOf(played.map((shown) => shown[t][r][each]))]));
    return {
      ...{ name, contenders },
      rows: rows.map(({ title, world, aims, digits }, r) => ({
        ...{ title, world: world.title, aims, digits },
        numbers: numbers(r),
      })),
    };
  });
  const written = tables.filter(({ rows }) => rows.length > 0).map((table) => tableOf(table, versions()));
  if (!docs || world !== '') console.log(written.join('\n\n'));
  else writeTables('reference/worlds.md', written);
  const misses = missed(tables);
  if (misses.length > 0) throw new Error(`aims are missed:\n${misses.join('\n')}`);
  return tables;
}

export async function measure({ seeds, world: word }) {
  const { CONTENDERS } = await import('../worlds/contenders.mjs');
  const { play } = await import('../worlds/play.mjs');
  const shown = [];
  for (const seed of seeds) {
    const start = performance.now();
    const tables = [];
    for (const { contenders, rows } of TABLES.map(rowsOf(word))) {
      const numbers = rows.map(() => ({}));
      tables.push(numbers);
      for (const world of new Set(rows.map((row) => row.world)))
        for (const name of contenders) {
          const played = await play(world, CONTENDERS[name], seed);
          for (const [r, row] of rows.entries()) if (played && row.world === world) numbers[r][name] = row.of(played);
        }
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
