// Ten thousand requests (with REJITTER_QUICK a tenth) against a server that misbehaves in every way: its account of
// attempts, keys and bodies equals the package's, no socket stays open and no rejection goes unhandled.
// REJITTER_HOSTILE sets another number, REJITTER_HOSTILE_SEED another seed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { project, repo, run } from '../lib/consumer.mjs';

const requests = Number(process.env.REJITTER_HOSTILE || (process.env.REJITTER_QUICK ? 1000 : 10_000));
/** Number of requests with protection. */
const fewer = Math.ceil(requests / 5);
const seed = Number(process.env.REJITTER_HOSTILE_SEED || 1);

const SERVER = 'tests/package/fetch/hostile/server.mjs';
const CLIENT = 'tests/package/fetch/hostile/client.mjs';
const OTHERS = ['tests/package/lib/words.mjs', 'tests/vectors/retry-after.json', 'www/demo/lib/loopback.mjs'];
const FILES = Object.fromEntries(
  [SERVER, CLIENT, ...OTHERS].map((name) => [name, readFileSync(join(repo, name), 'utf8')]),
);

async function hostile(count, changes = {}, ...mode) {
  const dir = project('hostile', { ...FILES, ...changes });
  const { code, stdout, stderr } = await run(
    process.execPath,
    ['--unhandled-rejections=strict', join(dir, CLIENT), String(count), String(seed), ...mode],
    { cwd: dir, env: { NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: '' } },
  );
  return { code, stderr, ...(stdout && JSON.parse(stdout)) };
}

test(`${requests} requests: both accounts are equal`, async (t) => {
  const began = performance.now();
  const { code, stderr, wrong, open, counts, requests: seen, attempts } = await hostile(requests);
  assert.equal(stderr, '');
  assert.deepEqual(wrong, []);
  assert.equal(code, 0);
  assert.deepEqual(open, [0, 0], 'open sockets: of the server, of the client');
  assert.equal(seen, requests);
  assert.ok(Object.keys(counts).length >= 30, 'each scenario took place');
  t.diagnostic(`${requests} requests, ${attempts} attempts, ${((performance.now() - began) / 1000).toFixed(1)} s`);
});

test(`${fewer} requests with budget, breaker and cooldown: both accounts are equal`, async (t) => {
  const { code, stderr, wrong, open, counts, requests: seen, retries } = await hostile(fewer, {}, 'protected');
  assert.equal(stderr, '');
  assert.deepEqual(wrong, []);
  assert.equal(code, 0);
  assert.deepEqual(open, [0, 0], 'open sockets: of the server, of the client');
  const refused = counts['rejected by breaker'];
  assert.ok(refused > 0 && seen > 0 && retries > 0, 'some are rejected, some sent, some retried');
  assert.equal(seen + refused + (counts['rejected by cooldown'] ?? 0), fewer, 'a rejected one is not sent');
  t.diagnostic(`${seen} of ${fewer} sent, ${retries} retries, ${refused} rejected by the breaker`);
});

test('control: an account that is wrong by one attempt, a changed body and a socket that stays are seen', async () => {
  const twice = await hostile(300, {
    [SERVER]: FILES[SERVER].replace(
      "if (name !== 'redirected') entry.attempts += 1;",
      "if (name !== 'redirected') entry.attempts += id === '7' ? 2 : 1;",
    ),
  });
  assert.ok(
    twice.wrong.some((text) => /the server saw/.test(text)),
    JSON.stringify(twice.wrong),
  );
  const changed = await hostile(300, {
    [SERVER]: FILES[SERVER].replace('hash(request.body)', 'hash(request.body) + entry.attempts'),
  });
  assert.ok(changed.wrong.some((text) => /bodies differ/.test(text)));
  const leaking = await hostile(300, {
    [CLIENT]: FILES[CLIENT]
      .replace('await response.body?.cancel()', 'globalThis.kept = [...(globalThis.kept ?? []), response]')
      .replace('await globalThis[DISPATCHER].close();', '')
      .replace('turn < 500', 'turn < 25'),
  });
  assert.ok(leaking.open?.[0] > 0, JSON.stringify(leaking));
});
