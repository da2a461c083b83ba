// The exporters: what they write and lose, and what the engines' own checks say. What they reject, and nextDelay and
// telemetry, tests/vectors/mistakes.json says.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { validateServiceConfig } from '@grpc/grpc-js/build/src/service-config.js';
import aslValidator from 'asl-validator';

import { importEntry, importPackage, infinite, vectors } from '../../package/lib/consumer.mjs';

const { RetryPolicy } = await importPackage();
const presets = await importEntry('presets');
const { cloudTasks, grpc, pgBoss, sqs, stepFunctions, temporal } = await importEntry('engines');

const EXPORTERS = { cloudTasks, grpc, pgBoss, sqs, stepFunctions, temporal };
const policyOf = ({ preset, ...options } = {}) => new RetryPolicy({ ...presets[preset], ...options });
/** Policies in each engine, with the option of each loss, or with the values of both; and the losses of others. */
const { rows, lossy } = vectors('engines', infinite);
const lost = ({ losses }) => losses.map(({ option }) => option);

test('a policy has its configuration in an engine, and its losses', () => {
  for (const { engine, options, config, losses = [] } of rows) {
    const policy = policyOf(options);
    const exported = EXPORTERS[engine](policy);
    if (config) assert.deepEqual(exported.config, config);
    const said = exported.losses.map(({ option, wanted, got }, i) =>
      typeof losses[i] === 'string' ? option : [option, wanted, got],
    );
    assert.deepEqual(said, losses, `${engine}, ${JSON.stringify(options)}`);
    if (losses.length === 0) assert.deepEqual(EXPORTERS[engine](policy, { strict: true }).losses, []);
  }
});

test('each loss is an option with a sentence, and an error where the caller is strict', () => {
  for (const { options, losses } of lossy)
    for (const [name, wanted] of Object.entries(losses)) {
      const exported = EXPORTERS[name](policyOf(options));
      assert.deepEqual(lost(exported).toSorted(), wanted.toSorted(), `${name}, ${JSON.stringify(options)}`);
      for (const { option, text } of exported.losses) assert.match(text, new RegExp(`^${option}: \\w.*\\.$`));
      if (wanted.length === 0) continue;
      const strict = () => EXPORTERS[name](policyOf(options), { strict: true });
      assert.throws(strict, ({ message }) => exported.losses.every(({ text }) => message.includes(text)));
    }
});

/** All numbers of a configuration, by their paths. */
const numbersIn = (value, path = '') =>
  Object(value) === value
    ? Object.entries(value).flatMap(([name, each]) => numbersIn(each, `${path}.${name}`))
    : [[path, typeof value === 'string' && /^[\d.]+s$/.test(value) ? Number(value.slice(0, -1)) : value]];

test('whatever the policy is, engines take its numbers: caps above bases, counts in 32 bits', () => {
  const extremes = [0, 0.4, 1, 999.5, 86_400_001, 1e12, 2 ** 53 - 1];
  for (const baseMs of extremes)
    for (const capMs of [...extremes, Infinity].filter((cap) => cap >= baseMs))
      for (const maxAttempts of [1, 2, 40, 2 ** 40, Infinity])
        for (const backoff of ['exponential', 'linear', 'fixed'])
          for (const [engine, exporter] of Object.entries(EXPORTERS)) {
            const policy = policyOf({ baseMs, capMs, maxAttempts, backoff, jitter: 'none' });
            const { config } = exporter(policy);
            const found = numbersIn(config).filter(([, value]) => typeof value === 'number');
            const hint = `${engine} ${JSON.stringify(policy)} ${JSON.stringify(config)}`;
            const of = (pattern) => found.find(([path]) => pattern.test(path))?.[1];
            const first = of(/retryDelay$|initialInterval|IntervalSeconds|minBackoff|initialBackoff/);
            const last = of(/retryDelayMax|maximumInterval|MaxDelaySeconds|maxBackoff/) ?? first;
            assert.ok(first === undefined || first <= last, hint);
            for (const [path, value] of found) {
              assert.ok(Number.isFinite(value) && (value >= 0 || /cloudTasks/.test(engine)), hint);
              if (/attempt|limit|count|doublings/i.test(path))
                assert.ok(Number.isInteger(value) && value < 2 ** 31, hint);
            }
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
  const states = [...rows.filter(({ config }) => config), ...lossy].map(
    ({ options }) => stepFunctions(policyOf(options)).config,
  );
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
  const most = ({ methodConfig: [{ retryPolicy }] }) => retryPolicy.maxAttempts;
  for (const { options } of lossy) {
    const { config } = grpc(policyOf(options));
    assert.equal(most(validateServiceConfig(config)), most(config));
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
  for (const options of [
    { baseMs: 1000 },
    { baseMs: 1000, capMs: 7000 },
    { backoff: 'linear', baseMs: 3000, capMs: 10_000 },
    { backoff: 'fixed', baseMs: 5000 },
    { baseMs: 3000, capMs: 3_600_000 },
    { baseMs: 0, capMs: 0 },
  ]) {
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
  // SQS has the count as text, and the twelve hours from the receipt.
  assert.equal(config.visibilityTimeout('7', 'm'), config.visibilityTimeout(7, 'm'));
  const capped = sqs(policyOf({ backoff: 'fixed', baseMs: 43_200_000, jitter: 'none' })).config;
  const waits = [0, 600_500, 43_200_001].map((elapsedMs) => capped.visibilityTimeout(1, 'm', elapsedMs));
  assert.deepEqual(waits, [43_200, 42_599, 0]);
});
