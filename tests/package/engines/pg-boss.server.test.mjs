// pg-boss on a real PostgreSQL: the program of the guide, and the distribution of its waits.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Client } from 'pg';
import { PgBoss } from 'pg-boss';

import { importEntry, importPackage } from '../lib/consumer.mjs';
import { checkPrograms, importProgram, serve } from '../lib/programs.mjs';
import { until } from '../../../www/demo/lib/until.mjs';
import { postgres } from '../lib/servers.mjs';

const { RetryPolicy } = await importPackage();
const { pgBoss } = await importEntry('engines');

const server = await postgres();
const bosses = [];
after(async () => {
  for (const boss of bosses) await boss.stop({ timeout: 5000 });
  await server.stop();
});

test('the program of the guide: an order is retried under its key, or ends at once', { timeout: 60_000 }, async () => {
  const requests = [];
  const api = await serve(({ url, headers }) => {
    requests.push([url, headers['idempotency-key'], Date.now()]);
    if (url === '/404') return { status: 404 };
    return { status: requests.filter(([other]) => other === url).length === 1 ? 503 : 200 };
  });
  const { boss, order } = await importProgram('pg-boss', { DATABASE_URL: server.url });
  bosses.push(boss);
  await order({ id: 'a', url: `${api.url}/404` });
  const id = await order({ id: 'b', url: `${api.url}/503` });
  const job = await until('the job is completed', async () => {
    const [found] = await boss.findJobs('orders', { id });
    return found?.state === 'completed' && found;
  });
  const sent = requests.filter(([url]) => url === '/503');
  assert.deepEqual(
    sent.map(([, key]) => key),
    [`order-${id}`, `order-${id}`],
  );
  assert.equal(job.retryCount, 1);
  // Wait 1 of the policy: 1 to 2 s.
  assert.ok(sent[1][2] - sent[0][2] >= 1000, `${sent[1][2] - sent[0][2]}`);
  assert.equal(requests.filter(([url]) => url === '/404').length, 1);
  const [failed] = await boss.fetch('failed-orders');
  assert.deepEqual([failed.data.id, failed.data.error], ['a', 'Error: status 404']);
  api.close();
});

test('the program compiles', () => checkPrograms(['pg-boss']));

/** Greatest distance between the values' distribution and a uniform one. */
function distance(values, lo, hi) {
  const n = values.length;
  const sorted = values.toSorted((a, b) => a - b);
  const above = sorted
    .map((value, i) => [value, i])
    .map(([value, i]) => {
      const expected = Math.min(1, Math.max(0, (value - lo) / (hi - lo)));
      return Math.max(Math.abs((i + 1) / n - expected), Math.abs(i / n - expected));
    });
  return Math.max(...above);
}

test('its waits are those of equal jitter, and clipped at the cap', { timeout: 60_000 }, async (t) => {
  const policy = new RetryPolicy({ baseMs: 2000, jitter: 'equal', capMs: 6000, maxAttempts: 5 });
  const { config, losses } = pgBoss(policy);
  assert.deepEqual(
    losses.map(({ option }) => option),
    ['capMs'],
  );
  const boss = new PgBoss({ connectionString: server.url, supervise: false });
  // Its last queries may end with the server.
  boss.on('error', () => {});
  bosses.push(boss);
  await boss.start();
  await boss.createQueue('waits', config);
  const n = 1500;
  await boss.insert(
    'waits',
    Array.from({ length: n }, () => ({ data: {} })),
  );
  const client = new Client(server.url);
  client.on('error', () => {});
  await client.connect();
  for (const k of [1, 2, 3, 4]) {
    const jobs = await boss.fetch('waits', { batchSize: n });
    assert.equal(jobs.length, n);
    const from = Date.now();
    await boss.fail(
      'waits',
      jobs.map(({ id }) => id),
    );
    const to = Date.now();
    const { rows } = await client.query(`select start_after from pgboss.job where name = 'waits' and state = 'retry'`);
    const hi = 2000 * 2 ** (k - 1);
    const times = rows.map(({ start_after: at }) => at.getTime());
    // The time of the failure, by the shortest of 1,500 waits.
    const failedAt = Math.min(...times) - Math.min(hi / 2, 6000);
    assert.ok(failedAt >= from - 2 && failedAt <= to + 20, `wait ${k}: ${failedAt - from} of ${to - from} ms`);
    const waits = times.map((time) => time - failedAt);
    // A sample of our own, from the same policy without its cap.
    const ours = waits.map((_, i) => policy.with({ capMs: Infinity }).delayMs(k, { seed: i }));
    t.diagnostic(`wait ${k}: distance ${distance(waits, hi / 2, hi).toFixed(3)}`);
    const critical = 2.3 / Math.sqrt(n); // one false alarm in ten thousand
    assert.ok(distance(ours, hi / 2, hi) < critical);
    if (hi <= 6000) assert.ok(distance(waits, hi / 2, hi) < critical, `wait ${k}`);
    else {
      // Uniform between hi / 2 and hi; what is above the cap becomes the cap.
      const expected = Math.min(1, (hi - 6000) / (hi / 2));
      const share = waits.filter((wait) => wait >= 6000 - 20).length / n;
      assert.ok(Math.max(...waits) <= 6000 + 20);
      assert.ok(Math.abs(share - expected) < 0.06, `${share} at the cap`);
      assert.ok(distance(waits, hi / 2, hi) > critical, 'control: a clipped distribution is another one');
    }
    await client.query(`update pgboss.job set start_after = now() where name = 'waits' and state = 'retry'`);
  }
  const { rows } = await client.query(`select retry_limit from pgboss.job where name = 'waits' limit 1`);
  assert.equal(rows[0].retry_limit, 4);
  await client.end();
});
