import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as bare from '../contenders/bare.mjs';
import * as byHand from '../contenders/hand-written.mjs';
import { field } from './field.mjs';
import { patchTimers } from './timers.mjs';
import { verify } from './verify.mjs';

patchTimers('immediate');

/** A contender that is wrong in one way. */
const broken = (retry) => ({ name: 'broken', call: 'retry(fn)', scope: (fn) => ({ fn, retry }) });

test('accepts a contender that does the job', async () => {
  await verify(bare);
  await verify(byHand);
});

test('rejects a contender that does not', async () => {
  const wrong = {
    'does not retry': (fn) => fn(),
    'retries a success': async (fn) => {
      await fn();
      return fn();
    },
    'gives up early': async (fn) => {
      for (let i = 0; i < 4; i++)
        try {
          return await fn();
        } catch {}
      throw new Error('gave up');
    },
    'never gives up': async (fn) => {
      for (let i = 0; i < 20; i++)
        try {
          return await fn();
        } catch {}
      return 7;
    },
    'loses the result': async (fn) => {
      for (let i = 0; i < 6; i++)
        try {
          await fn();
          return undefined;
        } catch {}
      throw new Error('gave up');
    },
  };
  for (const [name, retry] of Object.entries(wrong)) await assert.rejects(verify(broken(retry)), name);
});

test('reports a peer that does not run; rejitter must run', async () => {
  const load = async (file) => {
    if (file === 'byHand') return byHand;
    throw new Error(`no ${file}\nand more`);
  };
  const { contenders, absent } = await field(['byHand', 'peer'], load);
  assert.deepEqual([contenders.length, absent], [1, { peer: 'no peer' }]);
  await assert.rejects(field(['byHand', 'rejitter-policy'], load), /no rejitter-policy/);
});
