// retryOnResult with `finalResult: 'reject'`: what the RetryError says.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { RetryError, retry, retryReport } = await importPackage();

for (const [reason, options] of Object.entries({
  exhausted: { maxAttempts: 2 },
  deadline: { totalTimeoutMs: 150 },
  timeout: { totalTimeoutMs: 250 },
})) {
  test(`a RetryError names the reason ${reason}, holds the report and has no cause`, async () => {
    const poll = ({ attempt }) => (attempt === 3 ? new Promise(() => {}) : 'pending');
    const policy = { backoff: 'fixed', baseMs: 100, jitter: 'none', finalResult: 'reject', retryOnResult: () => true };
    const { error } = await underClock(() => retry(poll, { ...policy, ...options }));
    assert.ok(error instanceof RetryError);
    const message = new RegExp(
      `^rejitter: gave up after [23] attempts \\(${reason}\\): the last result was not accepted$`,
    );
    assert.match(error.message, message);
    assert.deepEqual([error.reason, error.report, error.cause], [reason, retryReport(error), undefined]);
  });
}
