// BullMQ on a real Redis: the program of the guide, and 1,000 jobs whose workers and server are killed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { Queue, Worker } from 'bullmq';

import { fails } from '../lib/callbacks.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { importPasted, pasted } from '../lib/pasted.mjs';
import { checkPrograms, importProgram, serve } from '../lib/programs.mjs';
import { until } from '../../../www/demo/lib/until.mjs';
import { redis } from '../lib/servers.mjs';

const { RetryPolicy, isTransientError } = await importPackage();
const { bullmq } = await importEntry('engines');

const server = await redis();
const connection = { host: server.host, port: server.port, maxRetriesPerRequest: null };
const open = [];
const children = [];
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(open.map((each) => each.close()));
  await server.stop();
});

/** A worker of this process, with the states of its jobs after each failure. */
function worker(name, policy, processor) {
  const failures = [];
  const made = new Worker(name, processor, { connection, settings: { backoffStrategy: bullmq(policy) } });
  made.on('failed', ({ id, delay, attemptsMade }) => failures.push({ id, delay, attemptsMade }));
  open.push(made);
  return failures;
}

const queueOf = (name) => {
  const queue = new Queue(name, { connection });
  open.push(queue);
  return queue;
};

test('the program of the guide: mails are sent once per key, and a 404 ends its job', { timeout: 60_000 }, async () => {
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

test('the program compiles', () => checkPrograms(['bullmq']));

/** A processor whose job fails with the error of its name: called here, or in a process of its own. */
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

for (const [where, processor] of [
  ['here', (await importPasted(FAILING)).default],
  ['in a process of its own, by names and marks', join(pasted(FAILING), 'main.mjs')],
])
  test(`an error says what follows, no attempt or which wait: ${where}`, { timeout: 60_000 }, async () => {
    const retryIf = async (error) => {
      if (error.message === 'exact') return { afterMs: 41.5 };
      return error.message !== 'final' && isTransientError(error);
    };
    const policy = new RetryPolicy({ baseMs: 20, maxAttempts: 2, maxRetryAfterMs: 300, retryIf });
    const queue = queueOf(where.length > 4 ? 'sandbox' : 'here');
    const failures = worker(queue.name, policy, processor);
    const names = [...FINAL, ...Object.keys(HINTS), 'exact'];
    for (const name of names) await queue.add(name, {}, { jobId: name, ...bullmq.jobOptions(policy) });
    await until('all attempts have failed', () => failures.length === 2 * names.length - FINAL.length);
    for (const name of names) {
      const wait = name === 'exact' ? 42 : Math.ceil(policy.delayMs(1, { seed: name, hintMs: HINTS[name] }));
      const found = failures.filter(({ id }) => id === name).map(({ attemptsMade, delay }) => [attemptsMade, delay]);
      assert.deepEqual(
        found,
        FINAL.includes(name)
          ? [[1, 0]]
          : [
              [1, wait],
              [2, 0],
            ],
        name,
      );
    }
  });

test('a strategy that fails ends the job with its own error', { timeout: 60_000 }, async (t) => {
  const { mock } = t.mock.method(console, 'error', () => {});
  const policy = new RetryPolicy({ retryIf: fails(new Error('mistake')) });
  const queue = queueOf('fails');
  const failures = worker('fails', policy, fails(new Error('own')));
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

test('jobs need a number of attempts, and a policy', () => {
  const policy = new RetryPolicy({ maxAttempts: 4 });
  assert.deepEqual(bullmq.jobOptions(policy), { attempts: 4, backoff: { type: 'rejitter' } });
  assert.throws(() => bullmq.jobOptions(policy.with({ maxAttempts: Infinity })), /^RangeError: .*must be finite/);
  for (const wrong of [undefined, {}, { maxAttempts: 3 }, { ...policy }])
    assert.throws(() => bullmq(wrong), /^TypeError: .*must be a RetryPolicy/);
});

const POLICY = { baseMs: 200, capMs: 800, maxAttempts: 6 };

/** A worker in a process of its own. It writes a line for each attempt and each failure, at once. */
const WORKER = `
import { appendFileSync } from 'node:fs';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { RetryPolicy, permanent } from 'rejitter';
import { bullmq } from 'rejitter/engines';

const [queue, port, log] = process.argv.slice(2);
const write = (entry) => appendFileSync(log, JSON.stringify(entry) + '\\n');
const worker = new Worker(
  queue,
  async ({ id, attemptsMade: made, data }) => {
    write({ at: Date.now(), id, made });
    await new Promise((done) => setTimeout(done, 3));
    if (data.permanent) throw permanent(new Error('permanent'));
    if (made < data.failures) throw new Error('fails');
  },
  {
    connection: { host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null },
    concurrency: 40,
    lockDuration: 1500,
    stalledInterval: 500,
    maxStalledCount: 20,
    settings: { backoffStrategy: bullmq(new RetryPolicy(${JSON.stringify(POLICY)})) },
  },
);
const client = new Redis(Number(port), '127.0.0.1', { maxRetriesPerRequest: null });
client.on('error', () => {});
worker.on('failed', async ({ id, attemptsMade: k, delay, finishedOn }) => {
  const at = Date.now();
  if (finishedOn) return write({ id, k, ended: true });
  const stored = Number(await client.hget('bull:' + queue + ':' + id, 'delay').catch(() => NaN));
  write({ id, k, delay, stored, at, readAt: Date.now() });
});
worker.on('error', () => {});
`;

test('1,000 jobs, three workers killed, and a Redis that restarts: none is lost, no wait is shorter', {
  timeout: 120_000,
}, async (t) => {
  const dir = pasted(WORKER);
  const log = join(dir, 'log');
  const queue = queueOf('killed');
  const policy = new RetryPolicy(POLICY);
  const jobs = Array.from({ length: 1000 }, (_, i) => ({
    name: 'job',
    data: { failures: i % 4, permanent: i % 100 === 99 },
    opts: bullmq.jobOptions(policy),
  }));
  const added = await queue.addBulk(jobs);
  const start = () => {
    const args = [join(dir, 'main.mjs'), queue.name, `${server.port}`, log];
    children.push(spawn(process.execPath, args, { stdio: 'inherit' }));
    return children.at(-1);
  };
  /** Ends a worker in the middle of what it does. */
  const kill = (child) => child.kill('SIGKILL') && once(child, 'exit');
  // A line that a killed process did not finish has no end.
  const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : []);
  const reach = (count) => until(`more than ${count} lines`, () => lines().length > count);

  const alone = start();
  await reach(600);
  await kill(alone);
  const pair = [start(), start()];
  await reach(1200);
  for (const each of pair) {
    start();
    await kill(each);
  }
  await reach(1800);
  await server.restart();
  await until('all jobs have ended', async () => {
    const { completed, failed } = await queue.getJobCounts('completed', 'failed').catch(() => ({}));
    return completed + failed === jobs.length;
  });
  for (const child of children) if (child.exitCode === null && child.signalCode === null) await kill(child);

  const all = lines().map((line) => JSON.parse(line));
  let compared = 0;
  for (const [i, { id }] of added.entries()) {
    const { failures, permanent } = jobs[i].data;
    const { attemptsMade, finishedOn, failedReason } = await queue.getJob(id);
    assert.ok(finishedOn > 0, `job ${id} is lost`);
    assert.equal(failedReason === 'permanent', permanent, `job ${id}: ${failedReason}`);
    assert.equal(attemptsMade, permanent ? 1 : failures + 1, `job ${id}`);
    const own = all.filter((entry) => entry.id === id);
    for (const { k, delay, stored, readAt, at } of own.filter((entry) => entry.delay !== undefined)) {
      const wanted = Math.ceil(policy.delayMs(k, { seed: id }));
      assert.equal(delay, wanted, `job ${id}, wait ${k}`);
      const next = own.find((entry) => entry.made === k);
      const last = own.filter((entry) => entry.made === k - 1 && entry.at <= at).at(-1);
      // BullMQ clears it when the job's time has come, and after a next attempt, which the other worker may have made
      // before it was read, there is the next wait's.
      const cleared = stored === 0 && readAt - last.at >= wanted;
      if (!cleared && !Number.isNaN(stored) && next.at > readAt) assert.equal(stored, wanted);
      assert.ok(next.at - last.at >= wanted, `job ${id}, wait ${k}: ${next.at - last.at} ms of ${wanted}`);
      compared += stored === wanted;
    }
  }
  t.diagnostic(`${all.length} lines, ${compared} stored delays compared`);
  assert.ok(compared > 400, `${compared}`);
});
