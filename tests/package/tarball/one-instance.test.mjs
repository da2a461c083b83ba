// The entries share one instance of the driver: its brands, its reports, its listeners and its channel. A
// protection works with all of them.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import { consumer, importEntry, printed } from '../lib/consumer.mjs';

const USE = `
  const out = {};
  const policy = new main.RetryPolicy({ metrics: true, baseMs: 0, maxAttempts: 2, finalError: 'wrap' });
  const refused = new TypeError('fetch failed');
  const error = await createFetch(policy, async () => { throw refused; })('http://localhost/').catch((error) => error);
  out.brand = policy.metrics().attempts;
  out.wrapped = error instanceof main.RetryError;
  out.report = main.retryReport(error)?.attempts;
  let calls = 0;
  const stop = async () => { calls++; throw main.permanent(refused); };
  await createFetch({ baseMs: 0 }, stop)('http://localhost/').catch((error) => { out.bare = error === refused; });
  out.calls = calls;

  Object.defineProperty(policy, 'toJSON', { value() { throw new Error('another copy of the package'); } });
  out.lab = lab.plan(policy, 1).length;

  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener;
  signal.addEventListener = function (...args) { listeners++; return add.apply(this, args); };
  let open;
  const gate = new Promise((done) => { open = done; });
  const both = [
    main.retry(() => gate, { signal }),
    createFetch({ signal, totalTimeoutMs: 60_000 }, () => gate)('http://localhost/'),
  ];
  out.listeners = listeners;
  open(new Response(''));
  await Promise.all(both);

  let traced = 0;
  const channel = process.getBuiltinModule('node:diagnostics_channel').tracingChannel('rejitter:operation');
  channel.subscribe({ start() { traced++; } });
  await main.retry(() => 1);
  await createFetch({}, async () => new Response(''))('http://localhost/');
  out.traced = traced;

  // A protection of either form is one state for policies and fetch, whichever core they have.
  out.granted = [];
  for (const { budget, protect } of [parts, others]) {
    const protection = protect(budget({ capacity: 2, perSuccess: 0 }));
    const options = { baseMs: 0, maxAttempts: 2, protection, protectionKey: () => null };
    const broken = async () => { throw refused; };
    await createFetch(options, broken)('http://localhost/').catch(() => {});
    await new main.RetryPolicy({ baseMs: 0, maxAttempts: 2, protection }).run(broken).catch(() => {});
    await main.retry(broken, { baseMs: 0, maxAttempts: 2, protection }).catch(() => {});
    const { granted, rejected: stopped } = protection.status().budget;
    out.granted.push([granted, stopped]);
  }
  console.log(JSON.stringify(out));
`;

const ESM = `import * as main from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import * as lab from 'rejitter/lab';
import * as parts from 'rejitter/protection';
const others = await import(new URL('protection.browser.js', import.meta.resolve('rejitter')));
${USE}`;
const CJS = `const main = require('rejitter');
const { createFetch } = require('rejitter/fetch');
const lab = require('rejitter/lab');
const parts = require('rejitter/protection');
const others = require(require.resolve('rejitter').replace(/index.c?js$/, 'protection.browser.cjs'));
(async () => {${USE}})();`;

for (const [how, source, options] of [
  ['import', ESM, {}],
  ['require', CJS, { ext: 'cjs' }],
  ['require where it cannot load ES modules', CJS, { ext: 'cjs', flags: ['--no-experimental-require-module'] }],
]) {
  test(`policies, errors, listeners and the tracing channel are shared by all entries: ${how}`, async () => {
    assert.deepEqual(JSON.parse(await printed(source, options)), {
      brand: 2,
      wrapped: true,
      report: 2,
      bare: true,
      calls: 1,
      lab: 1,
      listeners: 1,
      traced: 2,
      granted: [
        [2, 1],
        [2, 1],
      ],
    });
  });
}

test('each entry has the same names in CommonJS', async () => {
  const require = createRequire(join(consumer, 'package.json'));
  for (const entry of 'data engines fetch lab light light/fetch otel presets protection reconnect testing'.split(' ')) {
    const names = Object.keys(await importEntry(entry));
    assert.ok(names.length > 0);
    assert.deepEqual(Object.keys(require(`rejitter/${entry}`)).sort(), names.sort(), entry);
  }
});
