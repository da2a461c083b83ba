// The defaults of the documented table of options, against the package. Its names and ranges are the table by which
// options/options.test.mjs tries values (lib/badvalues.mjs).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { documentedDefaults, evaluate } from '../lib/readers.mjs';
import { importAll } from '../protection/entry.mjs';

const { RetryPolicy, retryAfter } = await importPackage();
const { budget, protect } = await importAll();

/** Functions to retry: most options are seen by the first. */
const FUNCTIONS = {
  // A server's wait of a minute, one that is longer, and failures.
  fails: (attempt, clock) => {
    if (attempt === 2) throw retryAfter(60_000, new Error('a minute'));
    if (attempt === 8) throw retryAfter(60_001, new Error('longer'));
    clock.now += 1;
    throw new Error('down');
  },
  hangs: () => new Promise(() => {}),
  returns: (attempt) => attempt,
};

/** An operation: its waits, hooks, outcome, report and timers, as text. */
async function behaviour(options, fn) {
  const log = [];
  const { clock } = await underClock((virtual) => {
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (...args) => Object.assign(setTimeout(...args), { unref: () => log.push('unref') });
    const policy = new RetryPolicy({
      seed: 11,
      totalTimeoutMs: 3_600_000,
      ...options,
      onRetry: ({ delayMs }) => log.push(delayMs),
      onGiveUp: ({ reason, report }) => log.push(reason, report.attempts, report.elapsedMs),
    });
    return policy
      .run(({ attempt }) => FUNCTIONS[fn](attempt, virtual))
      .then(
        (value) => log.push(value),
        (error) => log.push(error.name, error.message),
      )
      .finally(() => log.push(typeof policy.metrics()));
  });
  return JSON.stringify([log, clock.delays], (_, value) => (value === Infinity ? 'Infinity' : value));
}

/** For each option with a default: another value, which must be seen to behave otherwise, and what it needs. */
const OTHERS = {
  baseMs: [50],
  capMs: [700, { maxAttempts: 12 }],
  minMs: [90],
  backoff: ['fixed'],
  factor: [3],
  stepMs: [30, { backoff: 'linear' }],
  truncateAt: [3, { backoff: 'truncated' }],
  jitter: ['none'],
  maxAttempts: [4],
  maxRetryAfterMs: [59_000],
  longRetryAfter: ['cap', { maxAttempts: 12 }],
  retryIf: [() => false],
  retryOnResult: [() => true, {}, 'returns'],
  attemptTimeoutMs: [5, {}, 'hangs'],
  totalTimeoutMs: [500],
  unref: [true],
  finalError: ['wrap'],
  finalResult: ['reject', { retryOnResult: () => true }, 'returns'],
  metrics: [true],
  protection: [protect(budget({ capacity: 1 }))],
};
const STATED = documentedDefaults().filter(([, standard]) => standard !== undefined);

for (const [name, standard] of STATED) {
  test(`${name}: the default is ${standard}`, async () => {
    const [other, beside, fn = 'fails'] = OTHERS[name];
    const behaves = (value) => behaviour({ ...beside, [name]: value }, fn);
    const omitted = await behaves(undefined);
    assert.equal(await behaves(evaluate(standard, { baseMs: 100 })), omitted);
    // The control: what it is compared by would show another value.
    assert.notEqual(await behaves(other), omitted);
  });
}

test('every option with a default is among those tested', () => {
  assert.deepEqual(STATED.map(([name]) => name).sort(), Object.keys(OTHERS).sort());
});
