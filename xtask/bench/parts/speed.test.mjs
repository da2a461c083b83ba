import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FIELDS, load } from '../contenders.mjs';
import { patchTimers } from '../lib/harness.mjs';
import { verify } from './speed.mjs';

patchTimers();

test('a contender that does the job is accepted', async () => {
  for (const contender of FIELDS.retries.slice(0, 2)) await verify(contender, await load(contender), 'retries');
  await verify(FIELDS.fetch[0], await load(FIELDS.fetch[0]), 'fetch');
});

const repeating = (times) => async (fn) => {
  for (let i = 0; i < times; i++)
    try {
      return await fn();
    } catch {}
  if (times > 6) return 7;
  throw new Error('gave up');
};

const WRONG = {
  'does not retry': (fn) => fn(),
  'retries a success': async (fn) => {
    await fn();
    return fn();
  },
  'gives up early': repeating(4),
  'never gives up': repeating(20),
  'loses the result': (fn) => repeating(6)(fn).then(() => undefined),
};

test('one that does not is rejected', async () => {
  for (const [name, retry] of Object.entries(WRONG))
    await assert.rejects(
      verify({ name, call: 'retry(fn)' }, (fn) => ({ fn, retry }), 'retries'),
      name,
    );
});
