// The presets against the numbers which each system publishes, and what each one's cap bounds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, vectors } from '../lib/consumer.mjs';
import { OWN_CURVE, kindsOf } from '../schedules/waits.mjs';

const { RetryPolicy, retryWithFullJitter } = await importPackage();
const presets = await importEntry('presets');
const VECTORS = vectors('presets');

/** The largest draw there is. */
const LAST = 1 - 2 ** -53;
const QUANTILES = [0.01, 0.1, 0.5, 0.9, 0.99];

/** The first n waits of a preset for a constant draw, or for a list of draws. */
function waits(name, n, r, overrides = {}) {
  let used = 0;
  const random = Array.isArray(r) ? () => r[used++] : () => r;
  const policy = new RetryPolicy({ ...presets[name], ...overrides, maxAttempts: n + 1, random });
  return [...policy.delays()];
}

const off = (actual, expected) => Math.abs(actual - expected) / Math.max(1e-300, Math.abs(expected));

function assertNear(actual, expected, within, label) {
  assert.equal(actual.length, expected.length, label);
  for (const [i, ms] of expected.entries())
    assert.ok(
      ms === actual[i] || off(actual[i], ms) <= within,
      `${label}, wait ${i + 1}: ${actual[i]} instead of ${ms}`,
    );
}

test('there are published numbers for every preset, and no others', () => {
  const names = Object.keys(presets).filter((name) => typeof presets[name] === 'object');
  assert.deepEqual(VECTORS.map(({ preset }) => preset).sort(), names.sort());
  // Those of Rust are held to the same.
  for (const { preset, policy } of VECTORS)
    assert.deepEqual(new RetryPolicy(presets[preset]).toJSON(), { version: 1, ...policy });
});

const BACKOFFS = [...kindsOf('backoff'), (k) => 7 * k, [5, 70_000]];
const JITTERS = [...kindsOf('jitter'), { type: 'proportional', ratio: 0.25 }, { type: 'additive', maxMs: 30 }];

/** The options that a backoff and a jitter leave room for, written down by hand. */
function fitting({ factor, stepMs, truncateAt, ...options }) {
  const { backoff = 'exponential', jitter = 'full' } = options;
  const curved = !OWN_CURVE.includes(jitter);
  return {
    ...options,
    ...(factor !== undefined && curved && backoff === 'exponential' && { factor }),
    ...(stepMs !== undefined && curved && backoff === 'linear' && { stepMs }),
    ...(truncateAt !== undefined && (backoff === 'truncated' || jitter === 'slotted') && { truncateAt }),
  };
}

for (const [name, preset] of Object.entries(presets).filter(([, value]) => typeof value === 'object')) {
  test(`${name} × each backoff and jitter: drops what belonged to the replaced one, keeps what the cap bounds`, () => {
    const { capRule } = new RetryPolicy(preset).toJSON();
    for (const backoff of [undefined, ...BACKOFFS]) {
      for (const jitter of [undefined, ...JITTERS]) {
        const overrides = { ...(backoff && { backoff }), ...(jitter && { jitter }) };
        const copy = new RetryPolicy({ ...preset, ...overrides, seed: 3, maxAttempts: 20 });
        const label = inspect(overrides);
        if (typeof backoff !== 'function') {
          const { capRule: kept, ...rest } = copy.toJSON();
          assert.equal(kept, capRule, label);
          const expected = new RetryPolicy(
            fitting({ ...Object.fromEntries(Object.entries(preset)), ...overrides, seed: 3, maxAttempts: 20 }),
          );
          assert.deepEqual(rest, expected.toJSON(), label);
        }
        // The same as overrides of a policy, and in one go.
        assert.deepEqual(
          [...new RetryPolicy(preset).with({ ...overrides, seed: 3, maxAttempts: 20 }).delays()],
          [...copy.delays()],
        );
      }
    }
  });
}

test('a preset is read whole by with() and run(), and overrides as a copy does', async () => {
  const own = new RetryPolicy({ backoff: 'linear', stepMs: 7, minMs: 5, factor: undefined, totalTimeoutMs: 5000 });
  for (const preset of Object.values(presets).filter((value) => typeof value === 'object')) {
    const { totalTimeoutMs = 5000, ...data } = new RetryPolicy(preset).toJSON();
    assert.deepEqual(own.with(preset).toJSON(), { ...data, totalTimeoutMs });
  }
  const { clock } = await underClock(() =>
    own.run(() => Promise.reject(new Error('down')), { ...presets.grpc, jitter: 'none' }).catch(() => {}),
  );
  assert.deepEqual(clock.delays.slice(1), [100, 200, 400]);
});

test('presets are frozen; what a copy leaves out is unset; a function rejects what its name determines', async () => {
  for (const preset of Object.values(presets)) {
    if (typeof preset === 'function') continue;
    assert.ok(Object.isFrozen(preset));
    assert.ok(Object.values(preset).every((value) => typeof value === 'function' || Object.isFrozen(value)));
    assert.deepEqual(Object.keys(preset), Object.keys({ ...preset }));
  }
  const { totalTimeoutMs, ...endless } = presets.googleHttpClient;
  assert.equal(totalTimeoutMs, 900_000);
  assert.equal(new RetryPolicy(endless).toJSON().totalTimeoutMs, undefined);
  assert.equal(new RetryPolicy(endless).toJSON().capRule, 'ceiling');
  await assert.rejects(
    retryWithFullJitter(() => 1, presets.grpc),
    /jitter must be omitted \(got an object\): the function's name determines it/,
  );
  // Inherited properties are no options.
  assert.throws(() => new RetryPolicy(Object.create(presets.grpc)), /an object without own properties/);
  const child = Object.create(presets.grpc, { maxAttempts: { value: 3, enumerable: true } });
  assert.deepEqual(new RetryPolicy(child).toJSON(), new RetryPolicy({ maxAttempts: 3 }).toJSON());
});

for (const {
  preset,
  source,
  attempts,
  totalTimeoutMs,
  overrides,
  within = 1e-12,
  published = [],
  quantiles = [],
} of VECTORS) {
  test(`${preset}: the waits of ${source.split(/[,:(]/)[0]}`, () => {
    assert.ok(published.length + quantiles.length > 0);
    for (const { r, waits: expected } of published) {
      assertNear(waits(preset, expected.length, r === '1-' ? LAST : r, overrides), expected, within, `r = ${r}`);
    }
    // The wait is monotone in r: its p-quantile is the wait at r = p.
    for (const [i, p] of QUANTILES.entries()) {
      if (quantiles.length > 0)
        assertNear(
          waits(preset, quantiles.length, p),
          quantiles.map((row) => row[i + 1]),
          1e-11,
          `quantile ${p}`,
        );
    }
    const { maxAttempts = 6, totalTimeoutMs: limit } = new RetryPolicy(presets[preset]).toJSON();
    assert.equal(maxAttempts, attempts, 'attempts');
    assert.equal(limit, totalTimeoutMs, 'total time');
  });
}

test("overrides replace the preset's own options, and are checked", () => {
  assert.deepEqual(
    [...new RetryPolicy({ ...presets.pRetry, maxAttempts: 4, capMs: 3000 }).delays()],
    [1000, 2000, 3000],
  );
  // An undefined option is unset, as everywhere.
  assert.deepEqual([...new RetryPolicy({ ...presets.goRetryableHttp, maxAttempts: undefined }).delays()].length, 5);
  assert.throws(() => new RetryPolicy({ ...presets.pRetry, retries: 3 }), /maxAttempts/);
  assert.throws(
    () => new RetryPolicy({ ...presets.grpc, baseMs: 5000 }),
    /^RangeError: rejitter: capMs must be at least baseMs \(5000\), got 1000$/,
  );
});

test('under an infinite cap, a draw that may exceed it is still a wait', () => {
  const endless = new RetryPolicy({ ...presets.grpc, capMs: Infinity, jitter: { type: 'additive', ratio: 0.5 } });
  assert.equal(endless.delayMs(60), 2 ** 53 - 1);
});
