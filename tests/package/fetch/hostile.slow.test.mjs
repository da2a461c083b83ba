// Fifteen hundred requests, 40 of each scenario at least, against a server that misbehaves in every way: its account of
// attempts, keys and bodies equals the package's, no socket stays open and no rejection goes unhandled.
// REJITTER_HOSTILE sets another number, REJITTER_HOSTILE_SEED another seed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { project, repo, run } from '../lib/consumer.mjs';

const requests = Number(process.env.REJITTER_HOSTILE || 1500);
const seed = Number(process.env.REJITTER_HOSTILE_SEED || 1);

const SERVER = 'tests/package/fetch/hostile/server.mjs';
const CLIENT = 'tests/package/fetch/hostile/client.mjs';
const OTHERS = ['tests/package/lib/words.mjs', 'tests/package/lib/loopback.mjs'];
const FILES = Object.fromEntries(
  [SERVER, CLIENT, ...OTHERS].map((name) => [name, readFileSync(join(repo, name), 'utf8')]),
);

async function hostile(count, changes = {}) {
  const dir = project('hostile', { ...FILES, ...changes });
  const { code, stdout, stderr } = await run(
    process.execPath,
    ['--unhandled-rejections=strict', join(dir, CLIENT), String(count), String(seed)],
    { cwd: dir, env: { NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: '' } },
  );
  return { code, stderr, ...(stdout && JSON.parse(stdout)) };
}

test(`${requests} requests: both accounts are equal`, async (t) => {
  const { code, stderr, wrong, open, counts, seen, retries } = await hostile(requests);
  assert.deepEqual([stderr, wrong, code], ['', [], 0]);
  assert.deepEqual(open, [0, 0], 'open sockets: of the server, of the client');
  assert.equal(seen, requests);
  assert.equal(Object.keys(counts).length, 19, 'each scenario took place');
  t.diagnostic(`${retries} retries, ${Math.min(...Object.values(counts))} of the rarest scenario`);
});

test('control: an account that is wrong by one attempt, a changed body and a socket that stays are seen', async () => {
  const { wrong, open } = await hostile(300, {
    [SERVER]: FILES[SERVER]
      .replace('entry.attempts += 1;', "entry.attempts += id === '7' ? 2 : 1;")
      .replace('hash(body)', "hash(body) + (id < '2' ? entry.attempts : '')"),
    [CLIENT]: FILES[CLIENT]
      .replace('response?.body?.cancel()', 'void (globalThis.kept = [...(globalThis.kept ?? []), response])')
      .replace('await globalThis[DISPATCHER].close();', '')
      .replace('turn < 500', 'turn < 25'),
  });
  assert.match(wrong.join(), /the server saw/);
  assert.match(wrong.join(), /bodies differ/);
  assert.ok(open[0] > 0, `${open}`);
});
