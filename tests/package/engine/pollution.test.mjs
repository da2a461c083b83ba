// Data properties of Object.prototype, as a careless merge of JSON leaves them, change no outcome.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underBlockingClock } from '../lib/blocking.mjs';
import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { RetryPolicy, permanent, retry, retryAfter, retryReport, retrySync } = await importPackage();

const NAMES = `
  baseMs capMs minMs factor backoff jitter stepMs truncateAt maxRetryAfterMs longRetryAfter maxAttempts attemptTimeoutMs
  totalTimeoutMs signal retryIf retryOnResult onAttempt onFailure onRetry onSuccess onGiveUp beforeRetry name random
  seed unref finalError finalResult metrics counter capRule curve spread rule watched interruptible refused because
  stop afterMs error result reason report attempt attempts attemptsLeft elapsedMs delayMs hintMs cause errors message
  permanent wraps value get set writable enumerable configurable then aborted expired ended load
  type ratio maxMs version options hooks index settings fn outcome failed records recorded context fault exhausted
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
/** Operations of every kind; each says how it ended, in data. */
const SCENARIOS = {
  exhausted: () =>
    underClock((clock) =>
      noted(
        clock,
        retry(
          () => {
            throw E;
          },
          { jitter: 'none', maxAttempts: 3 },
        ),
      ),
    ),
  hooks: () => {
    const told = [];
    return underClock((clock) =>
      noted(
        clock,
        retry(
          ({ attempt }) => {
            if (attempt < 2) throw E;
            return 'value';
          },
          {
            jitter: 'none',
            onRetry: ({ attempt }) => {
              told.push(attempt);
            },
          },
        ),
      ),
    ).then(() => told);
  },
  hint: () =>
    underClock((clock) =>
      noted(
        clock,
        retry(
          () => {
            throw retryAfter(20, E);
          },
          { random: () => 0.5, maxAttempts: 2 },
        ),
      ),
    ),
  permanent: () =>
    underClock((clock) =>
      noted(
        clock,
        retry(() => {
          throw permanent(E);
        }),
      ),
    ),
  verdict: () =>
    underClock((clock) =>
      noted(
        clock,
        retry(
          () => {
            throw E;
          },
          { maxAttempts: 2, retryIf: () => ({ afterMs: 30 }) },
        ),
      ),
    ),
  nonsense: () =>
    underClock((clock) =>
      noted(
        clock,
        retry(
          () => {
            throw E;
          },
          { retryIf: () => ({}) },
        ),
      ),
    ),
  result: () =>
    underClock((clock) =>
      noted(
        clock,
        retry(() => 'pending', { jitter: 'none', maxAttempts: 2, retryOnResult: () => true }),
      ),
    ),
  rejected: () =>
    underClock((clock) =>
      noted(
        clock,
        retry(() => 'pending', { jitter: 'none', maxAttempts: 2, retryOnResult: () => true, finalResult: 'reject' }),
      ),
    ),
  wrapped: () =>
    underClock((clock) =>
      noted(
        clock,
        retry(
          () => {
            throw E;
          },
          { jitter: 'none', maxAttempts: 2, finalError: 'wrap' },
        ),
      ),
    ),
  timeout: () =>
    underClock((clock) =>
      noted(
        clock,
        retry(() => new Promise(() => {}), { jitter: 'none', maxAttempts: 2, attemptTimeoutMs: 40 }),
      ),
    ),
  deadline: () =>
    underClock((clock) =>
      noted(
        clock,
        retry(() => new Promise(() => {}), { totalTimeoutMs: 40 }),
      ),
    ),
  policy: () => {
    const policy = new RetryPolicy({ jitter: 'none', maxAttempts: 2, metrics: true });
    return underClock((clock) =>
      noted(
        clock,
        policy.run(() => {
          throw E;
        }),
      ),
    ).then((end) => [end, { ...policy.metrics().failures }, [...policy.delays()]]);
  },
  sync: () => {
    const { error, clock } = underBlockingClock(
      () =>
        retrySync(
          () => {
            throw E;
          },
          { jitter: 'none', maxAttempts: 3 },
        ),
      { wake: (ms) => ms, start: 1000 },
    );
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

test(`${NAMES.length} names × ${VALUES.length} values × ${Object.keys(SCENARIOS).length} runs: no effect`, async () => {
  const changed = [];
  for (const [kind, scenario] of Object.entries(SCENARIOS)) {
    const plain = await play(scenario);
    for (const name of NAMES) {
      for (const value of VALUES) {
        // With this every object is a thenable, which never settles.
        if (name === 'then' && typeof value === 'function') continue;
        Object.defineProperty(Object.prototype, name, {
          __proto__: null,
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });
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
