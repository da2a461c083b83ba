// The package in Node, loaded by `require`: the shared ES module where Node can, the CommonJS file where
// it cannot.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { behaves, installed, printed, project } from '../lib/consumer.mjs';
import { EXPORTS, SHORTCUTS, publicNames } from '../lib/shortcuts.mjs';
import { SPIES } from '../lib/spies.mjs';

const EACH = `
  const api = require('rejitter');
  (async () => {
    const out = { api: Object.fromEntries(Object.keys(api).map((name) => [name, true])), results: {},
      file: require.resolve('rejitter').split(/[\\\\/]/).pop() };
    for (const name of ${JSON.stringify(Object.keys(SHORTCUTS))}) {
      let calls = 0;
      out.results[name] = await api[name](() => { calls += 1; if (calls < 3) throw new Error('no'); return calls; },
        { baseMs: 0 });
    }
    let calls = 0;
    out.results.retrySync = api.retrySync(() => { calls += 1; if (calls < 3) throw new Error('no'); return calls; },
      { baseMs: 0 });
    out.delays = [...new api.RetryPolicy({ seed: 'cjs' }).delays()];
    console.log(JSON.stringify(out));
  })();
`;

const HOSTS = {
  'where require loads ES modules': { flags: [], file: 'index.js' },
  'where require cannot load ES modules': { flags: ['--no-experimental-require-module'], file: 'index.cjs' },
};

for (const [host, { flags, file }] of Object.entries(HOSTS)) {
  test(`each export works ${host}`, async () => {
    const out = JSON.parse(await printed(EACH, { ext: 'cjs', flags }));
    assert.equal(out.file, file);
    assert.deepEqual(publicNames(out.api), EXPORTS);
    assert.deepEqual(Object.keys(out.results), [...Object.keys(SHORTCUTS), 'retrySync']);
    for (const [name, calls] of Object.entries(out.results)) assert.equal(calls, 3, name);
    assert.equal(out.delays.length, 5);
  });

  test(`require touches nothing ${host}, and a first success the clock alone, once`, async () => {
    const stdout = await printed(
      `${SPIES} const { retry } = require('rejitter'); const atImport = [...used];
       retry(() => 1).then(() => console.log(JSON.stringify({ atImport, atSuccess: [...used] })));`,
      { ext: 'cjs', flags },
    );
    assert.deepEqual(JSON.parse(stdout), { atImport: [], atSuccess: ['performance.now'] });
  });
}

test('both files give the same delays for the same seed', async () => {
  const outputs = await Promise.all(Object.values(HOSTS).map(({ flags }) => printed(EACH, { ext: 'cjs', flags })));
  const [one, two] = outputs.map((stdout) => JSON.parse(stdout).delays);
  assert.deepEqual(one, two);
});

test('the tests of behaviour pass on the CommonJS files', async () => {
  // Whether Node finds the names of a CommonJS module's exports is not the matter here: take them from it.
  const dir = project('cjs', {
    'entry.mjs':
      `import api from ${JSON.stringify(pathToFileURL(join(installed, 'index.cjs')).href)};\nexport const ` +
      `{ ${EXPORTS.join(', ')} } = api;\n`,
  });
  await behaves(join(dir, 'entry.mjs'));
});
