// nextDelay against real operations, and the recipes of the guide in the engines' own test environments.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';

import { SQSClient } from '@aws-sdk/client-sqs';
import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing';
import { InngestTestEngine } from '@inngest/test';
import { MockActivityEnvironment } from '@temporalio/testing';

import { importEntry, importPackage } from '../../package/lib/consumer.mjs';
import { still } from '../lib/pasted.mjs';
import { importProgram, program, serve } from '../lib/programs.mjs';

const { RetryPolicy, TimeoutError, isTransientError, permanent, retryAfter } = await importPackage();
const { bullmq, nextDelay, temporal } = await importEntry('engines');
const { RejectedError } = await importEntry('protection');

const statused = (status) => Object.assign(new Error(`status ${status}`), { status });
/** An error with this many errors between it and a hint. */
const nested = (n) => new Error(`${n}`, { cause: n > 0 ? nested(n - 1) : retryAfter(2000, new Error('x')) });
const ERRORS = {
  plain: new Error('plain'),
  server: statused(503),
  missing: statused(404),
  permanent: permanent(new Error('x')),
  nested: new Error('y', { cause: permanent(new Error('x')) }),
  hint: retryAfter(2000, statused(503)),
  twice: retryAfter(3000, retryAfter(2000, new Error('x'))),
  'twice, apart': retryAfter(3000, new Error('y', { cause: retryAfter(2000, new Error('x')) })),
  'hint, deep': nested(9),
  'too deep': nested(10),
  // Its cause is the failure of the attempt before.
  'no wait, and a wait below': retryAfter(0, new Error('y', { cause: retryAfter(2000, new Error('x')) })),
  'half a mark': Object.assign(new Error('x'), { [Symbol.for('rejitter.mark')]: { permanent: true } }),
  timeout: Object.assign(new TimeoutError('late'), { cause: permanent(new Error('x')) }),
  long: retryAfter(60_001, new Error('x')),
  final: retryAfter(10, new Error('final')),
  text: 'thrown text',
  nothing: undefined,
};
const POLICIES = {
  defaults: {},
  list: { backoff: [5, 50.5, 500], jitter: 'none' },
  decorrelated: { jitter: 'decorrelated', maxAttempts: 4 },
  patient: { maxRetryAfterMs: Infinity },
  capped: { longRetryAfter: 'cap', maxRetryAfterMs: 1500 },
  transient: { retryIf: isTransientError },
  exact: { retryIf: (error) => (error?.message === 'final' ? false : { afterMs: 41.5 }) },
  // All of an Attempt that another process can know.
  early: { retryIf: (_, { elapsedMs, signal, remainingMs }) => elapsedMs < 1e6 && remainingMs > 0 && !signal.aborted },
  last: { maxAttempts: 3, retryIf: (_, { attemptsLeft, name }) => attemptsLeft > 1 && name === undefined },
};

test('after each attempt of an operation, it is the wait that followed, and undefined after the last', async () => {
  for (const [kind, options] of Object.entries(POLICIES))
    for (const [name, error] of Object.entries(ERRORS)) {
      const policy = new RetryPolicy(options);
      const waits = [];
      const onRetry = ({ delayMs }) => waits.push(Math.ceil(delayMs));
      const run = () => policy.run(() => Promise.reject(error), { seed: 'job 7', onRetry });
      await still(() => run().catch(() => {}));
      const asked = [...waits, undefined].map((_, i) => nextDelay(policy, { attempt: i + 1, error, seed: 'job 7' }));
      // Of jitters that look back, a wait that a server asked for is not known any more.
      const n = kind === 'decorrelated' && /hint|twice|final/.test(name) ? 1 : Infinity;
      assert.deepEqual(asked.slice(0, n), [...waits, undefined].slice(0, n), `${kind}, ${name}`);
    }
});

test('delayMs cuts a hint above the limit where the policy says so', () => {
  const policy = new RetryPolicy({ ...POLICIES.capped, seed: 1 });
  assert.equal(policy.delayMs(1, { hintMs: Infinity }), policy.delayMs(1, { hintMs: 1500 }));
});

test('what protection rejected waits as long as it says, and attempts may be text', () => {
  const policy = new RetryPolicy({ baseMs: 1, retryIf: () => false });
  const after = (error, attempt = '2') => nextDelay(policy, { attempt, error, seed: 1 });
  assert.equal(after(new RejectedError('breaker', 150)), Math.ceil(policy.delayMs(2, { seed: 1, hintMs: 150 })));
  assert.ok(after(new RejectedError('breaker', Infinity)) >= 60_000);
  // The cause says why, and nothing about this attempt.
  assert.ok(after(new RejectedError('breaker', 150, permanent(new Error('x')))) >= 150);
  assert.equal(after(new RejectedError('breaker', 150), '6'), undefined);
});

test('BullMQ: retryIf gets a whole Attempt, with the age of the job and its own number of attempts', async () => {
  const seen = [];
  const policy = new RetryPolicy({
    name: 'mail',
    retryIf: (_, attempt) => seen.push(attempt) && attempt.elapsedMs < 60_000,
  });
  const strategy = bullmq(policy);
  const job = (age) => ({ id: '7', timestamp: Date.now() - age, opts: { attempts: 9 } });
  assert.ok((await strategy(7, 'rejitter', new Error('x'), job(1000))) >= 0);
  assert.equal(await strategy(7, 'rejitter', new Error('x'), job(61_000)), -1);
  // The number of attempts was lowered when the job had made more.
  await strategy(10, 'rejitter', new Error('x'), job(1000));
  assert.equal(seen[2].attemptsLeft, 0);
  const [{ signal, elapsedMs, alive, progress, commit, watch, ...rest }] = seen;
  // The attempt is over: what it could tell changes nothing.
  for (const tell of [alive, progress, commit]) assert.equal(tell(), undefined);
  assert.equal(watch(seen), seen);
  assert.deepEqual(rest, { attempt: 7, attemptsLeft: 2, name: 'mail', remainingMs: Infinity });
  assert.ok(!signal.aborted && elapsedMs >= 1000 && elapsedMs < 60_000);
});

// The recipes.

let answers = [];
const keys = [];
const api = await serve(({ headers }) => {
  keys.push(headers['idempotency-key']);
  return answers.shift() ?? { text: 'paid' };
});
after(api.close);
beforeEach(() => {
  keys.length = 0;
});
const busy = { status: 503 };
const asked = { status: 503, headers: { 'retry-after': '7' } };
const missing = { status: 404 };
const recipe = (mark) => importProgram(mark, { PAYMENTS: api.url }, 'charge');
const { policy } = await importProgram('charge');

/** How the recipes of job queues and workflows run an attempt: 'paid', 'ends', or the wait in ms that they ask for. */
const RECIPES = {
  // In its mock environment.
  'temporal-activities': ({ chargeOrder }) => ({
    seed: 'order-7/a1',
    unit: 1,
    async run(attempt) {
      const workflowExecution = { workflowId: 'order-7', runId: 'r' };
      const environment = new MockActivityEnvironment({ attempt, activityId: 'a1', workflowExecution });
      const outcome = await environment.run(chargeOrder, '7').catch((error) => error);
      if (outcome === 'paid') return outcome;
      assert.equal(outcome.constructor.name, 'ApplicationFailure');
      assert.ok(outcome.cause instanceof Error);
      return outcome.nonRetryable ? 'ends' : outcome.nextRetryDelay;
    },
  }),
  // In its test engine, whose results have no `retryAfter`; but it logs the error.
  inngest: ({ chargeOrder }, t) => ({
    seed: 'r1',
    unit: 1000,
    logged: t.mock.method(console, 'error', () => {}).mock,
    async run(attempt) {
      const events = [{ name: 'order/created', data: { orderId: '7' } }];
      const transformCtx = (ctx) => ({ ...ctx, attempt: attempt - 1, runId: 'r1' });
      const { result } = await new InngestTestEngine({ function: chargeOrder, events, transformCtx }).execute();
      if (result) return result;
      const { name, retryAfter } = this.logged.calls.at(-1).arguments.find((each) => each instanceof Error);
      return name === 'NonRetriableError' ? 'ends' : Number(retryAfter) * 1000;
    },
  }),
  // With the real client.
  sqs: async ({ poll }) => {
    const calls = [];
    let count;
    const queue = await serve(({ headers }, body) => {
      calls.push([headers['x-amz-target'].replace('AmazonSQS.', ''), JSON.parse(body)]);
      const Attributes = { ApproximateReceiveCount: `${count}` };
      const message = { MessageId: 'm1', ReceiptHandle: 'r1', Body: '7', Attributes };
      const received = calls.length === 1 ? { Messages: [message] } : {};
      return { headers: { 'content-type': 'application/x-amz-json-1.0' }, text: JSON.stringify(received) };
    });
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const client = new SQSClient({ region: 'eu-west-1', endpoint: queue.url, credentials, md5: false });
    after(() => Promise.all([client.destroy(), queue.close()]));
    return {
      seed: 'm1',
      unit: 1000,
      async run(attempt) {
        calls.length = 0;
        count = attempt;
        await poll(client, `${queue.url}/orders`, `${queue.url}/failed`);
        const [[, { VisibilityTimeout, QueueUrl }]] = calls.slice(1);
        const done = calls
          .slice(1)
          .map(([action]) => action)
          .join();
        if (done === 'SendMessage,DeleteMessage' && QueueUrl.endsWith('/failed')) return 'ends';
        return done === 'ChangeMessageVisibility' ? VisibilityTimeout * 1000 : done.replace('DeleteMessage', 'paid');
      },
    };
  },
  'cloudflare-queue': ({ default: worker }) => ({
    seed: 'm1',
    unit: 1000,
    async run(attempts) {
      const seen = [];
      const note = (name) => async (value) => void seen.push([name, value]);
      const message = { id: 'm1', body: '7', attempts, ack: note('ack'), retry: note('retry') };
      await worker.queue({ messages: [message] }, { FAILED: { send: note('send') } });
      const done = seen.map(([name]) => name).join();
      if (done === 'retry') return seen[0][1].delaySeconds * 1000;
      return done === 'send,ack' && seen[0][1] === '7' ? 'ends' : done.replace('ack', 'paid');
    },
  }),
};

for (const [mark, make] of Object.entries(RECIPES))
  test(`${mark}: in the engine's own test environment it asks for its wait, ends, or is done`, async (t) => {
    const { seed, unit, ...engine } = await make(await recipe(mark), t);
    const run = (attempt, ...next) => {
      answers = next;
      return engine.run(attempt);
    };
    const wait = Math.ceil(Math.ceil(policy.delayMs(3, { seed })) / unit) * unit;
    assert.equal(await run(3, busy), wait);
    assert.ok((await run(1, asked)) >= 7000);
    const ends = [await run(1, missing), await run(8, busy), await run(5)];
    assert.deepEqual(ends, ['ends', 'ends', 'paid']);
    assert.deepEqual(keys, Array(5).fill('order-7'));
  });

test('Temporal: the workflow of the guide has the options that the exporter writes', () => {
  const { config } = temporal(new RetryPolicy({ baseMs: 1000, capMs: 60_000, maxAttempts: 8 }));
  const [, shown] = /retry: (\{.*?\})/.exec(program('temporal-workflow'));
  assert.deepEqual(new Function(`return (${shown})`)(), config.retry);
});

test("Lambda: in the SDK's runner, a durable function waits as it says, or ends", async () => {
  const { handler } = await recipe('lambda');
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: true });
  const run = async (...next) => {
    answers = next;
    const runner = new LocalDurableTestRunner({ handlerFunction: handler });
    const execution = await runner.run({ payload: { orderId: '7' } });
    return { execution, step: runner.getOperation('charge') };
  };
  try {
    const { execution, step } = await run(busy, asked);
    assert.equal(execution.getResult(), 'paid');
    assert.equal(keys.length, 3);
    assert.equal(step.getStepDetails().attempt, 3);
    assert.match(String((await run(missing)).execution.getError().errorMessage), /status 404/);
    assert.equal(keys.length, 4);
  } finally {
    await LocalDurableTestRunner.teardownTestEnvironment();
  }
});
