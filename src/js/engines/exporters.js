// An exporter for each engine that retries by itself. Limits and rules are those of the engines' documentation.

import { FOREVER, MOST_INT, exporter } from './exporter.js';
import { countOf } from './policy.js';

/** The longest visibility timeout in SQS, in seconds, from the receipt of the message. */
const TWELVE_HOURS = 43_200;

/** The longest `MaxDelaySeconds` of Step Functions. */
const MOST_DELAY = 31_622_399;

/** After so many, pg-boss and Cloud Tasks double no more. */
const DOUBLINGS = 16;

const ATTEMPT = ['attemptTimeoutMs'];
const BOTH = ['attemptTimeoutMs', 'totalTimeoutMs'];

/** A duration of protocol buffers, as JSON. @param {number} ms */
const duration = (ms) => `${Number((ms / 1000).toFixed(9))}s`;

// Wait k is uniform between d * 2^(k-1) and d * 2^k seconds: equal jitter with base 2d. The result is clipped.
export const pgBoss = /* @__PURE__ */ exporter('pgBoss', 'pg-boss', ATTEMPT, (draft) => {
  const { data, factor, jitter, baseMs, capMs, lastMs } = draft;
  const limits = {
    retryLimit: draft.within('maxAttempts', draft.maxAttempts, 1, MOST_INT + 1) - 1,
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
    'clips draws: jobs at the cap return together',
  );
  const retryDelay = draft.seconds('baseMs', baseMs, MOST_INT, 1, 2);
  const longest = retryDelay * 2 ** DOUBLINGS * 1000;
  if (Math.min(lastMs, capMs, FOREVER) > longest) draft.lose('capMs', capMs, longest, `doubles ${DOUBLINGS} times`);
  return {
    ...limits,
    retryDelay,
    retryBackoff: true,
    retryDelayMax: Math.max(retryDelay, draft.seconds('capMs', capMs, FOREVER / 1000)),
  };
});

export const temporal = /* @__PURE__ */ exporter('temporal', 'Temporal', BOTH, (draft) => {
  const { data, maxAttempts } = draft;
  const { attemptTimeoutMs, totalTimeoutMs } = data;
  draft.exponential();
  draft.draws('none', 'draws nothing: throw an ApplicationFailure with nextRetryDelay instead');
  const initialInterval = draft.within('baseMs', draft.baseMs, 1, FOREVER);
  return {
    ...(attemptTimeoutMs && { startToCloseTimeout: attemptTimeoutMs }),
    ...(totalTimeoutMs && { scheduleToCloseTimeout: totalTimeoutMs }),
    retry: {
      initialInterval,
      backoffCoefficient: draft.factor,
      maximumInterval: Math.max(initialInterval, draft.within('capMs', draft.capMs, 1, FOREVER)),
      // Left out, it is unlimited. JSON, as which a workflow has the options, has no infinity.
      ...(maxAttempts < Infinity && { maximumAttempts: draft.within('maxAttempts', maxAttempts, 1, MOST_INT) }),
    },
  };
});

export const stepFunctions = /* @__PURE__ */ exporter('stepFunctions', 'Step Functions', ATTEMPT, (draft) => {
  const { data, factor, jitter } = draft;
  draft.exponential();
  if (jitter !== 'none') draft.draws('full', 'draws between 0 and the wait', 'bound', 'draws below the cap');
  // The longest wait may not be shorter than the first one.
  const interval = draft.seconds('baseMs', draft.baseMs, factor > 1 ? MOST_DELAY : 99_999_999);
  return {
    ...(data.attemptTimeoutMs && {
      TimeoutSeconds: draft.seconds('attemptTimeoutMs', data.attemptTimeoutMs, 99_999_999),
    }),
    Retry: [
      {
        ErrorEquals: ['States.ALL'],
        IntervalSeconds: interval,
        BackoffRate: factor,
        ...(factor > 1 && { MaxDelaySeconds: Math.max(interval, draft.seconds('capMs', draft.capMs, MOST_DELAY)) }),
        MaxAttempts: draft.within('maxAttempts', draft.maxAttempts, 1, 100_000_000) - 1,
        JitterStrategy: jitter === 'none' ? 'NONE' : 'FULL',
      },
    ],
  };
});

// The queue has no backoff: whoever receives a message says how long it stays hidden.
export const sqs = /* @__PURE__ */ exporter('sqs', 'SQS', ['minMs', 'seed'], (draft) => {
  const { list, policy } = draft;
  const whole = list?.map((ms) => Math.ceil(ms / 1000) * 1000);
  if (!list) draft.seconds('baseMs', draft.baseMs, TWELVE_HOURS, 0);
  else if (`${whole}` !== `${list}`) draft.lose('backoff', list, whole, 'counts whole seconds');
  const longest = draft.seconds('capMs', draft.capMs, TWELVE_HOURS, 0);
  return {
    redrivePolicy: { maxReceiveCount: draft.within('maxAttempts', draft.maxAttempts, 1, 1000) },
    /** @param {number | string} receiveCount @param {string} messageId @param {number} [elapsedMs] since the receipt */
    visibilityTimeout(receiveCount, messageId, elapsedMs = 0) {
      const left = Math.max(0, Math.floor(TWELVE_HOURS - Math.max(0, elapsedMs) / 1000));
      const ms = policy.delayMs(countOf('receiveCount', receiveCount), { seed: messageId });
      return Math.min(left, longest, Math.ceil(ms / 1000));
    },
  };
});

// Waits double maxDoublings times, then grow by the last one. The service cuts fractions of a second.
export const cloudTasks = /* @__PURE__ */ exporter('cloudTasks', 'Cloud Tasks', [], (draft) => {
  const { backoff, factor, maxAttempts } = draft;
  const linear = backoff === 'linear';
  draft.exponential('linear');
  draft.draws('none', 'documents no jitter');
  if (linear && draft.stepMs !== draft.baseMs)
    draft.lose('stepMs', draft.stepMs, draft.baseMs, 'adds the first wait each time');
  if (!linear && factor !== 1) draft.doubles();
  const least = draft.seconds('baseMs', draft.baseMs, FOREVER / 1000, 0);
  const most = Math.max(least, draft.seconds('capMs', draft.capMs, FOREVER / 1000, 0));
  const doublings = linear || factor === 1 || least === 0 ? 0 : Math.ceil(Math.log2(most / least));
  if (Math.min(doublings, maxAttempts - 2) > DOUBLINGS)
    draft.lose('backoff', backoff, 'linear', `doubles the waits ${DOUBLINGS} times, then adds`);
  return {
    maxAttempts: maxAttempts === Infinity ? -1 : draft.within('maxAttempts', maxAttempts, 1, MOST_INT),
    minBackoff: `${least}s`,
    maxBackoff: `${most}s`,
    maxDoublings: Math.min(doublings, DOUBLINGS),
  };
});

// The service config of proposal A6, for all methods. Clients draw 20% around each wait.
export const grpc = /* @__PURE__ */ exporter('grpc', 'gRPC', ['totalTimeoutMs'], (draft) => {
  const { totalTimeoutMs } = draft.data;
  draft.exponential();
  if (draft.ratio !== 0.2) draft.jitter += draft.ratio ?? '';
  draft.draws('proportional', 'draws 20% around each wait', 'ceiling', 'may wait 20% longer than the cap', 1.2);
  const retryPolicy = {
    maxAttempts: draft.within('maxAttempts', draft.maxAttempts, 1, 5),
    initialBackoff: duration(draft.within('baseMs', draft.baseMs, 1, FOREVER)),
    maxBackoff: duration(draft.within('capMs', draft.capMs, 1, FOREVER)),
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
