// BullMQ on a real Redis, by each of its clients, and on a real PostgreSQL: the program of the guide, and what each
// error of a job leads to.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { createClient } from '@redis/client';
import { Queue, Worker, createNodeRedisClient, createPostgresBackend, withBackend } from 'bullmq';

import { fails } from '../../package/lib/callbacks.mjs';
import { importEntry, importPackage } from '../../package/lib/consumer.mjs';
import { pasted } from '../lib/pasted.mjs';
import { importProgram, serve } from '../lib/programs.mjs';
import { until } from '../../package/lib/until.mjs';
import { limit, postgres, redis } from '../lib/servers.mjs';

const { RetryPolicy, isTransientError } = await importPackage();
const { bullmq } = await importEntry('engines');

const [server, database] = await Promise.all([redis(), postgres()]);
const raw = createClient({ socket: { host: server.host, port: server.port } });
await raw.connect();
/** The classes of each backend, and how they connect. */
const BACKENDS = {
  ioredis: { Queue, Worker, connection: { host: server.host, port: server.port, maxRetriesPerRequest: null } },
  'node-redis': { Queue, Worker, connection: createNodeRedisClient(raw) },
  PostgreSQL: { ...withBackend(createPostgresBackend), connection: { connectionString: database.url, migrate: true } },
};
const open = [];
after(async () => {
  await Promise.all(open.map((each) => each.close()));
  raw.destroy();
  await Promise.all([server.stop(), database.stop()]);
});

/** A queue and its worker of this process, with the states of its jobs after each failure. */
function working(name, policy, processor, { Queue, Worker, connection } = BACKENDS.ioredis) {
  const failures = [];
  const queue = new Queue(name, { connection });
  const worker = new Worker(name, processor, { connection, settings: { backoffStrategy: bullmq(policy) } });
  worker.on('failed', ({ id, delay, attemptsMade }) => failures.push({ id, delay, attemptsMade }));
  open.push(queue, worker);
  return { queue, failures };
}

test('the program of the guide: mails are sent once per key, and a 404 ends its job', limit, async () => {
  const requests = [];
  const api = await serve(({ headers }, body) => {
    const { to } = JSON.parse(body);
    requests.push([to, headers['idempotency-key'], Date.now()]);
    if (to === 'nobody') return { status: 404 };
    const earlier = requests.filter(([other]) => other === to).length;
    return earlier === 1 ? { status: 503, headers: { 'retry-after': '1' } } : { status: 200 };
  });
  const { add, queue, worker } = await importProgram('bullmq', { REDIS_PORT: server.port, MAIL_API: api.url });
  open.push(queue, worker);
  const [ada, nobody] = [await add('ada'), await add('nobody')];
  await until('both jobs have ended', async () => (await ada.isCompleted()) && (await nobody.isFailed()));
  const sent = requests.filter(([to]) => to === 'ada');
  for (const [, key] of sent) assert.equal(key, `mail-${ada.id}`);
  assert.equal(sent.length, 2);
  assert.ok(sent[1][2] - sent[0][2] >= 1000, 'earlier than the server asked for');
  assert.equal(requests.filter(([to]) => to === 'nobody').length, 1);
  api.close();
});

/**
 * A processor whose job fails with the error of its name, in a process of its own: BullMQ passes names and marks on.
 */
const FAILING = `
import { permanent, retryAfter } from 'rejitter';
import { RejectedError } from 'rejitter/protection';
const statused = (status) => Object.assign(new Error('x'), { status });
const ERRORS = {
  permanent: () => permanent(statused(404)),
  nested: () => new Error('y', { cause: permanent(new Error('x')) }),
  final: () => retryAfter(10, new Error('final')),
  missing: () => statused(404),
  long: () => retryAfter(301, new Error('x')),
  hint: () => retryAfter(200, statused(503)),
  rejected: () => new RejectedError('breaker', 150),
  byHand: () => new RejectedError('breaker', Infinity),
  plain: () => statused(500),
  exact: () => new Error('exact'),
};
export default async ({ name }) => { throw ERRORS[name](); };
`;
const FINAL = ['permanent', 'nested', 'final', 'missing', 'long'];
const HINTS = { hint: 200, rejected: 150, byHand: 300, plain: 0 };

for (const [name, backend] of Object.entries(BACKENDS))
  test(`${name}: an error says what follows, no attempt or which wait, by its name and marks`, limit, async () => {
    const retryIf = async (error) => {
      if (error.message === 'exact') return { afterMs: 41.5 };
      return error.message !== 'final' && isTransientError(error);
    };
    const policy = new RetryPolicy({ baseMs: 20, maxAttempts: 3, maxRetryAfterMs: 300, retryIf });
    const { queue, failures } = working(`sandbox-${name}`, policy, join(pasted(FAILING), 'main.mjs'), backend);
    const names = [...FINAL, ...Object.keys(HINTS), 'exact'];
    for (const name of names) await queue.add(name, {}, { jobId: name, ...bullmq.jobOptions(policy) });
    await until('all attempts have failed', () => failures.length === 3 * names.length - 2 * FINAL.length);
    for (const name of names) {
      const wait = (k) => (name === 'exact' ? 42 : Math.ceil(policy.delayMs(k, { seed: name, hintMs: HINTS[name] })));
      const found = failures.filter(({ id }) => id === name).map(({ attemptsMade, delay }) => [attemptsMade, delay]);
      const waits = FINAL.includes(name) ? [0] : [wait(1), wait(2), 0];
      assert.deepEqual(
        found,
        Array.from(waits.entries(), ([i, delay]) => [i + 1, delay]),
        name,
      );
    }
  });

test('a strategy that fails ends the job with its own error', limit, async (t) => {
  const { mock } = t.mock.method(console, 'error', () => {});
  const policy = new RetryPolicy({ retryIf: fails(new Error('mistake')) });
  const { queue, failures } = working('fails', policy, fails(new Error('own')));
  const job = await queue.add('x', {}, bullmq.jobOptions(policy));
  await until('the job has failed', async () => (await job.isFailed()) && failures.length > 0);
  assert.equal((await queue.getJob(job.id)).failedReason, 'own');
  assert.equal(failures.length, 1);
  const reported = () => mock.calls.map(({ arguments: [error] }) => error.message);
  assert.deepEqual(reported(), ['mistake']);
  for (const answer of [undefined, 'yes', {}, { afterMs: NaN }, { afterMs: Infinity }, { afterMs: -5 }]) {
    const strategy = bullmq(policy.with({ retryIf: () => answer }));
    assert.equal(await strategy(1, 'rejitter', new Error('own'), job), -1);
    assert.match(reported().at(-1), /retryIf must return true, false or/);
  }
});

test('the options of a job', () => {
  const policy = new RetryPolicy({ maxAttempts: 4 });
  assert.deepEqual(bullmq.jobOptions(policy), { attempts: 4, backoff: { type: 'rejitter' } });
});
