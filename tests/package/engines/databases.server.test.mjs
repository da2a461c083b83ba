// The program of docs/guide/databases.md on a real PostgreSQL.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { importProgram } from '../lib/programs.mjs';
import { postgres } from '../lib/servers.mjs';

const server = await postgres();
after(server.stop);
const { pool, transaction } = await importProgram('postgres', { DATABASE_URL: server.url });
after(() => pool.end());

const amounts = async () => (await pool.query('SELECT amount FROM accounts ORDER BY id')).rows.map((row) => row.amount);
const move = (from, to, between = () => {}) =>
  transaction(async (client) => {
    await client.query('UPDATE accounts SET amount = amount - 1 WHERE id = $1', [from]);
    await between(client);
    await client.query('UPDATE accounts SET amount = amount + 1 WHERE id = $1', [to]);
  });

test('the program of the guide: a deadlock and a lost connection are repeated as a whole', async () => {
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
