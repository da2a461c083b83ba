// The effect of protection on calls and on the server: worlds on virtual time, each with ten seeds, as medians. Writes
// docs/reference/worlds.md: the same numbers on every machine.

import { inNode } from '../lib/child.mjs';
import { versions } from '../lib/machine.mjs';
import { median } from '../lib/stats.mjs';
import { markdownTable, named, writeTable } from '../report/table.mjs';

const SEEDS = 10;
/** One per core. */
const PROCESSES = 2;
const DOCUMENT = new URL('../../../docs/reference/worlds.md', import.meta.url);

/**
 * @typedef {object} Row
 * @property {string} title
 * @property {(number | undefined)[]} aims by contender
 * @property {boolean} least whether an aim is the least number
 * @property {number} digits after the point
 * @property {(number | undefined)[]} medians
 */

/** @param {import('../lib/child.mjs').Context} context */
export async function run({ node, choice: { quick }, say }) {
  const { WORLDS } = await import('../worlds/worlds.mjs');
  const { CONTENDERS } = await import('../worlds/contenders.mjs');
  const names = Object.keys(CONTENDERS);
  const seeds = Array.from({ length: quick ? 1 : SEEDS }, (_, i) => i + 1);
  say(`${WORLDS.length} worlds, ${seeds.length} seeds each`);
  const shares = Array.from({ length: PROCESSES }, (_, i) => seeds.filter((seed) => seed % PROCESSES === i));
  /** @type {number[][][][]} by seed, world and contender: what the world shows */
  const shown = (await Promise.all(shares.map((some) => inNode(node, import.meta.url, 'measure', some)))).flat();
  /** @type {Row[]} */
  const rows = WORLDS.flatMap(({ title, also, aims, most }, w) =>
    [title, also].flatMap((text, i) => {
      if (text === undefined) return [];
      const medians = names.map((_, c) => medianOf(shown.map((worlds) => worlds[w][c][i])));
      const both = most ? [most[i], most[i]] : [aims?.breaker, aims?.three];
      const digits = also !== undefined && i === 0 ? 2 : 0;
      return [{ title: text, aims: [undefined, ...both], least: most === undefined, digits, medians }];
    }),
  );
  const known = versions();
  const cells = rows.map(({ title, digits, medians }) => [
    title,
    ...medians.map((each) => each?.toFixed(digits) ?? '–'),
  ]);
  writeTable(markdownTable([['world', ...names.map((name) => named(name, known))], ...cells]), DOCUMENT, quick);
  const missed = rows.filter(({ aims, least, medians }) =>
    aims.some((aim, c) => aim !== undefined && (least ? Number(medians[c]) < aim : Number(medians[c]) > aim)),
  );
  if (missed.length > 0) throw new Error(`aims are missed: ${missed.map(({ title }) => title).join('; ')}`);
  return { rows };
}

/** @param {number[]} seeds */
export async function measure(seeds) {
  const { WORLDS } = await import('../worlds/worlds.mjs');
  const { CONTENDERS } = await import('../worlds/contenders.mjs');
  const { play } = await import('../worlds/play.mjs');
  const shown = [];
  for (const seed of seeds) {
    const worlds = [];
    for (const world of WORLDS) {
      const row = [];
      for (const name of Object.keys(CONTENDERS)) row.push(await play(world, name, seed));
      worlds.push(row);
    }
    shown.push(worlds);
  }
  return shown;
}

/** Of contenders without an answer to a world, there is none. @param {(number | undefined)[]} values */
function medianOf(values) {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}
