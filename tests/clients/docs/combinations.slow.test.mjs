// The rows of docs/migration as real files have them: several options at once. Any two or three rows of a page that set
// different options, merged in the order of the page, mean the same to both packages: the same attempts, waits from the
// same distribution, the same outcome.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { vectors } from '../../package/lib/consumer.mjs';
import { literal, tableIn } from '../../package/lib/readers.mjs';
import { PAGES, page, runCell, sameTimes } from '../lib/migration.mjs';
import { subsets } from '../lib/subsets.mjs';

/** Rows that need other answers or differ alone, and pairs of options that differ, as the remark of one says. */
const { requests: SPECIAL, different: DIFFERENT } = vectors('migration');

/** A wait grows with its draw in each package: the same waits at these draws are the same distribution. */
const DRAWS = [0, 0.3, 0.97];

/** Merges cells. A preset is first, so that the options of other rows count. */
const merged = (cells) => `{ ...${[...cells].sort((a, b) => presetIn(b) - presetIn(a)).join(', ...')} }`;
const presetIn = (cell) => Number(cell.includes('...presets'));

for (const [name, { old, now, statuses }] of Object.entries(PAGES)) {
  const special = Object.entries(SPECIAL[name] ?? {});
  /** Rows of options, but those that differ by themselves. */
  const rows = tableIn(page(name), name).flatMap(([oldCell, nowCell, remark]) => {
    const [, row = {}] = special.find(([part]) => oldCell.includes(part)) ?? [];
    const cells = [literal(oldCell), literal(nowCell)];
    const keys = cells[0].match(/\w+(?=: )/g) ?? [];
    return row.old || !cells.every((code) => code.startsWith('{')) ? [] : [{ cells, keys, row, remark }];
  });

  /**
   * Whether both make the same attempts at the same times, whatever they draw. Returns how they differ.
   * @param {number} [graceMs] more for a second look: on a busy machine the clock may have run ahead of a request
   */
  async function difference(chosen, graceMs) {
    const [before, after] = [0, 1].map((side) => merged(chosen.map(({ cells }) => cells[side])));
    for (const draw of DRAWS) {
      const answers = Object.assign({ statuses }, ...chosen.map(({ row }) => row), { draw, graceMs });
      const [first, second] = [await runCell(before, old, answers), await runCell(after, now, answers)];
      try {
        sameTimes(second.times, first.times);
        assert.equal(second.outcome, first.outcome);
      } catch ({ message }) {
        return `${before} is not ${after}, draw ${draw}: ${message}`;
      }
    }
  }

  test(`${name}: two or three of its ${rows.length} rows at once`, async () => {
    const known = DIFFERENT[name] ?? [];
    const failures = [];
    const seen = new Set();
    for (const chosen of subsets(rows)) {
      const keys = chosen.flatMap((row) => row.keys);
      if (new Set(keys).size < keys.length) continue;
      const found = (await difference(chosen)) && (await difference(chosen, 20));
      const differ = known.find((pair) => pair.every((key) => keys.includes(key)));
      if (found && !differ) failures.push(found);
      if (!found || !differ) continue;
      seen.add(differ);
      const said = chosen.some(({ remark }) => differ.some((key) => remark.includes(`\`${key}`)));
      assert.ok(said, `a row says that ${differ} differ`);
    }
    assert.equal(failures.length, 0, failures.slice(0, 5).join('\n'));
    assert.deepEqual(
      known.filter((pair) => !seen.has(pair)),
      [],
    );
  });
}
