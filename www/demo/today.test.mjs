/** Packages that people use today: their defaults as a policy of rejitter, its fate in the outage, and the change. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RetryPolicy } from 'rejitter';
import { plan } from 'rejitter/lab';
import { INITIAL_STATE, done, outageInput, page } from './lib/node.mjs';

const { PACKAGES, inWords, change, fateOf, scene, policyOf, strategyOf, PRESETS, changed } = await page(
  ...['today/packages.ts', 'today/words.ts', 'today/compute.ts', 'compute/outage.ts', 'scene/compute.ts'],
  ...['state/strategy.ts', 'state/presets.ts'],
);
const preset = (wanted) => PRESETS.find(({ label }) => label === wanted).strategy;
const ofPackage = (wanted) => strategyOf(changed(PACKAGES.find(({ name }) => name === wanted)));

test('eight packages, each with the waits of its defaults', () => {
  /** From their sources: the medians of the first waits, and the attempts. */
  const expected = {
    'p-retry': [[1000, 2000, 4000], 11],
    'async-retry': [[1500, 3000, 6000], 11],
    'axios-retry': [[0, 0, 0], 4],
    'exponential-backoff': [[100, 200, 400], 10],
    ky: [[300, 600], 3],
    got: [[1050, 2050], 3],
    'AWS SDK': [[25, 50], 3],
    cockatiel: [[], 11],
  };
  assert.deepEqual(PACKAGES.map(({ name }) => name).sort(), Object.keys(expected).sort());
  for (const [name, [waits, attempts]] of Object.entries(expected)) {
    const strategy = ofPackage(name);
    assert.equal(strategy.maxAttempts, attempts, name);
    const planned = plan(policyOf(strategy), 3).map(({ quantiles }) => Math.round(quantiles.p50));
    assert.deepEqual(planned.slice(0, /** @type {number[]} */ (waits).length), waits, name);
  }
});

describe('one change', () => {
  const run = (strategy) => done(change, outageInput({ ...INITIAL_STATE, strategy }));
  const of = ({ jitter, maxAttempts, totalTimeoutMs }) => [jitter, maxAttempts, totalTimeoutMs];

  test('p-retry needs jitter, the defaults of rejitter need patience', async () => {
    const pRetry = await run(ofPackage('p-retry'));
    assert.ok(pRetry.now.served < 200 && pRetry.changed.served >= 990);
    assert.deepEqual(of(pRetry.changed.strategy), ['full', 11, Infinity]);
    const defaults = await run(preset('Package defaults'));
    assert.equal(defaults.now.strategy.maxAttempts, 1 + [...new RetryPolicy().delays()].length);
    assert.deepEqual(of(defaults.changed.strategy), ['full', 10, Infinity]);
    assert.equal((await run(preset('Recommended'))).changed, undefined);
    assert.match(
      inWords('It', 1000, defaults.now, defaults.changed),
      /^It: \d+ of 1,000 are served, \d+ give up\. With 10.attempts: 99\d of 1,000 are served, \d+ give up\.$/,
    );
  });

  test('a deadline goes only if it is what ends the operations, and the words say so', async () => {
    const hurried = { ...preset('Recommended'), maxAttempts: 4, totalTimeoutMs: 3000 };
    const { now, changed: better } = await run(hurried);
    assert.equal(better.strategy.totalTimeoutMs, Infinity);
    assert.match(inWords('It', 1000, now, better), / With 10.attempts and no deadline: 99\d of 1,000 are served/);
    const patient = await run({ ...hurried, totalTimeoutMs: 60_000 });
    assert.equal(patient.changed.strategy.totalTimeoutMs, 60_000);
    assert.doesNotMatch(inWords('It', 1000, patient.now, patient.changed), /deadline/);
    // A policy without an end has the time that it has in the scene.
    const strategy = { ...preset('Recommended'), maxAttempts: Infinity };
    const input = outageInput({ ...INITIAL_STATE, strategy, clients: 10_000 });
    const { served } = await fateOf(input, strategy, async () => false);
    assert.equal(served, (await done(scene, input)).served);
  });
});
