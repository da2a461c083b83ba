// @ts-check
// An exporter for each engine that retries by itself. Limits and rules are those of the engines' documentation.

import { exporter } from './exporter.js';

const MOST_INT = 2 ** 31 - 1;

/** A duration of protocol buffers, as JSON. @param {number} ms */
const duration = (ms) => `${Number((ms / 1000).toFixed(9))}s`;

// Wait k is uniform between d * 2^(k-1) and d * 2^k seconds: equal jitter with base 2d. The result is clipped.
export const pgBoss = /* @__PURE__ */ exporter('pgBoss', 'pg-boss', ['attemptTimeoutMs'], (draft) => {
  const { data, factor, jitter, baseMs, capMs } = draft;
  const retryLimit = draft.within('maxAttempts', draft.maxAttempts, 1, MOST_INT + 1) - 1;
  const limits = {
    retryLimit,
    ...(data.attemptTimeoutMs && { expireInSeconds: draft.seconds('attemptTimeoutMs', data.attemptTimeoutMs, 86_399) }),
  };
  draft.exponential();
  if (factor === 1 && jitter === 'none')
    return { ...limits, retryDelay: draft.seconds('baseMs', baseMs, MOST_INT), retryBackoff: false };
  draft.doubles();
  draft.draws(
    'equal',
    'draws from the upper half of each wait',
    'draw',
    'clips the drawn wait: jobs at the cap come back together',
  );
  return {
    ...limits,
    retryDelay: draft.seconds('baseMs', baseMs, MOST_INT, 2),
    retryBackoff: true,
    retryDelayMax: draft.seconds('capMs', capMs, MOST_INT),
  };
});

export const temporal = /* @__PURE__ */ exporter(
  'temporal',
  'Temporal',
  ['attemptTimeoutMs', 'totalTimeoutMs'],
  (draft) => {
    const { attemptTimeoutMs, totalTimeoutMs } = draft.data;
    draft.exponential();
    draft.draws('none', 'draws nothing: throw an ApplicationFailure with nextRetryDelay instead');
    return {
      ...(attemptTimeoutMs && { startToCloseTimeout: attemptTimeoutMs }),
      ...(totalTimeoutMs && { scheduleToCloseTimeout: totalTimeoutMs }),
      retry: {
        initialInterval: draft.within('baseMs', draft.baseMs, 1, Infinity),
        backoffCoefficient: draft.factor,
        maximumInterval: Math.max(1, draft.capMs),
        // Left out, it is unlimited. JSON, as which a workflow has the options, has no infinity.
        ...(draft.maxAttempts < Infinity && { maximumAttempts: draft.maxAttempts }),
      },
    };
  },
);

export const stepFunctions = /* @__PURE__ */ exporter(
  'stepFunctions',
  'Step Functions',
  ['attemptTimeoutMs'],
  (draft) => {
    const { data, factor, jitter } = draft;
    draft.exponential();
    if (jitter !== 'none') draft.draws('full', 'draws between 0 and the wait', 'bound', 'draws below the cap');
    const interval = draft.seconds('baseMs', draft.baseMs, 99_999_999);
    return {
      ...(data.attemptTimeoutMs && {
        TimeoutSeconds: draft.seconds('attemptTimeoutMs', data.attemptTimeoutMs, 99_999_999),
      }),
      Retry: [
        {
          ErrorEquals: ['States.ALL'],
          IntervalSeconds: interval,
          BackoffRate: factor,
          ...(factor > 1 && { MaxDelaySeconds: Math.max(interval, draft.seconds('capMs', draft.capMs, 31_622_399)) }),
          MaxAttempts: draft.within('maxAttempts', draft.maxAttempts, 1, 100_000_000) - 1,
          JitterStrategy: jitter === 'none' ? 'NONE' : 'FULL',
        },
      ],
    };
  },
);

// The queue has no backoff: whoever receives a message says how long it stays hidden.
export const sqs = /* @__PURE__ */ exporter('sqs', 'SQS', ['minMs', 'seed'], (draft) => {
  const longest = draft.seconds('capMs', draft.capMs, 43_200);
  return {
    redrivePolicy: { maxReceiveCount: draft.within('maxAttempts', draft.maxAttempts, 1, 1000) },
    /** @param {number} receiveCount @param {string} messageId */
    visibilityTimeout: (receiveCount, messageId) =>
      Math.min(longest, Math.ceil(draft.policy.delayMs(receiveCount, { seed: messageId }) / 1000)),
  };
});

// Waits double maxDoublings times, then grow by the last one.
export const cloudTasks = /* @__PURE__ */ exporter('cloudTasks', 'Cloud Tasks', [], (draft) => {
  const { backoff, baseMs, capMs, factor } = draft;
  const linear = backoff === 'linear';
  draft.exponential(['linear']);
  draft.draws('none', 'documents no jitter');
  if (linear && draft.stepMs !== baseMs) draft.lose('stepMs', draft.stepMs, baseMs, 'adds the first wait each time');
  if (!linear && factor !== 1) draft.doubles();
  const doublings = linear || factor === 1 ? 0 : Math.max(0, Math.ceil(Math.log2(capMs / baseMs) || 0));
  return {
    maxAttempts: draft.maxAttempts === Infinity ? -1 : draft.maxAttempts,
    minBackoff: duration(baseMs),
    maxBackoff: duration(capMs),
    maxDoublings: draft.within('capMs', doublings, 0, 16),
  };
});

// The service config of proposal A6, for all methods. Clients draw 20% around each wait.
export const grpc = /* @__PURE__ */ exporter('grpc', 'gRPC', ['totalTimeoutMs'], (draft) => {
  const { totalTimeoutMs } = draft.data;
  draft.exponential();
  if (draft.ratio !== 0.2) draft.jitter += draft.ratio ?? '';
  draft.draws(
    'proportional',
    'draws 20% around each wait',
    'ceiling',
    'draws around the cap: a wait may be 20% longer',
  );
  const retryPolicy = {
    maxAttempts: draft.within('maxAttempts', draft.maxAttempts, 1, 5),
    initialBackoff: duration(Math.max(1, draft.baseMs)),
    maxBackoff: duration(Math.max(1, draft.capMs)),
    backoffMultiplier: draft.factor,
    retryableStatusCodes: ['UNAVAILABLE'],
  };
  return {
    methodConfig: [
      {
        name: [{}],
        ...(totalTimeoutMs && { timeout: duration(totalTimeoutMs) }),
        // One attempt is the absence of a policy.
        ...(draft.maxAttempts > 1 && { retryPolicy }),
      },
    ],
  };
});
