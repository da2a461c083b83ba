// Plays the cases of docs/comparison.md with each package, and writes its tables: the same on every machine, but for
// the sizes, which follow the packages.

import { readFileSync } from 'node:fs';

import { inNode } from '../lib/child.mjs';
import { versions } from '../lib/machine.mjs';
import { markdownTable, named, writeTables } from '../report/table.mjs';
import { sizeOf } from './sizes.mjs';

const CASES = new URL('../../../tests/vectors/comparison.json', import.meta.url);

export async function run({ node, choice: { docs }, say }) {
  const groups = await inNode(node, import.meta.url, 'measure', null);
  say(`${groups.reduce((count, { rows }) => count + rows.length, 0)} cases`);
  const known = versions();
  const tables = [];
  for (const { title, names, codes, rows } of groups) {
    const sizes = await Promise.all(
      codes.map(async ({ code, platform }) => (await sizeOf(code, ['axios', 'events'], platform)).brotli),
    );
    const heads = names.map((name) => name.split(', ').map((part) => named(part, known)));
    tables.push(
      markdownTable(
        [
          [title, ...heads.map((parts) => parts.join(', ')), 'comes from'],
          ['size in an app', ...sizes.map((bytes) => `${(bytes / 1000).toFixed(1)} kB`), ''],
          ...rows,
        ],
        '---|',
      ),
    );
  }
  if (docs) writeTables('comparison.md', tables);
  else console.log(tables.join('\n\n'));
  return groups;
}

/** Plays all cases, each with who fails it: a package, or a bug that is planted into one of ours. */
export async function measure() {
  const { BUGS, PLAYS } = await import('../compare/cases.mjs');
  const { played } = await import('../compare/play.mjs');
  const { GROUPS } = await import('../compare/contenders.mjs');
  const tables = [];
  for (const { title, of, cases } of JSON.parse(readFileSync(CASES, 'utf8'))) {
    const all = Object.entries(GROUPS[of]);
    const rows = [];
    for (const row of cases) {
      const { what, from, needs, fails } = row;
      const play = (contender) => played({ ...row, program: PLAYS[what] }, contender);
      const able = all.filter(([, { knows }]) =>
        (needs?.split(' ') ?? []).every((word) => knows.split(' ').includes(word)),
      );
      const did = {};
      for (const [name, contender] of able) did[name] = await play(contender);
      const bug = BUGS[fails];
      if (bug ? await play(bug(able[0][1])) : did[fails]) throw new Error(`${what}: nothing fails it`);
      const link = `[${from.split('/')[1]}](https://github.com/${from.replace('#', '/issues/')})`;
      const cells = all.map(([name]) => ({ true: 'yes', false: '✗' })[`${did[name]}`] ?? '–');
      rows.push([what, ...cells, bug ? `${link}; bug: ${fails}` : link]);
    }
    tables.push({
      title,
      names: all.map(([name]) => name),
      codes: all.map(([, { code, platform }]) => ({ code, platform })),
      rows,
    });
  }
  return tables;
}
