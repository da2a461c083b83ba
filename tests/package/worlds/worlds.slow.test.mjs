// The worlds of docs/reference/worlds.md, the rows of tests/vectors/worlds.json, each with one seed, in which it
// reaches its aims. They run on virtual time: the numbers are the same every time. Of the 32 shares of failing
// attempts, ten are played; `cargo xtask proofs samples` plays all, `cargo xtask bench --only worlds` with ten seeds.

import assert from 'node:assert/strict';

import { oursOf } from '../../../xtask/bench/worlds/ours.mjs';
import { play } from '../../../xtask/bench/worlds/play.mjs';
import { misses } from '../../../xtask/bench/worlds/shown.mjs';
import { TABLES } from '../../../xtask/bench/worlds/tables.mjs';
import { testsInThread } from '../lib/thread.mjs';
import { importAll } from '../protection/entry.mjs';

const test = testsInThread(import.meta.url);
const contenders = oursOf(await importAll());
const SEED = 1;
/** Few, some, and the last ones of each aim: at 65, 70 and 75% the limits differ. */
const SAMPLE = ['10%', '40%', '65%', '70%', '75%'];
const isPlayed = ({ title }) => process.env.REJITTER_FULL || !/^\d+%$/.test(title) || SAMPLE.includes(title);

for (const { name: table, worlds } of TABLES)
  for (const world of worlds.filter(isPlayed)) {
    const all = world.shows.flatMap(({ aims }) => aims);
    if (all.length === 0) continue;
    test(`${table}: ${world.title}`, async () => {
      const runs = new Map();
      for (const name of new Set(all.flatMap(({ name, than = name }) => [name, than])))
        runs.set(name, await play(world, contenders[name], SEED));
      for (const { of, aims, title = '' } of world.shows) {
        const numbers = Object.fromEntries([...runs].map(([name, run]) => [name, of(run)]));
        for (const aim of aims)
          assert.ok(!misses(aim, numbers), `${aim.name} ${aim.words} ${title}: ${JSON.stringify(numbers)}`);
      }
    });
  }
