// Texts of servers, by the million: whatever headers and errors say, what is read of them is a wait that can be waited,
// or nothing, and nothing throws. `node xtask/proofs/texts.mjs [COUNT]`

import assert from 'node:assert/strict';

import { importEntry, importPackage } from '../../tests/package/lib/consumer.mjs';
import { generator } from '../../tests/package/schedules/random.mjs';

const COUNT = Number(process.argv[2] ?? 1e7);
/** From these, texts are made: parts are repeated, cut, joined, and their characters changed. */
const SEEDS = [
  ...['0', '120', '1.5', '-1', '1e3', '0x10', '١٢', 'Infinity', 'NaN', '9'.repeat(30), '1700000000', '1700000000000'],
  ...['Wed, 21 Oct 2026 07:28:00 GMT', 'Wednesday, 21-Oct-26 07:28:00 GMT', 'Wed Oct 21 07:28:00 2026', '-0', '+5'],
  ...['"default";r=0;t=30', '"a";q=100;w=60, "b";q=5', 'limit=100, remaining=0, reset=30', 'r=0;t=5', '1m30s', '250ms'],
  ...['6h0m0.5s', '2026-10-21T07:28:00Z', '2026-10-21T07:28:00.123+02:00', ',', ';', '=', ' ', '\t', '"', '\u0000', ''],
];
const HEADERS = [
  ...['retry-after', 'retry-after-ms', 'x-ms-retry-after-ms', 'x-amz-retry-after', 'date', 'x-should-retry'],
  ...['ratelimit', 'ratelimit-policy', 'ratelimit-remaining', 'ratelimit-reset', 'x-ratelimit-remaining'],
  ...['x-ratelimit-reset', 'x-ratelimit-reset-requests', 'x-ratelimit-remaining-requests', 'x-rate-limit-reset'],
  ...['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset'],
];
const MEMBERS = ['retryAfter', 'retryAfterMs', 'retry_after', 'code', 'errno', 'name', 'message', 'status', 'type'];

const { isPermanent, isRetryAfter, isTransientError } = await importPackage();
const { rateLimitHint, retryAfterMs } = await importEntry('fetch');
const g = generator(2, 2);

function text() {
  let made = g.pick(SEEDS);
  for (let edits = g.whole(0, 3); edits > 0; edits -= 1) {
    const at = g.whole(0, made.length);
    made = g.pick([
      () => made + g.pick(SEEDS),
      () => made.slice(0, at),
      () => made.slice(at),
      () => made.slice(0, at) + String.fromCharCode(g.whole(1, 255)) + made.slice(at + 1),
      () => made.slice(0, at) + g.pick(SEEDS) + made.slice(at),
    ])();
  }
  return made;
}

/** Header values that no client could receive are refused by `Headers` itself, so a lookup stands for it. */
function headers() {
  const values = new Map(g.list(g.whole(1, 4), () => [g.pick(HEADERS), text()]));
  return { get: (name) => values.get(name.toLowerCase()) ?? null };
}

function checked(ms, what, of) {
  assert.ok(ms === undefined || ms >= 0, `${what} is ${ms} of ${JSON.stringify(of)}`);
}

/** An error as a client may throw it, some with a body or a cause of the same kind. */
function error(depth = 0) {
  const members = g.list(g.whole(0, 3), () => [g.pick(MEMBERS), g.chance(0.7) ? text() : g.whole(0, 600)]);
  const made = Object.assign(g.chance(0.8) ? new Error() : {}, Object.fromEntries(members));
  if (g.chance(0.4)) Object.assign(made, { [g.pick(['response', 'headers'])]: { status: 503, headers: headers() } });
  if (depth < 3 && g.chance(0.3)) made[g.pick(['cause', 'error', 'originalError'])] = error(depth + 1);
  return made;
}

const startedAt = performance.now();
for (let i = 0; i < COUNT; i += 1) {
  const response = { status: g.pick([200, 429, 503]), headers: headers() };
  checked(retryAfterMs(response), 'retryAfterMs()', response);
  checked(rateLimitHint(response), 'rateLimitHint()', response);
  const failure = error();
  for (const asks of [isTransientError, isPermanent, isRetryAfter])
    assert.equal(typeof asks(failure), 'boolean', asks.name);
}
console.log(`${COUNT} responses and errors: all were read (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
