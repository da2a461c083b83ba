// The presets against the numbers which each system publishes, and what each one's cap bounds.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, repo } from '../lib/consumer.mjs';

const { RetryPolicy, retryReport, retryWithFullJitter } = await importPackage();
const presets = await importEntry('presets');
const VECTORS = JSON.parse(readFileSync(join(repo, 'tests', 'vectors', 'presets.json'), 'utf8'));

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

const KINDS = JSON.parse(readFileSync(join(repo, 'tests', 'vectors', 'kinds.json'), 'utf8'));
const named = (rows) => rows.filter((row) => row.name !== 'custom' && !row.parameter).map(({ name }) => name);
const BACKOFFS = [...named(KINDS.backoff), (k) => 7 * k, [5, 70_000]];
const JITTERS = [...named(KINDS.jitter), { type: 'proportional', ratio: 0.25 }, { type: 'additive', maxMs: 30 }];
const OWN_CURVE = named(KINDS.jitter.filter(({ replacesTheCurve }) => replacesTheCurve));

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

  test(`${preset}, control: another base, factor or jitter does not give these numbers`, () => {
    const options = new RetryPolicy(presets[preset]).toJSON();
    const fits = (changed) => {
      try {
        const all = { ...overrides, ...changed };
        for (const { r, waits: expected } of published)
          assertNear(waits(preset, expected.length, r === '1-' ? LAST : r, all), expected, within, '');
        for (const [i, p] of QUANTILES.entries())
          if (quantiles.length > 0)
            assertNear(
              waits(preset, quantiles.length, p, all),
              quantiles.map((row) => row[i + 1]),
              1e-11,
              '',
            );
        return true;
      } catch (error) {
        assert.equal(error.name, 'AssertionError', String(error));
        return false;
      }
    };
    assert.ok(fits({}));
    const base = overrides?.baseMs ?? options.baseMs ?? 19.53125;
    assert.ok(!fits({ baseMs: base * 1.02 }), 'base');
    assert.ok(!fits({ baseMs: base * 0.98 }), 'base');
    if (options.factor !== undefined) assert.ok(!fits({ factor: options.factor * 1.02 }), 'factor');
    for (const jitter of ['none', 'equal', 'full']) if (jitter !== options.jitter) assert.ok(!fits({ jitter }), jitter);
  });
}

test('Google, cenkalti, gRPC: the cap bounds the interval, and a wait may exceed it by the ratio', () => {
  for (const [name, cap, ratio] of [
    ['googleHttpClient', 60_000, 0.5],
    ['cenkalti', 60_000, 0.5],
    ['grpc', 1000, 0.2],
  ]) {
    const at = (r) => waits(name, 30, r).at(-1);
    assert.equal(at(0.5), cap, name);
    assert.ok(off(at(0), cap * (1 - ratio)) < 1e-12, name);
    const longest = at(LAST);
    assert.ok(longest > cap * (1 + ratio - 1e-12) && longest <= cap * (1 + ratio), `${name}: ${longest}`);
  }
});

test('AWS 2020, p-retry with a cap, jpillora: the draw is clipped, and waits pile up at the cap', () => {
  for (const [name, cap, overrides] of [
    ['awsSdk2020', 20_000],
    ['pRetryRandomized', 5000, { capMs: 5000 }],
    ['jpillora', 10_000],
  ]) {
    const policy = new RetryPolicy({ ...presets[name], ...overrides, seed: 7, maxAttempts: 1001 });
    const drawn = [...policy.delays()];
    assert.equal(Math.max(...drawn), cap);
    const piled = drawn.slice(20).filter((ms) => ms === cap).length;
    assert.ok(piled > 970, `${name}: ${piled} of 980 waits at the cap`);
  }
  // The control: with the cap on the ceiling there is no pile.
  const spread = [...new RetryPolicy({ ...presets.awsSdk2026, seed: 7, maxAttempts: 1001 }).delays()];
  assert.equal(spread.filter((ms) => ms === 20_000).length, 0);
});

test('AWS 2020: the sixth wait is the cap with a probability of 3/8, as of 20 s in 32 s', () => {
  let piled = 0;
  const iterator = new RetryPolicy({ ...presets.awsSdk2020, seed: 1, maxAttempts: 7 }).delays();
  for (let i = 0; i < 20_000; i += 1) {
    let sixth;
    for (let k = 1; k <= 6; k += 1) sixth = iterator.next().value;
    if (sixth === 20_000) piled += 1;
    iterator.reset();
  }
  assert.ok(Math.abs(piled / 20_000 - 0.375) < 5 * Math.sqrt((0.375 * 0.625) / 20_000), String(piled));
});

test('Polly: its distribution, wait by wait, for a base of 100 ms', () => {
  // Mean and standard deviation, by numerical integration of Polly's formula.
  const rows = [
    [87.1115715673, 31.2755095862],
    [115.814640536, 52.3032277127],
    [207.79145985, 92.445377808],
    [412.759788064, 183.893150801],
    [824.644866049, 367.479874319],
    [1648.91887224, 734.829011904],
  ];
  // The first wait depends on one draw: its quantiles.
  for (const [r, ms] of [
    [0.01, 14.1963],
    [0.1, 42.85109],
    [0.5, 89.74049],
    [0.9, 127.4272],
    [0.99, 136.6655],
  ]) {
    assert.ok(off(waits('polly', 1, r, { baseMs: 100 })[0], ms) < 1e-6, `r = ${r}`);
  }
  const n = 20_000;
  const sums = rows.map(() => [0, 0]);
  const iterator = new RetryPolicy({ ...presets.polly, baseMs: 100, seed: 3, maxAttempts: rows.length + 1 }).delays();
  for (let i = 0; i < n; i += 1) {
    for (const sum of sums) {
      const { value } = iterator.next();
      sum[0] += value;
      sum[1] += value * value;
    }
    iterator.reset();
  }
  for (const [k, [mean, sd]] of rows.entries()) {
    const average = sums[k][0] / n;
    assert.ok(Math.abs(average - mean) < (5 * sd) / Math.sqrt(n), `wait ${k + 1}: ${average} instead of ${mean}`);
    const deviation = Math.sqrt(sums[k][1] / n - average ** 2);
    assert.ok(off(deviation, sd) < 0.03, `wait ${k + 1}: sd ${deviation} instead of ${sd}`);
  }
});

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

test('a preset runs: its total time ends the operation, its waits are those of the list', async () => {
  let policy;
  const { error, clock } = await underClock(() => {
    policy = new RetryPolicy({ ...presets.cenkalti, random: () => 0.5 });
    return policy.run(() => {
      throw new Error('down');
    });
  });
  const report = retryReport(error);
  assert.equal(report.reason, 'deadline');
  assert.ok(report.elapsedMs > 800_000 && report.elapsedMs < 900_000, String(report.elapsedMs));
  // The first timer is the deadline's.
  assert.deepEqual(clock.delays.slice(0, 4), [900_000, 500, 750, 1125]);
});

// The articles' own formulas, written down again, with their parameters as options.
const ARTICLES = {
  'AWS 2015, full jitter: random_between(0, min(cap, base·2^attempt))': [
    { baseMs: 5, capMs: 2000 },
    (r, k) => r * Math.min(2000, 5 * 2 ** (k - 1)),
  ],
  'AWS 2015, equal jitter: temp/2 + random_between(0, temp/2)': [
    { baseMs: 5, capMs: 2000, jitter: 'equal' },
    (r, k) => {
      const temp = Math.min(2000, 5 * 2 ** (k - 1));
      return temp / 2 + (r * temp) / 2;
    },
  ],
  'AWS 2015, decorrelated jitter: min(cap, random_between(base, sleep·3))': [
    { baseMs: 5, capMs: 2000, jitter: 'decorrelated' },
    (r, k, sleep = 5) => Math.min(2000, 5 + r * (sleep * 3 - 5)),
  ],
  constant: [{ backoff: 'fixed', baseMs: 300, jitter: 'none' }, () => 300],
  'constant with a jitter of ±10%': [
    { backoff: 'fixed', baseMs: 300, jitter: { type: 'proportional', ratio: 0.1 } },
    (r) => 300 * (0.9 + 0.2 * r),
  ],
  'linear between min and max': [
    { backoff: 'linear', baseMs: 100, minMs: 150, capMs: 1000, jitter: 'none' },
    (r, k) => Math.min(1000, Math.max(150, 100 * k)),
  ],
  'linear between min and max, jittered from min up': [
    { backoff: 'linear', baseMs: 200, minMs: 150, capMs: 1000 },
    (r, k) => 150 + r * (Math.min(1000, 200 * k) - 150),
  ],
  'exponential between min and max': [
    { baseMs: 100, minMs: 150, capMs: 5000, jitter: 'none' },
    (r, k) => Math.min(5000, Math.max(150, 100 * 2 ** (k - 1))),
  ],
  'exponential between min and max, jittered from min up': [
    { baseMs: 150, minMs: 150, capMs: 5000 },
    (r, k) => 150 + r * (Math.min(5000, 150 * 2 ** (k - 1)) - 150),
  ],
  'truncated binary exponential, N = 10, T = 10 s': [
    { backoff: 'truncated', jitter: 'none' },
    (r, k) => [19.53125, 39.0625, 78.125, 156.25, 312.5, 625, 1250, 2500, 5000, 10_000][Math.min(k, 10) - 1],
  ],
};

for (const [name, [options, formula]] of Object.entries(ARTICLES)) {
  test(`article: ${name}`, () => {
    for (const r of [0, 0.5, LAST]) {
      let previous;
      const expected = Array.from({ length: 15 }, (_, i) => {
        previous = formula(r, i + 1, previous);
        return previous;
      });
      assertNear(
        [...new RetryPolicy({ ...options, maxAttempts: 16, random: () => r }).delays()],
        expected,
        1e-12,
        `r = ${r}`,
      );
    }
  });
}
