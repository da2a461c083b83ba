// One opinion about a failure: isTransientError, and createFetch when its inner fetch fails so.
// tests/vectors/failures.json has the rows; failures/write.mjs makes those of real clients.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importPackage, vectors } from '../lib/consumer.mjs';
import { importFetch } from '../lib/fetching.mjs';
import { compare } from './failures/fetches.mjs';
import { misjudged } from './failures/rows.mjs';

const { isTransientError } = await importPackage();
const { createFetch } = await importFetch();
const { real, made } = vectors('failures');

for (const [name, rows] of Object.entries({ 'real clients': real, 'rows by hand': made }))
  test(`classifies failures of ${name}, bare and as a cause`, async () => {
    assert.deepEqual(await misjudged({ createFetch, isTransientError }, rows), []);
  });

test('has as many rows that may pass as rows that may not', () => {
  const rows = [...real, ...made];
  const passing = rows.filter(({ transient }) => transient).length;
  assert.ok(Math.abs(passing - rows.length / 2) <= rows.length / 10, `${passing} of ${rows.length}`);
});

test('what createFetch sends again is transient, but for answers, which it does not get as errors', () => {
  const more = [...real, ...made].filter(({ transient, fetch }) => fetch && !transient);
  assert.ok(
    more.every(({ error }) => error.response),
    JSON.stringify(more),
  );
});

test('real failures of fetch: both are right', async () => {
  const { wrong, count } = await compare({ createFetch, isTransientError });
  assert.deepEqual(wrong, []);
  assert.ok(count >= 38, `${count} failures`);
});
