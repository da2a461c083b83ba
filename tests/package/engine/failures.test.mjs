// One opinion about a failure: isTransientError, and createFetch when its inner fetch fails so.
// tests/vectors/failures.json has the rows; failures/write.mjs makes those of real clients.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { importPackage, repo } from '../lib/consumer.mjs';
import { QUICK, importFetch } from '../lib/fetching.mjs';
import { compare } from './failures/fetches.mjs';

const { isTransientError } = await importPackage();
const { createFetch } = await importFetch();
const { real, made } = JSON.parse(readFileSync(join(repo, 'tests', 'vectors', 'failures.json'), 'utf8'));

/** Revives an error. Clients have headers as an object or as Headers. */
function errorOf(data, headersOf) {
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return data.map((each) => errorOf(each, headersOf));
  const fields = Object.entries(data).map(([name, value]) => [
    name,
    name === 'headers' ? headersOf(value) : errorOf(value, headersOf),
  ]);
  return Object.assign('message' in data ? new Error() : {}, Object.fromEntries(fields));
}

async function sendsAgain(error) {
  let calls = 0;
  const inner = async () => {
    calls += 1;
    throw error;
  };
  await createFetch({ ...QUICK, maxAttempts: 2 }, inner)('http://192.0.2.1/').catch(() => {});
  return calls === 2;
}

for (const [name, rows] of Object.entries({ 'real clients': real, 'rows by hand': made }))
  test(`classifies failures of ${name}, bare and as a cause`, async () => {
    const wrong = [];
    for (const { client, what, transient, fetch, error: data } of rows)
      for (const headersOf of [(headers) => headers, (headers) => new Headers(headers)]) {
        const error = errorOf(data, headersOf);
        for (const each of [error, Object.assign(new Error('load'), { cause: error })])
          if (isTransientError(each) !== transient) wrong.push(`isTransientError ${!transient}: ${client} ${what}`);
        if ((await sendsAgain(error)) !== fetch) wrong.push(`createFetch ${!fetch}: ${client} ${what}`);
      }
    assert.deepEqual([...new Set(wrong)], []);
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
