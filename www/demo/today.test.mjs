/** Packages that people use today: their defaults as a policy of rejitter, its fate in the outage, and the change. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RetryPolicy } from 'rejitter';
import { plan } from 'rejitter/lab';
import { pageModule } from './page-module.mjs';

const { PACKAGES } = await pageModule('today/packages.ts');
const { inWords } = await pageModule('today/words.ts');
const { change } = await pageModule('today/compute.ts');
const { outageInput } = await pageModule('compute/outage.ts');
const { fateOf } = await pageModule('compute/patience.ts');
const { scene } = await pageModule('scene/compute.ts');
const { INITIAL_STATE } = await pageModule('state/state.ts');
const { policyOf, strategyOf } = await pageModule('state/strategy.ts');
const { PRESETS, changed } = await pageModule('state/presets.ts');

const signal = new AbortController().signal;
const preset = (/** @type {string} */ wanted) =>
  PRESETS.find((/** @type {any} */ { label }) => label === wanted).strategy;
const ofPackage = (/** @type {string} */ wanted) =>
  strategyOf(changed(PACKAGES.find((/** @type {any} */ { name }) => name === wanted)));

test('eight packages, each with the waits of its defaults', () => {
  /** From their sources: the medians of the first waits, and the attempts. */
  const expected = /** @type {Record<string, [waits: number[], attempts: number]>} */ ({
    'p-retry': [[1000, 2000, 4000], 11],
    'async-retry': [[1500, 3000, 6000], 11],
    'axios-retry': [[0, 0, 0], 4],
    'exponential-backoff': [[100, 200, 400], 10],
    ky: [[300, 600], 3],
    got: [[1050, 2050], 3],
    'AWS SDK': [[25, 50], 3],
    cockatiel: [[], 11],
  });
  assert.deepEqual(PACKAGES.map((/** @type {any} */ { name }) => name).sort(), Object.keys(expected).sort());
  for (const { name } of PACKAGES) {
    const strategy = ofPackage(name);
    const [waits, attempts] = expected[name] ?? [];
    assert.equal(strategy.maxAttempts, attempts, name);
    const planned = plan(policyOf(strategy), 3).map(({ quantiles }) => Math.round(quantiles.p50));
    assert.deepEqual(planned.slice(0, waits?.length), waits, name);
  }
});

describe('one change', () => {
  const run = async (/** @type {any} */ strategy) =>
    change(outageInput({ ...INITIAL_STATE, strategy }), () => {}, signal);

  test('p-retry needs jitter, the defaults of rejitter need patience', async () => {
    const pRetry = await run(ofPackage('p-retry'));
    assert.ok(pRetry.now.served < 200, `${pRetry.now.served}`);
    assert.deepEqual([pRetry.changed.strategy.jitter, pRetry.changed.strategy.maxAttempts], ['full', 11]);
    assert.ok(pRetry.changed.served >= 990);
    const defaults = await run(preset('Package defaults'));
    assert.equal(defaults.now.strategy.maxAttempts, 1 + [...new RetryPolicy().delays()].length);
    assert.deepEqual([defaults.changed.strategy.jitter, defaults.changed.strategy.maxAttempts], ['full', 10]);
    assert.equal((await run(preset('Recommended'))).changed, undefined);
    assert.match(
      inWords('Package defaults', 1000, defaults.now, defaults.changed),
      /^Package defaults: \d+ of 1,000 are served, \d+ give up\. With 10.attempts: 99\d of 1,000 are served, \d+ give up\.$/,
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
    const input = outageInput({ ...INITIAL_STATE, strategy, herd: { ...INITIAL_STATE.herd, clients: 10_000 } });
    const { served } = await fateOf(input, strategy, async () => false);
    assert.equal(served, (await scene(input, () => {}, signal)).served);
  });
});
