// Data properties of Object.prototype, as a careless merge of JSON leaves them, change no outcome.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { underBlockingClock } from '../lib/blocking.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';

const { RetryPolicy, permanent, retry, retryAfter, retryReport, retrySync } = await importPackage();
const { fromData } = await importEntry('data');
const { awsSdk2026, polly } = await importEntry('presets');
const PRESETS = [awsSdk2026, polly];

const NAMES = `
  baseMs capMs minMs factor backoff jitter stepMs truncateAt maxRetryAfterMs longRetryAfter maxAttempts attemptTimeoutMs
  totalTimeoutMs signal retryIf retryOnResult onAttempt onFailure onRetry onSuccess onGiveUp beforeRetry name random
  seed unref finalError finalResult metrics counter capRule curve spread rule watched refused because
  stop afterMs error result reason report attempt attempts attemptsLeft elapsedMs delayMs hintMs cause errors message
  permanent wraps value get set writable enumerable configurable then aborted expired ended load
  type ratio maxMs version options hooks settings fn outcome failed records recorded context fault exhausted
  callback startMs durationMs dropped operations inFlight failures limits wake default length handler
`
  .trim()
  .split(/\s+/);
let called = 0;
const VALUES = [
  true,
  5,
  'x',
  () => {
    called += 1;
    return 'polluted';
  },
  { afterMs: 7 },
];

const E = Object.freeze(Object.create(null));
const fail = fails(E);
const none = { jitter: 'none' };
const twice = { ...none, maxAttempts: 2 };

/** Callbacks and options of operations of every kind. */
const OPERATIONS = {
  exhausted: [fail, { ...none, maxAttempts: 3 }],
  hint: [fails(retryAfter(20, E)), { random: () => 0.5, maxAttempts: 2 }],
  permanent: [fails(permanent(E))],
  verdict: [fail, { maxAttempts: 2, retryIf: () => ({ afterMs: 30 }) }],
  invalid: [fail, { retryIf: () => ({}) }],
  result: [() => 'pending', { ...twice, retryOnResult: () => true }],
  rejected: [() => 'pending', { ...twice, retryOnResult: () => true, finalResult: 'reject' }],
  wrapped: [fail, { ...twice, finalError: 'wrap' }],
  timeout: [() => new Promise(() => {}), { ...twice, attemptTimeoutMs: 40 }],
  deadline: [() => new Promise(() => {}), { totalTimeoutMs: 40 }],
};

/** Program that runs them, and others, and returns as data how each ended. */
const SCENARIOS = {
  ...Object.fromEntries(
    Object.entries(OPERATIONS).map(([kind, args]) => [kind, () => underClock((clock) => noted(clock, retry(...args)))]),
  ),
  hooks: async () => {
    const told = [];
    const fn = ({ attempt }) => (attempt < 2 ? fail() : 'value');
    const onRetry = ({ attempt }) => void told.push(attempt);
    await underClock((clock) => noted(clock, retry(fn, { ...none, onRetry })));
    return told;
  },
  policy: async () => {
    const policy = new RetryPolicy({ ...twice, metrics: true });
    const end = await underClock((clock) => noted(clock, policy.run(fail)));
    return [end, { ...policy.metrics().failures }, [...policy.delays()]];
  },
  seeds: () => {
    // Unseeded lists differ from each other, seeded ones do not.
    const lists = ['delays', 'data'].map((name) => {
      const policy = name === 'data' ? fromData({ version: 1, maxAttempts: 4 }) : new RetryPolicy({ maxAttempts: 4 });
      const [one, other] = [[...policy.delays({})].join(), [...policy.delays()].join()];
      return one !== other && [...policy.delays({ seed: 1 })].join();
    });
    return lists;
  },
  data: () => {
    const jitter = { type: 'proportional', ratio: 0.5 };
    const policies = [
      fromData({ version: 1, maxAttempts: 4, jitter }),
      ...PRESETS.map((each) => new RetryPolicy(each)),
    ];
    let refused;
    try {
      fromData({});
    } catch (error) {
      refused = error.message;
    }
    return [refused, ...policies.map((policy) => Object.entries(policy.toJSON()))];
  },
  'a run with options': async () => {
    const policy = new RetryPolicy({ ...none, seed: 1 });
    const ends = [];
    for (const options of [undefined, {}, { maxAttempts: 3 }])
      ends.push(await underClock((clock) => noted(clock, policy.run(fail, options))));
    return ends.map(({ value }) => value);
  },
  sync: () => {
    const run = () => retrySync(fail, { ...none, maxAttempts: 3 });
    const { error, clock } = underBlockingClock(run, { wake: (ms) => ms, start: 1000 });
    return [error === E, clock.waits, told(retryReport(error))];
  },
};

/** A report in data that pollution does not reach. */
const told = (report) =>
  report && [
    report.reason,
    report.attempts,
    report.elapsedMs,
    report.dropped,
    report.records.map((record) =>
      Object.entries(record).map(([key, value]) => [
        key,
        typeof value === 'number' || typeof value === 'string' ? value : typeof value,
      ]),
    ),
  ];

async function noted(clock, promise) {
  const end = await promise.then(
    (value) => ['resolved', value],
    (error) => [
      'rejected',
      error === E || [error.message, error.name],
      told(retryReport(error)),
      Object.hasOwn(Object(error), 'errors') && error.errors.length,
    ],
  );
  return [end, clock.delays];
}

const play = async (scenario) => {
  const outcome = await scenario();
  return JSON.stringify(Object.hasOwn(outcome, 'clock') ? [outcome.rejected, outcome.value] : outcome);
};

test('O01 no outcome depends on data properties of Object.prototype', async () => {
  const changed = [];
  for (const [kind, scenario] of Object.entries(SCENARIOS)) {
    const plain = await play(scenario);
    for (const name of NAMES) {
      for (const value of VALUES) {
        // With this every object is a thenable, which never settles.
        if (name === 'then' && typeof value === 'function') continue;
        const attributes = { __proto__: null, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(Object.prototype, name, { ...attributes, __proto__: null, value });
        let seen;
        try {
          seen = await play(scenario).catch((error) => String(error?.stack ?? error));
        } finally {
          delete Object.prototype[name];
        }
        if (called > 0) changed.push(`${kind}, ${name}: called ${called} times`);
        called = 0;
        if (seen !== plain)
          changed.push(
            `${kind}, ${name} = ${typeof value === 'function' ? 'a function' : JSON.stringify(value)}: ${seen} ` +
              `instead of ${plain}`,
          );
      }
    }
  }
  assert.deepEqual(changed, []);
});
