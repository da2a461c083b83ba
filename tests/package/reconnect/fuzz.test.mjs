// Random lives of connections, and bugs planted in copies of the package for them to find.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { importEntry, importPackage } from '../lib/consumer.mjs';
import { planted } from '../schedules/planting.mjs';
import { fuzz } from './fuzz.mjs';

const KEEPERS = 600;

test(`${KEEPERS} keepers: one session at a time, never sooner than requested, nothing left`, async (t) => {
  const api = { ...(await importEntry('reconnect')), ...(await importPackage()) };
  let count = 0;
  for (let seed = 0; seed < KEEPERS; seed++) {
    const { wrong, sessions } = await fuzz(api, seed);
    assert.deepEqual(wrong, [], `seed ${seed}`);
    count += sessions;
  }
  t.diagnostic(`${count} sessions`);
  assert.ok(count > 2000);
});

const session = 'reconnect/session.js';
const keeper = 'reconnect/keeper.js';
/** @type {[name: string, wrong: string, ...edit: [file: string, find: string, put: string]][]} */
const PLANTED = [
  ['a late alive() arms a timer', 'more than one timer', session, 'alive() { if (over) return;', 'alive() {'],
  [
    'a wake-up misses a wait that is over',
    'a wake-up misses a wait that is over',
    keeper,
    'if (time >= until) return done();',
    '',
  ],
  ['a session that ends by itself is not cleaned up', 'two sessions at once', session, 'controller.abort(error);', ''],
  ['a late opened() arms a timer', 'more than one timer', session, 'if (over || openedAt >= 0) return;', ''],
  ['a wake-up cuts a hint', 'sooner than requested', keeper, 'from + leastMs,', ''],
  ['wake-ups make a tight loop', 'wake-ups make a tight loop', keeper, ', wokenAt + baseMs', ''],
  ['the signal is followed for ever', 'a listener is left', keeper, 'if (signal) unfollow(signal, follower);', ''],
  ['the timer of a wait survives', 'a timer is left', keeper, 'cut(cause);', ''],
];

for (const [i, [name, wrong, ...edit]] of PLANTED.entries())
  test(`planted, and found: ${name}`, async () => {
    const root = mkdtempSync(join(tmpdir(), 'rejitter-reconnect-'));
    try {
      const folder = planted(root, { name, edits: [edit] }, i);
      const load = (file) => import(pathToFileURL(join(folder, file)).href);
      const api = { ...(await load('index.js')), ...(await load('reconnect.js')) };
      const found = new Set();
      for (let seed = 0; seed < KEEPERS && !found.has(wrong); seed++)
        for (const text of (await fuzz(api, seed)).wrong) found.add(text);
      assert.ok(found.has(wrong), `${[...found]}`);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
