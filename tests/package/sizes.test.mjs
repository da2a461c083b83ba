// What the package weighs in an app, and the budgets that it keeps (lib/budgets.mjs).

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { build } from 'esbuild';

import { BUDGETS, overBudget, weigh } from './lib/budgets.mjs';
import { project } from './lib/consumer.mjs';

async function sizeOf(code) {
  const dir = project('size', { 'main.mjs': code });
  const { outputFiles: [{ contents }] } = await build({ entryPoints: [join(dir, 'main.mjs')], bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022', write: false, logLevel: 'error' });
  return weigh(contents);
}

for (const budget of BUDGETS) {
  test(`${budget.name}: its size in an app, minified, and its budget`, async (t) => {
    const size = await sizeOf(budget.code);
    const aim = budget.target === undefined ? '' : `, aim ${budget.target}`;
    t.diagnostic(`${budget.name}: ${size.raw} B minified, ${size.gzip} gzip, ${size.brotli} brotli; budget ${budget.limit}${aim}`);
    assert.equal(overBudget(budget, size), undefined);
    // The control: one byte less would be too little for it.
    assert.match(overBudget({ ...budget, limit: size.brotli - 1 }, size), new RegExp(`${size.brotli} B of brotli, the budget is ${size.brotli - 1}$`));
    // Nor is the limit so wide that what comes back would not be seen.
    assert.ok(size.brotli > 0.97 * budget.limit, `${size.brotli} B: lower the limit, which is ${budget.limit}`);
  });
}

test('a limit above the aim has its reason', () => {
  for (const { name, limit, target, reason } of BUDGETS) assert.equal(target !== undefined && limit > target, reason !== undefined, name);
});

test('control: what is imported is in the bundle', async () => {
  const nothing = await sizeOf(`import 'rejitter';`);
  const some = await sizeOf(`export { retryWithFullJitter } from 'rejitter';`);
  assert.ok(nothing.brotli < 10 && some.brotli > 1000, `${nothing.brotli} B, ${some.brotli} B`);
});
