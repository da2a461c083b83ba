// Where the core cannot be had, nothing is retried. The machines are JavaScript: protection works all the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { printed } from '../lib/consumer.mjs';

const USE = `
  import { retry, retryAfter, retryReport, retrySync } from 'rejitter';
  import { createFetch } from 'rejitter/fetch';
  import { breaker, budget, cooldown, protect } from 'rejitter/protection';
  const warnings = [];
  console.warn = (...args) => warnings.push(args.join(' '));
  const mine = new Error('mine');
  const fails = () => { throw mine; };
  const ends = [];
  const end = (name, promise) => promise.then(
    (value) => ends.push([name, 'resolved', retryReport(value)?.reason]),
    (error) => ends.push([name, error === mine, retryReport(error)?.reason]),
  );
`;

const HOSTS = {
  'without WebAssembly': 'delete globalThis.WebAssembly;',
  'whose core traps':
    'WebAssembly.Instance = class { exports = new Proxy({}, { get: () => () => { throw new ' +
    'WebAssembly.RuntimeError("unreachable"); } }); };',
};

for (const [host, change] of Object.entries(HOSTS)) {
  test(`a host ${host}: a breaker opens, a cooldown holds, and a budget keeps its tokens`, async () => {
    const stdout = await printed(`${USE}
      ${change}
      const open = protect(budget({ capacity: 1 }), breaker({ consecutiveFailures: 2 }));
      await end('failure', retry(fails, { protection: open }));
      await end('success', retry(() => 1, { protection: open }));
      await end('failure', retry(fails, { protection: open, totalTimeoutMs: 1000 }));
      try {
        retrySync(fails, { protection: open, maxAttempts: 1 });
      } catch (error) {
        ends.push(['sync', error === mine]);
      }
      await end('rejected', retry(() => 1, { protection: open }));
      const held = protect(cooldown({ maxHoldMs: 0 }));
      // Node's own Response, Headers and fetch are WebAssembly, too.
      const call = createFetch({ protection: held }, async () => ({ status: 429, headers: { 'retry-after': '60' } }));
      await end('hint', call('https://a.test/', { retry: { retryOn: () => false } }));
      await end('probe', call('https://a.test/', { retry: { retryOn: () => false } }));
      await end('held', call('https://a.test/'));
      console.log(JSON.stringify([ends, warnings, open.status().budget]));
    `);
    const [ends, warnings, tokens] = JSON.parse(stdout);
    assert.deepEqual(ends, [
      ['failure', true, 'unavailable'],
      ['success', 'resolved', null],
      ['failure', true, 'unavailable'],
      ['sync', true],
      ['rejected', false, 'breaker'],
      ['hint', 'resolved', null],
      ['probe', 'resolved', null],
      ['held', false, 'cooldown'],
    ]);
    assert.deepEqual(tokens, { tokens: 1, capacity: 1, granted: 0, rejected: 0 });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], /^rejitter: operations are not retried\. /);
  });
}
