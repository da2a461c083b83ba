// On a real PostgreSQL: the programs of docs/guide/databases.md and for pg-boss, and the distribution of its waits.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Client } from 'pg';
import { PgBoss } from 'pg-boss';

import { importEntry, importPackage } from '../../package/lib/consumer.mjs';
import { importProgram, serve } from '../lib/programs.mjs';
import { until } from '../../package/lib/until.mjs';
import { limit, postgres } from '../lib/servers.mjs';

const { RetryPolicy } = await importPackage();
const { pgBoss } = await importEntry('engines');

const server = await postgres();
const bosses = [];
const { pool, transaction } = await importProgram('postgres', { DATABASE_URL: server.url });
after(async () => {
  await pool.end();
  for (const boss of bosses) await boss.stop({ timeout: 5000 });
  await server.stop();
});

const amounts = async () => (await pool.query('SELECT amount FROM accounts ORDER BY id')).rows.map((row) => row.amount);
const move = (from, to, between = () => {}) =>
  transaction(async (client) => {
    await client.query('UPDATE accounts SET amount = amount - 1 WHERE id = $1', [from]);
    await between(client);
    await client.query('UPDATE accounts SET amount = amount + 1 WHERE id = $1', [to]);
  });

test('transactions: a deadlock and a lost connection are repeated as a whole', async () => {
  await pool.query('CREATE TABLE accounts (id int PRIMARY KEY, amount int CHECK (amount >= 0))');
  await pool.query('INSERT INTO accounts VALUES (1, 10), (2, 10)');

  // The first attempts of both wait until the other has its row.
  let rows = 0;
  let both;
  const held = new Promise((resolve) => (both = resolve));
  const meet = () => (++rows === 2 ? both() : held);
  await Promise.all([move(1, 2, meet), move(2, 1, meet)]);
  assert.equal(rows, 3);
  assert.deepEqual(await amounts(), [10, 10]);

  let attempts = 0;
  await move(1, 2, async (client) => {
    if (++attempts > 1) return;
    const { rows } = await client.query('SELECT pg_backend_pid() AS id');
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0].id]);
  });
  assert.equal(attempts, 2);
  assert.deepEqual(await amounts(), [9, 11]);

  // A violated constraint is final, and rolled back.
  attempts = 0;
  const broken = async (client) => {
    attempts += 1;
    await client.query('UPDATE accounts SET amount = -1 WHERE id = 2');
  };
  await assert.rejects(move(1, 2, broken), { code: '23514' });
  assert.equal(attempts, 1);
  assert.deepEqual(await amounts(), [9, 11]);
  assert.ok(pool.totalCount <= 3, 'no connection was leaked');
});

test('pg-boss: an order is retried under its key, or ends at once', limit, async () => {
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
  for (const [, key] of sent) assert.equal(key, `order-${id}`);
  assert.equal(sent.length, 2);
  assert.equal(job.retryCount, 1);
  // Wait 1 of the policy: 1 to 2 s.
  assert.ok(sent[1][2] - sent[0][2] >= 1000, `${sent[1][2] - sent[0][2]}`);
  assert.equal(requests.filter(([url]) => url === '/404').length, 1);
  const [failed] = await boss.fetch('failed-orders');
  assert.deepEqual([failed.data.id, failed.data.error], ['a', 'Error: status 404']);
  api.close();
});

test('pg-boss: its waits are those of equal jitter, and clipped at the cap', limit, async () => {
  const policy = new RetryPolicy({ baseMs: 2000, jitter: 'equal', capMs: 6000, maxAttempts: 5 });
  const { config, losses } = pgBoss(policy);
  assert.equal(losses.map(({ option }) => option).join(), 'capMs');
  const boss = new PgBoss({ connectionString: server.url, supervise: false });
  // Its last queries may end with the server.
  boss.on('error', () => {});
  bosses.push(boss);
  await boss.start();
  await boss.createQueue('waits', config);
  const n = 1500;
  await boss.insert('waits', Array(n).fill({ data: {} }));
  const client = new Client(server.url);
  client.on('error', () => {});
  await client.connect();
  for (const k of [1, 2, 3, 4]) {
    const jobs = await boss.fetch('waits', { batchSize: n });
    assert.equal(jobs.length, n);
    const from = Date.now();
    await boss.fail(
      'waits',
      Array.from(jobs, ({ id }) => id),
    );
    const to = Date.now();
    const { rows } = await client.query(`select start_after from pgboss.job where name = 'waits' and state = 'retry'`);
    const most = 2000 * 2 ** (k - 1);
    const times = Array.from(rows, ({ start_after: at }) => at.getTime()).sort((a, b) => a - b);
    // The time of the failure, by the shortest of 1,500 waits.
    const failedAt = times[0] - Math.min(most / 2, 6000);
    assert.ok(failedAt >= from - 2 && failedAt <= to + 20, `wait ${k}: ${failedAt - from} of ${to - from} ms`);
    // A sample of our own, from the same policy without its cap.
    const uncapped = policy.with({ capMs: Infinity });
    const ours = times.map((_, i) => uncapped.delayMs(k, { seed: i })).sort((a, b) => a - b);
    // Evenly between half of the longest and the longest; what is above the cap becomes the cap. The tolerance is 4.6
    // standard deviations.
    for (const q of [0.1, 0.25, 0.5, 0.75, 0.9]) {
      const at = Math.floor(q * n);
      const expected = (most / 2) * (1 + q);
      const off = [times[at] - failedAt - Math.min(6000, expected), ours[at] - expected];
      assert.ok(
        off.every((ms) => Math.abs(ms) < 0.06 * (most / 2)),
        `wait ${k}, share ${q}: ${off}`,
      );
    }
    await client.query(`update pgboss.job set start_after = now() where name = 'waits' and state = 'retry'`);
  }
  const { rows } = await client.query(`select retry_limit from pgboss.job where name = 'waits' limit 1`);
  assert.equal(rows[0].retry_limit, 4);
  await client.end();
});
