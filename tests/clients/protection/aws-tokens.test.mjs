// A budget with the preset 'awsSdk2026' beside the strategy of the AWS SDK itself: the same tokens after each
// operation, whatever it met, throttling by name included.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { StandardRetryStrategy, isThrottlingError, isTransientError as passesInSdk } from '@smithy/core/retry';

import { withGlobals } from '../../package/lib/clock.mjs';
import { importEntry, importPackage } from '../../package/lib/consumer.mjs';
import { generator } from '../../package/schedules/random.mjs';

const { isTransientError, retrySync } = await importPackage();
const { budget, protect } = await importEntry('protection');

const SEQUENCES = 10_000;
const ATTEMPTS = 3;
const named = (name, httpStatusCode = 400) => Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });
/** What attempts meet: the throttling of DynamoDB, S3 and others, a server that fails, a lost connection, a mistake. */
const FAILURES = [
  ...['ProvisionedThroughputExceededException', 'ThrottlingException', 'LimitExceededException'].map((name) =>
    named(name),
  ),
  ...[named('SlowDown', 503), named('TooManyRequestsException', 429), named('InternalFailure', 500)],
  Object.assign(named('Unknown'), { $retryable: { throttling: true } }),
  Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', $metadata: {} }),
  named('AccessDeniedException'),
];

/** One operation of the SDK's: what its middleware for retries does. Returns whether it succeeded. */
async function inSdk(strategy, ends) {
  let token = await strategy.acquireInitialRetryToken('x');
  for (const error of ends) {
    if (error === undefined) return strategy.recordSuccess(token);
    const errorType = isThrottlingError(error) ? 'THROTTLING' : passesInSdk(error) ? 'TRANSIENT' : 'CLIENT_ERROR';
    try {
      token = await strategy.refreshRetryTokenForRetry(token, { error, errorType });
    } catch {
      return undefined;
    }
  }
  return undefined;
}

test(`${SEQUENCES} random sequences: the tokens of the budget are those of the SDK`, async () => {
  let empty = 0;
  const play = async () => {
    for (let index = 0; index < SEQUENCES; index += 1) {
      const g = generator(58, index);
      const fails = g.pick([0.1, 0.5, 0.95]);
      const backoff = { setDelayBase() {}, computeNextBackoffDelay: () => 0 };
      const strategy = new StandardRetryStrategy({ maxAttempts: ATTEMPTS, backoff });
      const protection = protect(budget({ preset: 'awsSdk2026' }));
      const tokens = () => protection.status().budget.tokens;
      for (let op = g.chance(0.1) ? 60 : g.whole(1, 8); op > 0; op -= 1) {
        const ends = g.list(ATTEMPTS, () => (g.chance(fails) ? g.pick(FAILURES) : undefined));
        await inSdk(strategy, ends);
        let attempt = 0;
        const call = () => {
          attempt += 1;
          if (ends[attempt - 1] !== undefined) throw ends[attempt - 1];
        };
        try {
          retrySync(call, { maxAttempts: ATTEMPTS, baseMs: 0, retryIf: isTransientError, protection });
        } catch (error) {
          assert.ok(FAILURES.includes(error), error.stack);
        }
        assert.equal(tokens(), strategy.getCapacity(), `sequence ${index}, ${ends.map((error) => error?.name)}`);
      }
      if (tokens() < 14) empty += 1;
    }
  };
  // The SDK waits for no time, too.
  await withGlobals({ setTimeout: (callback) => queueMicrotask(callback) }, play);
  assert.ok(empty > 50, `${empty} budgets were exhausted`);
});
