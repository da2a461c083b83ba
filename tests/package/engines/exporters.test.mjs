// The exporters: what they write and lose, what the engines' own checks say, and Temporal's activity.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { validateServiceConfig } from '@grpc/grpc-js/build/src/service-config.js';
import { MockActivityEnvironment } from '@temporalio/testing';
import aslValidator from 'asl-validator';

import { importEntry, importPackage } from '../lib/consumer.mjs';
import { checkPrograms, importProgram, program, serve } from '../lib/programs.mjs';

const { RetryPolicy } = await importPackage();
const presets = await importEntry('presets');
const { cloudTasks, grpc, pgBoss, sqs, stepFunctions, temporal } = await importEntry('engines');

const EXPORTERS = { cloudTasks, grpc, pgBoss, sqs, stepFunctions, temporal };
const policyOf = (options) => new RetryPolicy(options);
const lost = ({ losses }) => losses.map(({ option }) => option);

/** The policies that an engine can say in full, and its configuration. */
const WHOLE = [
  [
    pgBoss,
    { baseMs: 4000, jitter: 'equal', capMs: 64_000, maxAttempts: 6, attemptTimeoutMs: 30_000 },
    { retryLimit: 5, expireInSeconds: 30, retryDelay: 2, retryBackoff: true, retryDelayMax: 64 },
    ['capMs'], // whatever the cap is, it clips
  ],
  [pgBoss, { backoff: 'fixed', baseMs: 5000, jitter: 'none' }, { retryLimit: 5, retryDelay: 5, retryBackoff: false }],
  [
    temporal,
    { baseMs: 250, jitter: 'none', factor: 3, maxAttempts: Infinity, attemptTimeoutMs: 2000, totalTimeoutMs: 60_000 },
    {
      startToCloseTimeout: 2000,
      scheduleToCloseTimeout: 60_000,
      retry: { initialInterval: 250, backoffCoefficient: 3, maximumInterval: 10_000, maximumAttempts: Infinity },
    },
  ],
  [
    temporal,
    { backoff: 'truncated', truncateAt: 5, baseMs: 100, jitter: 'none' },
    { retry: { initialInterval: 100, backoffCoefficient: 2, maximumInterval: 1600, maximumAttempts: 6 } },
  ],
  [
    stepFunctions,
    { baseMs: 2000, capMs: 60_000, factor: 1.5, attemptTimeoutMs: 10_000 },
    {
      TimeoutSeconds: 10,
      Retry: [
        {
          ErrorEquals: ['States.ALL'],
          IntervalSeconds: 2,
          BackoffRate: 1.5,
          MaxDelaySeconds: 60,
          MaxAttempts: 5,
          JitterStrategy: 'FULL',
        },
      ],
    },
  ],
  [
    stepFunctions,
    { backoff: 'fixed', baseMs: 1000, jitter: 'none', maxAttempts: 1 },
    {
      Retry: [
        { ErrorEquals: ['States.ALL'], IntervalSeconds: 1, BackoffRate: 1, MaxAttempts: 0, JitterStrategy: 'NONE' },
      ],
    },
  ],
  [
    cloudTasks,
    { baseMs: 10_000, capMs: 320_000, jitter: 'none', maxAttempts: Infinity },
    { maxAttempts: -1, minBackoff: '10s', maxBackoff: '320s', maxDoublings: 5 },
  ],
  [
    cloudTasks,
    { backoff: 'linear', baseMs: 100, capMs: 5000, jitter: 'none' },
    { maxAttempts: 6, minBackoff: '0.1s', maxBackoff: '5s', maxDoublings: 0 },
  ],
  [
    grpc,
    { ...presets.grpc, totalTimeoutMs: 2500 },
    {
      methodConfig: [
        {
          name: [{}],
          timeout: '2.5s',
          retryPolicy: {
            maxAttempts: 4,
            initialBackoff: '0.1s',
            maxBackoff: '1s',
            backoffMultiplier: 2,
            retryableStatusCodes: ['UNAVAILABLE'],
          },
        },
      ],
    },
  ],
];

test('policies that an engine can say in full lose nothing', () => {
  for (const [exporter, options, config, losses = []] of WHOLE) {
    const policy = policyOf(options);
    const exported = exporter(policy);
    assert.deepEqual(exported.config, config);
    assert.deepEqual(lost(exported), losses, JSON.stringify(exported.losses));
    if (losses.length === 0) assert.deepEqual(exporter(policy, { strict: true }), exported);
  }
});

const ODD = {
  jitter: 'decorrelated',
  minMs: 30,
  seed: 7,
  maxRetryAfterMs: 5,
  attemptTimeoutMs: 1500,
  totalTimeoutMs: 9,
};

/** Options of a policy, and those of them that are lost in each engine. */
const LOSSES = [
  [
    {},
    {
      cloudTasks: ['jitter'],
      grpc: ['jitter', 'maxAttempts'],
      pgBoss: ['jitter', 'baseMs'],
      sqs: [],
      temporal: ['jitter'],
      stepFunctions: ['baseMs'],
    },
  ],
  [
    { backoff: [500, 1500], jitter: 'none' },
    {
      cloudTasks: ['backoff'],
      grpc: ['backoff', 'jitter', 'maxAttempts'],
      pgBoss: ['backoff', 'jitter', 'baseMs', 'capMs'],
      sqs: ['capMs'],
      temporal: ['backoff'],
      stepFunctions: ['backoff', 'baseMs', 'capMs'],
    },
  ],
  [
    { backoff: 'fibonacci', jitter: 'none' },
    {
      cloudTasks: ['backoff', 'factor'],
      grpc: ['backoff', 'jitter', 'maxAttempts'],
      pgBoss: ['backoff', 'factor', 'jitter', 'baseMs'],
      sqs: [],
      temporal: ['backoff'],
      stepFunctions: ['backoff', 'baseMs'],
    },
  ],
  [
    { ...ODD, maxAttempts: 5 },
    {
      cloudTasks: ['backoff', 'jitter', 'minMs', 'maxRetryAfterMs', 'attemptTimeoutMs', 'totalTimeoutMs', 'seed'],
      grpc: ['backoff', 'jitter', 'minMs', 'maxRetryAfterMs', 'attemptTimeoutMs', 'seed'],
      pgBoss: ['attemptTimeoutMs', 'backoff', 'jitter', 'baseMs', 'minMs', 'maxRetryAfterMs', 'totalTimeoutMs', 'seed'],
      sqs: ['maxRetryAfterMs', 'attemptTimeoutMs', 'totalTimeoutMs'],
      stepFunctions: [
        'backoff',
        'jitter',
        'baseMs',
        'attemptTimeoutMs',
        'minMs',
        'maxRetryAfterMs',
        'totalTimeoutMs',
        'seed',
      ],
      temporal: ['backoff', 'jitter', 'minMs', 'maxRetryAfterMs', 'seed'],
    },
  ],
  [
    { maxAttempts: Infinity, capMs: Infinity, baseMs: 2000 },
    {
      cloudTasks: ['jitter', 'capMs'],
      grpc: ['jitter', 'maxAttempts'],
      pgBoss: ['maxAttempts', 'jitter'],
      sqs: ['capMs', 'maxAttempts'],
      temporal: ['jitter'],
      stepFunctions: ['capMs', 'maxAttempts'],
    },
  ],
  [
    { ...presets.googleHttpClient, maxAttempts: 3, totalTimeoutMs: Infinity },
    {
      cloudTasks: ['jitter', 'factor'],
      grpc: ['jitter'],
      pgBoss: ['factor', 'jitter', 'baseMs'],
      sqs: [],
      temporal: ['jitter'],
      stepFunctions: ['jitter', 'baseMs'],
    },
  ],
  [{ jitter: { type: 'proportional', ratio: 0.2 }, maxAttempts: 2 }, { grpc: ['capMs'] }],
  [{ baseMs: 1000, capMs: 8000, maxAttempts: 2 }, { stepFunctions: [] }],
  [{ ...presets.awsSdk2020 }, { stepFunctions: ['capMs'] }],
];

test('each loss is an option with both values and a sentence', () => {
  for (const [options, engines] of LOSSES)
    for (const [name, wanted] of Object.entries(engines)) {
      const exported = EXPORTERS[name](policyOf(options));
      assert.deepEqual(lost(exported).toSorted(), wanted.toSorted(), `${name}, ${JSON.stringify(options)}`);
      for (const { option, text } of exported.losses) assert.match(text, new RegExp(`^${option}: \\w.*\\.$`));
      if (wanted.length === 0) continue;
      const strict = () => EXPORTERS[name](policyOf(options), { strict: true });
      assert.throws(strict, ({ message }) => exported.losses.every(({ text }) => message.includes(text)));
    }
});

test('what is no policy, and a backoff that is no data, are refused', () => {
  for (const exporter of Object.values(EXPORTERS)) {
    assert.throws(() => exporter({ baseMs: 5 }), /^TypeError: .*must be a RetryPolicy/);
    assert.throws(() => exporter(policyOf({ backoff: (k) => k })), /^TypeError: .*backoff must be a name or a list/);
  }
});

test('Step Functions: each state is valid by the published schema', () => {
  const Resource = 'arn:aws:lambda:eu-west-1:123456789012:function:f';
  // All in one machine: the schema is compiled once more for each.
  const problems = (states) => {
    const named = states.map((state, i) => {
      const next = i + 1 < states.length ? { Next: `S${i + 1}` } : { End: true };
      return [`S${i}`, { Type: 'Task', Resource, ...state, ...next }];
    });
    return aslValidator({ StartAt: 'S0', States: Object.fromEntries(named) }).errors;
  };
  const policies = [...WHOLE, ...LOSSES].map(([first, second]) => (typeof first === 'function' ? second : first));
  const states = policies.map((options) => stepFunctions(policyOf(options)).config);
  assert.deepEqual(problems(states), []);
  assert.notDeepEqual(problems([{ Retry: [{ ...states[0].Retry[0], MaxAttempts: -1 }] }]), [], 'control');
  // The language's documentation has the fields that the schema does not know.
  for (const { Retry } of states)
    for (const { IntervalSeconds, MaxDelaySeconds = IntervalSeconds + 1, MaxAttempts, BackoffRate } of Retry) {
      assert.ok(Number.isInteger(IntervalSeconds) && IntervalSeconds >= 1 && IntervalSeconds <= 99_999_999);
      assert.ok(
        Number.isInteger(MaxDelaySeconds) && MaxDelaySeconds >= IntervalSeconds && MaxDelaySeconds < 31_622_400,
      );
      assert.ok(Number.isInteger(MaxAttempts) && MaxAttempts <= 99_999_999 && BackoffRate >= 1);
    }
});

test("gRPC: each config passes grpc-js's own check", () => {
  for (const [options] of LOSSES) {
    const { config } = grpc(policyOf(options));
    assert.equal(
      validateServiceConfig(config).methodConfig[0].retryPolicy.maxAttempts,
      config.methodConfig[0].retryPolicy.maxAttempts,
    );
  }
  assert.deepEqual(grpc(policyOf({ maxAttempts: 1 })).config, { methodConfig: [{ name: [{}] }] });
  const wrong = grpc(policyOf()).config;
  wrong.methodConfig[0].retryPolicy.initialBackoff = '100';
  assert.throws(() => validateServiceConfig(wrong), 'control');
});

/** The waits of Cloud Tasks in seconds, as its documentation describes them. */
function cloudWaits({ minBackoff, maxBackoff, maxDoublings }, n) {
  const [least, most] = [parseFloat(minBackoff), parseFloat(maxBackoff)];
  let wait = least;
  return Array.from({ length: n }, (_, i) => {
    const now = Math.min(wait, most);
    wait = i < maxDoublings ? wait * 2 : wait + least * 2 ** maxDoublings;
    return now;
  });
}

test('Cloud Tasks: by its documented rule, the waits are those of the policy', () => {
  const documented = { minBackoff: '10s', maxBackoff: '300s', maxDoublings: 3 };
  assert.deepEqual(cloudWaits(documented, 8), [10, 20, 40, 80, 160, 240, 300, 300]);
  for (const options of [{}, { capMs: 7000 }, { backoff: 'linear', capMs: 750 }, { backoff: 'fixed' }, { baseMs: 3 }]) {
    const policy = policyOf({ ...options, jitter: 'none', maxAttempts: 15 });
    const { config, losses } = cloudTasks(policy);
    assert.deepEqual(losses, []);
    const wanted = [...policy.delays()].map((ms) => ms / 1000);
    for (const [i, wait] of cloudWaits(config, 14).entries()) assert.ok(Math.abs(wait - wanted[i]) < 1e-9, `${i}`);
  }
});

test('SQS: a message is hidden for the wait of the policy, at most 12 hours', () => {
  const policy = policyOf({ backoff: 'fibonacci', baseMs: 60_000, capMs: Infinity, maxAttempts: 50 });
  const { config } = sqs(policy);
  assert.deepEqual(config.redrivePolicy, { maxReceiveCount: 50 });
  for (const count of [1, 2, 7, 20, 49]) {
    const seconds = config.visibilityTimeout(count, 'message 1');
    assert.equal(seconds, Math.min(43_200, Math.ceil(policy.delayMs(count, { seed: 'message 1' }) / 1000)));
    assert.ok(Number.isInteger(seconds) && seconds >= 0 && seconds <= 43_200);
  }
  assert.equal(sqs(policyOf({ maxAttempts: 5000 })).config.redrivePolicy.maxReceiveCount, 1000);
});

test('Temporal: in its mock environment, the activity says when it wants to run again', async () => {
  const statuses = [503, 404, 200];
  const keys = [];
  const api = await serve(({ headers }) => {
    keys.push(headers['idempotency-key']);
    return { status: statuses[keys.length - 1], text: 'paid' };
  });
  const { charge, policy } = await importProgram('temporal-activities', { PAYMENTS: api.url });
  const run = (attempt) => {
    const workflowExecution = { workflowId: 'order-7', runId: 'r' };
    return new MockActivityEnvironment({ attempt, activityId: 'a1', workflowExecution }).run(charge, '7');
  };
  const failure = await run(3).catch((error) => error);
  assert.deepEqual(
    [failure.constructor.name, failure.nonRetryable, failure.nextRetryDelay, failure.cause.status],
    ['ApplicationFailure', false, Math.ceil(policy.delayMs(3, { seed: 'order-7/a1' })), 503],
  );
  assert.equal((await run(4).catch((error) => error)).nonRetryable, true);
  assert.equal(await run(5), 'paid');
  assert.deepEqual(keys, Array(3).fill('order-7/a1'));
  api.close();
});

test('Temporal: both programs compile, and the workflow has the exported options', async () => {
  await checkPrograms(['temporal-activities', 'temporal-workflow']);
  const { config } = temporal(policyOf({ baseMs: 1000, capMs: 60_000, maxAttempts: 8 }));
  const [, shown] = /retry: (\{.*?\})/.exec(program('temporal-workflow'));
  assert.deepEqual(new Function(`return (${shown})`)(), config.retry);
});
