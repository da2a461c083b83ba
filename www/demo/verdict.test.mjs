/** Which strategy serves most: the verdict, the cells of the grid, and what is handed out where the chosen fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AT_ONCE, HERD, INITIAL, INITIAL_STATE, done, outageInput, page } from './lib/node.mjs';

const { recommend, verdict } = await page('verdict/compute');
const { fates, cellsOf, scene, withChoice } = await page('waits/compute state/cells scene/compute state/strategy');

const verdictOf = (herd, strategy = {}, seed = 42) =>
  done(verdict, { strategy: { ...INITIAL, ...strategy }, herd: { ...HERD, ...herd }, seed });
const nameOf = ({ choice: { backoff, jitter } }) => `${backoff} ${jitter}`;

test('names one strategy, two within the noise, or what serves most though not 99%, for each seed', async () => {
  for (const [herd, strategy, names] of [
    [{}, { maxAttempts: 10 }, ['exponential full']],
    [{ downMs: 8000 }, { maxAttempts: Infinity }, ['exponential equal', 'exponential full']],
    [{}, { maxAttempts: 6 }, ['fixed decorrelated']],
  ])
    for (const seed of [42, 1]) {
      const { pick, level } = recommend(await verdictOf(herd, strategy, seed));
      assert.deepEqual([pick, ...level].map(nameOf).sort(), names, `seed ${seed}`);
    }
});

test('recommends no strategy if no client is served, and counts no chance differences as wins', async () => {
  const { pick, level, others } = recommend(await verdictOf({ clients: 100, downMs: 30_000 }, { maxAttempts: 3 }));
  assert.deepEqual([pick, level, others.length], [undefined, [], 13]);
  // Decorrelated jitter, whose backoff has no effect, is there once; a chosen strategy outside of the grid as well.
  const chosen = async (strategy) => (await verdictOf({ clients: 100 }, strategy)).contenders.length;
  assert.equal(await chosen({ backoff: 'linear', jitter: 'decorrelated' }), 13);
  assert.equal(await chosen({ jitter: 'slotted' }), 14);
  const run = (callsPerClient, enoughMs = 10_000, served = 100) => ({ served, callsPerClient, enoughMs });
  const input = { herd: { clients: 100 } };
  const recommended = (...all) => {
    const contenders = all.map((runs, i) => ({ choice: { backoff: 'fixed', jitter: `${i}` }, runs, isCut: false }));
    const { pick: best, level: equal } = recommend({ contenders, seeds: all[0].length, input });
    return [best, ...equal].map(({ choice, bestIn }) => `${choice.jitter}: ${bestIn}`);
  };
  // More served beats faster and cheaper, up to 99%; then the product of both costs decides.
  assert.deepEqual(recommended([run(2, Infinity, 97)], [run(9, Infinity, 98)]), ['1: 1']);
  assert.deepEqual(recommended([run(9, 10_000, 99)], [run(8, 10_000, 100)], [run(8, 12_000, 100)]), ['1: 1']);
  assert.deepEqual(recommended([run(10, 10_000)], [run(20, 4000)]), ['1: 1']);
  // Less than one percent apart: level.
  assert.deepEqual(recommended([run(10)], [run(10.05)], [run(10.2)]), ['0: 1', '1: 1']);
  // Now one wins, now the other.
  assert.deepEqual(recommended([run(10), run(10), run(12)], [run(11), run(11), run(11)]), ['0: 2', '1: 1']);
});

test('takes fewer seeds for a large herd, at least five, and reports how far it is', async () => {
  const reports = [];
  // Just so many that five seeds are too much, and four would be.
  const herd = { ...HERD, clients: 2500, rejectionCost: 1 };
  const strategy = { ...INITIAL, baseMs: 10, capMs: 10, maxAttempts: Infinity };
  const input = { strategy, herd, seed: 42 };
  const { seeds, contenders } = await done(verdict, input, ({ seeds: soFar }) => reports.push(soFar));
  assert.equal(seeds, 5);
  assert.deepEqual(reports, [1, 2, 3, 4]);
  // Clients that retry every few ms: the runs are stopped, and that is known.
  assert.ok(contenders.every(({ runs, isCut }) => runs.length === 5 && isCut));
});

test('each cell of the grid serves as many as the scene with its strategy', async () => {
  const choices = cellsOf(INITIAL).all;
  for (const strategy of [INITIAL, { ...INITIAL, maxAttempts: Infinity }]) {
    const found = await done(fates, { strategy, herd: HERD, seed: 42, choices });
    assert.equal(found.length, choices.length);
    for (const { choice, served } of found.filter(({ isCut }, i) => i % 3 === 1 && !isCut)) {
      const own = await done(scene, { strategy: withChoice(strategy, choice), herd: HERD, seed: 42 });
      assert.equal(served, own.served, nameOf({ choice }));
    }
  }
});

test('a cell that fails by a few calls says so', async () => {
  const strategy = { ...INITIAL, maxAttempts: Infinity };
  const choices = [{ backoff: 'truncated', jitter: 'full' }, { backoff: 'fixed', jitter: 'full' }, INITIAL];
  const found = await done(fates, { strategy, herd: HERD, seed: 42, choices });
  assert.deepEqual(
    found.map(({ served, cheaply }) => [served, cheaply]),
    [
      [1, 1000],
      [0, undefined],
      [1000, undefined],
    ],
  );
});

const { attemptsNeeded, fateOf, handOut, handedInWords } = await page('compute/outage compute/remedy take-away/words');
const pace = async () => false;

test('a fate is that of the scene; what is needed is looked for in attempts, then in time', async () => {
  const input = outageInput({ ...INITIAL_STATE, strategy: { ...INITIAL, maxAttempts: Infinity }, clients: 10_000 });
  assert.equal((await fateOf(input, input.strategy, pace)).served, (await done(scene, input)).served);
  const needs = (part) => attemptsNeeded(outageInput({ ...INITIAL_STATE, strategy: { ...INITIAL, ...part } }), pace);
  assert.equal(await needs({ maxAttempts: 4 }), 10);
  assert.equal(await needs({ maxAttempts: 4, totalTimeoutMs: 60_000 }), 10);
  assert.equal(await needs({ totalTimeoutMs: 3000 }), 'deadline');
  assert.equal(await needs({ jitter: 'none', maxAttempts: 29 }), 'more');
});

test('what is handed out serves 99% of the scene, and is the scene’s own if that does', async () => {
  for (const [part, handed, words] of [
    // A fresh visit.
    [{}, 10, /^Fixed · no jitter, unlimited attempts: 0 of 1,000 .* serves 997: Exponential · full/],
    [{ strategy: { ...INITIAL, jitter: 'none' } }, 10, /^Exponential · no jitter, 10 attempts: 60 of 1,000/],
    [{ strategy: INITIAL }, undefined, /^$/],
    [{ strategy: AT_ONCE, clients: 10 }, 10, / \d+ of 10 are served, with 150 calls each, after/],
    [{ strategy: INITIAL, clients: 3000 }, 15, /^Exponential · full jitter, 10 attempts: .* of 3,000/],
    [{ strategy: INITIAL, downMs: 600_000 }, undefined, /^Not for use\. .* of 10 min, and 30 attempts of full/],
  ]) {
    const input = outageInput({ ...INITIAL_STATE, ...part });
    const result = await done(handOut, input);
    const name = JSON.stringify(part);
    if (handed) assert.ok(result.remedy.served >= 0.99 * input.herd.clients, name);
    assert.equal(result.remedy?.strategy.maxAttempts, handed, name);
    assert.match(handedInWords(result, false).replaceAll('\u00a0', ' '), words, name);
    if (handed) assert.match(handedInWords(result, true), /^Not for use\. /);
  }
});
