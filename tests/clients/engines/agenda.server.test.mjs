// Agenda on a real PostgreSQL: the function of the guide's table, asked after each failure.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { PostgresBackend } from '@agendajs/postgres-backend';
import { Agenda } from 'agenda';
import { Pool } from 'pg';

import { importEntry, importPackage } from '../../package/lib/consumer.mjs';
import { until } from '../../package/lib/until.mjs';
import { limit, postgres } from '../lib/servers.mjs';

const { RetryPolicy, isTransientError, permanent, retryAfter } = await importPackage();
const { nextDelay } = await importEntry('engines');

const server = await postgres();
const pool = new Pool({ connectionString: server.url });
// The server ends first what the pool is about to close.
pool.on('error', () => {});
// Half a lock's time after the last job, it lets its process end.
const agenda = new Agenda({ backend: new PostgresBackend({ pool }), processEvery: 50, defaultLockLifetime: 10_000 });
after(async () => {
  await agenda.stop();
  await pool.end();
  await server.stop();
});

const statused = (status) => Object.assign(new Error('x'), { status });
const ERRORS = {
  plain: statused(503),
  hint: retryAfter(200, statused(503)),
  missing: statused(404),
  permanent: permanent(statused(503)),
  long: retryAfter(301, statused(503)),
};

test('each failure is followed by the wait of the policy, or by no attempt', limit, async () => {
  const policy = new RetryPolicy({ backoff: [20, 400], jitter: 'none', maxAttempts: 3, maxRetryAfterMs: 300 });
  const asking = policy.with({ retryIf: isTransientError });
  const waits = {};
  const ended = [];
  for (const [name, error] of Object.entries(ERRORS)) {
    waits[name] = [];
    // The guide for queues hands out this line.
    const backoff = ({ attempt, error }) => nextDelay(asking, { attempt, error }) ?? null;
    agenda.define(name, () => Promise.reject(error), { backoff });
    agenda.on(`retry:${name}`, (_, { attempt, delay }) => waits[name].push([attempt, delay]));
    agenda.on(`retry exhausted:${name}`, () => ended.push(name));
  }
  await agenda.start();
  for (const name of Object.keys(ERRORS)) await agenda.now(name);
  await until('all jobs have ended', () => ended.length === Object.keys(ERRORS).length);
  const { hint, ...exact } = waits;
  assert.deepEqual(exact, {
    plain: [
      [1, 20],
      [2, 400],
    ],
    missing: [],
    permanent: [],
    long: [],
  });
  // The wait that a server asks for is a minimum.
  assert.deepEqual(
    hint.map(([attempt]) => attempt),
    [1, 2],
  );
  assert.ok(hint[0][1] >= 200 && hint[1][1] >= 400, `${hint}`);
});
