// Where the machines cannot be had, protection is as absent: everything ends as without it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runNode } from '../lib/consumer.mjs';

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
  'whose machines trap':
    'WebAssembly.Instance = class { exports = new Proxy({}, { get: (_, name) => name === "memory" ? ' +
    '{ buffer: new ArrayBuffer(65536) } : name === "registers" ? () => 0 : () => { throw new ' +
    'WebAssembly.RuntimeError("unreachable"); } }); };',
};

for (const [host, change] of Object.entries(HOSTS)) {
  test(`a host ${host}: operations end as without protection, with one warning for each of the two`, async () => {
    const { code, stdout, stderr } = await runNode(`${USE}
      ${change}
      const api = protect(budget({ capacity: 1 }), breaker({ consecutiveFailures: 1, minimumCalls: 1 }), cooldown());
      const options = { protection: api, baseMs: 1 };
      for (let i = 0; i < 3; i++) {
        await end('one attempt', retry(fails, { ...options, maxAttempts: 1 }));
        await end('a hint', retry(() => { throw retryAfter(60_000, mine); }, { ...options, maxAttempts: 1 }));
        await end('success', retry(() => 1, options));
        await end('watched', retry(() => 1, { ...options, totalTimeoutMs: 1000 }));
      }
      await end('retried', retry(fails, options));
      // Node's own Response, Headers and fetch are WebAssembly, too.
      const call = createFetch(options, async () => ({ status: 429, headers: { 'retry-after': '60' } }));
      await end('fetch', call('https://a.test/', { retry: { retryOn: () => false } }));
      try { retrySync(fails, { ...options, maxAttempts: 1 }); } catch (error) { ends.push(['sync', error === mine]); }
      console.log(JSON.stringify([ends, warnings]));
    `);
    assert.equal(stderr, '');
    assert.equal(code, 0);
    const [ends, warnings] = JSON.parse(stdout);
    const round = [
      ['one attempt', true, 'exhausted'],
      ['a hint', true, 'exhausted'],
      ['success', 'resolved', null],
      ['watched', 'resolved', null],
    ];
    assert.deepEqual(ends, [
      ...round,
      ...round,
      ...round,
      ['retried', true, 'unavailable'],
      ['fetch', 'resolved', null],
      ['sync', true],
    ]);
    assert.equal(warnings.length, 2);
    assert.match(warnings[0], /^rejitter: protection is off\. /);
    assert.match(warnings[1], /^rejitter: operations are not retried\. /);
  });
}

test('the machines of rejitter/no-wasm need no WebAssembly', async () => {
  const { code, stdout, stderr } = await runNode(
    `${USE.replaceAll("'rejitter/", "'rejitter/no-wasm/").replace("'rejitter'", "'rejitter/no-wasm'")}
      delete globalThis.WebAssembly;
      const api = protect(budget({ capacity: 1 }), breaker({ consecutiveFailures: 3 }));
      await end('retried', retry(fails, { protection: api, baseMs: 0, jitter: 'none' }));
      await end('opened', retry(fails, { protection: api }));
      await end('refused', retry(fails, { protection: api }));
      console.log(JSON.stringify([ends, warnings, api.status().breaker.state]));
    `,
  );
  assert.equal(stderr, '');
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), [
    [
      ['retried', true, 'budget'],
      ['opened', true, 'breaker'],
      ['refused', false, 'breaker'],
    ],
    [],
    'open',
  ]);
});
