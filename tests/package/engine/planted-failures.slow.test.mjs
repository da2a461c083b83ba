// Do the rows of failures find bugs of the rule for what an inner fetch rejects with? Each is planted in a copy of the
// package, and rows by hand of failures.json must then be decided wrongly.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { vectors, workFolder } from '../lib/consumer.mjs';
import { planted, sidesOf } from '../lib/planted.mjs';
import { misjudged } from './failures/rows.mjs';

/** By file: what the bug is, the edit that plants it, and a part of what must then be wrong. */
const BUGS = {
  'fetch/http.js': [
    [
      'hosts are known by lists of words',
      'known === UNKNOWN && {+false && +}!isDirected',
      /large false: .*Tauri: lost/,
    ],
  ],
  'light/fetch.js': [
    ['light sends everything again', '[-return mayRepeat && mayBeOfNetwork(error)-]{+return mayRepeat+}', /light true/],
    [
      'light knows lists alone',
      'return mayRepeat && {+error instanceof TypeError && +}mayBeOfNetwork',
      /light false: .*Expo/,
    ],
  ],
  'failures/network.js': [
    ['an abort is a failure', '[-!OTHER_NAMES.test(name) &&-]', /large true/],
    ['a mistake of the caller is a failure', '[-!isMistake(error) &&-] // The status', /light true/],
    ["a framework's redirect is a failure", "[-!Object.hasOwn(error, 'digest') &&-]", /large true: .*Next/],
    [
      'an answer that was thrown is a failure',
      '(response.statusCode ?? response.status) >= [-300-]{+1000+}',
      /large true/,
    ],
    ["a proxy's refusal is an answer", '[-/PROXY/.test(code) ||-]', /light false: .*Bun/],
    ['a text is no failure', 'message = [-error-]{+undefined+}, code, response', /large false: .*Tauri/],
    ['a file is of the network', "[-code !== 'ENOENT' &&-]", /large true/],
  ],
  'failures/classes.js': [
    ['the lowest class counts', 'known = Math.[-max-]{+min+}(known, classify(error))', /large true/],
    ['what stays is retried', 'if ([-HOPELESS_TEXTS.test(text) ||-] (error.overloaded', /large true/],
  ],
  'failures/transient.js': [
    ['a body that broke off stays', "if ({+false && +}message === 'terminated'", /transient false/],
  ],
};

const root = workFolder('planted-failures');

/** Returns a line for each row that a copy of the package decides wrongly. */
async function wrongIn(folder) {
  const load = (file) => import(pathToFileURL(join(folder, file)).href);
  const [{ isProgrammingError, isTransientError }, { createFetch }, { createFetch: light }] = await Promise.all(
    ['index.js', 'fetch.js', 'light-fetch.js'].map(load),
  );
  return misjudged({ createFetch, light, isTransientError, isProgrammingError }, vectors('failures').made);
}

test('a copy without a bug decides all rows by hand rightly', async () => {
  assert.deepEqual(await wrongIn(planted(join(root, 'none'), { name: 'none', edits: [] })), []);
});

for (const [file, bugs] of Object.entries(BUGS))
  for (const [name, diff, wrong] of bugs)
    test(`planted in ${file}: ${name}`, async () => {
      const folder = planted(join(root, name), { name, edits: [[file, ...sidesOf(diff)]] });
      const found = await wrongIn(folder);
      assert.ok(
        found.some((line) => wrong.test(line)),
        found.slice(0, 9).join('; ') || 'nothing is wrong',
      );
    });
