// A server that gives one byte and hangs up must not draw more requests than one that refuses, although each attempt
// progresses: with all parts of a protection, and with none. Both worlds are played on virtual time, with one seed.

import assert from 'node:assert/strict';

import { oursOf } from '../../../xtask/bench/worlds/ours.mjs';
import { play } from '../../../xtask/bench/worlds/play.mjs';
import { testsInThread } from '../lib/thread.mjs';
import { importAll } from '../protection/entry.mjs';

const test = testsInThread(import.meta.url);
const contenders = oursOf(await importAll());
const CLIENTS = 1000;
const OUTAGE_S = 60;
/** What ends an operation whose row begins again and again. */
const OPTIONS = { maxAttempts: Infinity, totalTimeoutMs: 120_000 };

/** Returns the requests per call of clients that start within a second, in an outage in which attempts end so. */
async function requestsPerCall(contender, reply, gains) {
  const server = (clock) => () => (clock.now < OUTAGE_S * 1000 ? reply : [20, 200]);
  const starts = { calls: CLIENTS, to: 1 };
  const world = { server, gains, starts, options: OPTIONS, seconds: OUTAGE_S, drain: 130 };
  const { sent, calls } = await play(world, contender, 1);
  assert.equal(calls.length, CLIENTS);
  return sent.length / CLIENTS;
}

for (const name of ['no protection', 'all three'])
  for (const ms of [5, 50])
    test(`one byte after ${ms} ms, ${name}: at most the requests of a 503`, async () => {
      const refused = await requestsPerCall(contenders[name], [ms, 503], false);
      const cut = await requestsPerCall(contenders[name], [ms, 0], true);
      assert.ok(cut >= 1 && cut <= refused, `${cut} requests per call, and ${refused} where it refuses`);
      if (name === 'no protection') assert.ok(refused > 10, `an outage of ${refused} requests per call`);
    });
