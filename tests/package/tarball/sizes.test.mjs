// Sizes of the package in an app, and their budgets (lib/budgets.mjs).

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { ENTRIES } from '../../../xtask/npm/artefacts.mjs';
import { BUDGETS, PARTS, weigh } from '../lib/budgets.mjs';
import { bundleOf, bundled } from '../lib/bundle.mjs';
import { installed, project, repo } from '../lib/consumer.mjs';
import { tableIn } from '../lib/readers.mjs';

async function sizeOf(code) {
  const text = await bundleOf(code, { platform: 'browser', target: 'es2022' });
  return { ...weigh(Buffer.from(text)), text };
}

for (const { name, code, limit, target } of BUDGETS)
  test(`${name}: its size in an app, minified, and its budget`, async (t) => {
    const { raw, gzip, brotli } = await sizeOf(code);
    const aim = target === undefined ? '' : `, aim ${target}`;
    t.diagnostic(`${name}: ${raw} B minified, ${gzip} gzip, ${brotli} brotli; budget ${limit}${aim}`);
    // Nor is the limit so wide that what comes back would not be seen.
    assert.ok(brotli <= limit && brotli > 0.97 * limit, `${brotli} B of brotli, the budget is ${limit}`);
  });

for (const { base, entry, parts, limit, target } of PARTS)
  test(`${parts}: the bytes that they add to an app with ${base}, and their budget`, async (t) => {
    const app = `export { ${base} } from 'rejitter';`;
    const [without, more] = [await sizeOf(app), await sizeOf(`${app} export { ${parts} } from '${entry}';`)];
    const added = more.brotli - without.brotli;
    t.diagnostic(`${parts}: ${added} B of brotli added; budget ${limit}, aim ${target}`);
    assert.ok(added > 0.93 * limit && added <= limit, `${added} B, the budget is ${limit}`);
  });

/**
 * Bytes that each app has of an entry, whatever it uses of it; of others no more than one class with a computed name.
 */
const KEPT = { light: 700, 'light-fetch': 800, protection: 1850, testing: 7500 };

for (const entry of ENTRIES)
  test(`${entry}: what an app does not use of it is not in the app`, async () => {
    // Outside the package, whose manifest says that importing it does nothing.
    const files = readdirSync(installed).filter((name) => name.endsWith('.js'));
    const copies = Object.fromEntries(files.map((name) => [name, readFileSync(join(installed, name), 'utf8')]));
    const dir = project('kept', { ...copies, 'main.mjs': `import './${entry}.js';` });
    const { length } = await bundled(dir, { platform: 'browser', target: 'es2022' });
    const limit = KEPT[entry] ?? 130;
    assert.ok(length <= limit, `${length} B minified, expected at most ${limit}`);
  });

/** The module of an app that imports what a cell names. */
function importsOf(cell) {
  const names = [...cell.matchAll(/`(\w[\w/]*)`/g)].map(([, name]) => name);
  const [name, entry = 'rejitter'] = names;
  const parts = /`protect\((.*)\)`/.exec(cell)?.[1].match(/\w+/g);
  if (!parts) return `export { ${name} } from '${entry}';`;
  return `export { ${name} } from 'rejitter/fetch'; export { protect, ${parts} } from 'rejitter/protection';`;
}

const page = (name) => readFileSync(join(repo, name), 'utf8');
// A stated size is true to 0.1 kB: a change of a few bytes may round to another decimal.
const STATED = {
  'README.md': tableIn(page('README.md'), 'an app with').map(([cell, brotli, gzip]) => ({ cell, brotli, gzip })),
  'docs/guide/page.md': tableIn(page('docs/guide/page.md'), 'you need').map(([, cell, brotli]) => ({ cell, brotli })),
};

for (const [name, rows] of Object.entries(STATED))
  test(`${name} states what imports weigh in an app`, async () => {
    assert.ok(rows.length >= 4);
    for (const { cell, ...stated } of rows) {
      const size = await sizeOf(importsOf(cell));
      for (const [by, kB] of Object.entries(stated))
        assert.ok(Math.abs(Number(kB) * 1000 - size[by]) <= 100, `${cell}: ${kB} kB stated, ${size[by]} B of ${by}`);
    }
  });

test('the comparison states what `light`, `retry` and `RetryPolicy` weigh', async () => {
  const row = /^\| size in an app \| (.*? kB \| .*? kB \| .*? kB) \|/m;
  const [, stated] = row.exec(page('docs/comparison.md'));
  const imports = [`{ retry } from 'rejitter/light'`, `{ retry } from 'rejitter'`, `{ RetryPolicy } from 'rejitter'`];
  const sizes = await Promise.all(imports.map((code) => sizeOf(`export ${code};`)));
  assert.equal(stated, sizes.map(({ brotli }) => `${(Math.round(brotli / 100) / 10).toFixed(1)} kB`).join(' | '));
});
