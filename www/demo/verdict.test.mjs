/** Which strategy serves most: the verdict, the cells of the grid, and what is handed out where the chosen one fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AT_ONCE, HERD, INITIAL, INITIAL_STATE, done, median, outageAlone, outageInput, page } from './lib/node.mjs';

const { recommend, verdict, verdictWords } = await page('verdict/compute verdict/words');
const { fates, cellsOf, scene, withChoice } = await page('waits/compute state/cells scene/compute state/strategy');

const verdictOf = (herd, strategy = {}, seed = 42) =>
  done(verdict, { strategy: { ...INITIAL, ...strategy }, herd: { ...HERD, ...herd }, seed });
const nameOf = ({ choice: { backoff, jitter } }) => `${backoff} ${jitter}`;

/** One strategy wins; two do, within the noise; none serves 99%. */
const SCENARIOS = /** @type {[herd: object, strategy: object, names: string[], served: number][]} */ ([
  [{}, { maxAttempts: 10 }, ['exponential full'], 990],
  [{ downMs: 8000 }, { maxAttempts: Infinity }, ['exponential equal', 'exponential full'], 990],
  [{}, { maxAttempts: 6 }, ['fixed decorrelated'], 300],
]);

/** A strategy of the grid by the package alone: medians over the page's seeds. */
function alone({ backoff, jitter }, strategy, herd, seeds) {
  const own = jitter === 'decorrelated' ? {} : { backoff, ...(backoff === 'truncated' && { truncateAt: 4 }) };
  const outage = { ...HERD, ...herd };
  const runs = Array.from({ length: seeds }, (_, k) => {
    const seeded = { ...outage, horizonMs: 60_000, seed: k === 0 ? 42 : `42/${k}` };
    return outageAlone({ ...own, jitter, ...strategy }, seeded, 150 * outage.clients);
  });
  return {
    served: median(runs.map(({ servedMs }) => servedMs.length)),
    callsPerClient: median(runs.map(({ meanAttempts }) => meanAttempts)),
    enoughMs: median(runs.map(({ servedMs }) => servedMs[0.99 * outage.clients - 1] ?? Infinity)),
  };
}

for (const [herd, strategy, names, served] of SCENARIOS)
  test(`for ${JSON.stringify({ herd, strategy })}: numbers of the package, and what they favour`, async () => {
    const result = await verdictOf(herd, strategy);
    const { pick, level, others } = recommend(result);
    assert.ok(result.seeds >= 20 && pick.served.p50 >= served);
    // Another way to the same answer: products of both costs where 99% are served, else the number served.
    const best = [pick, ...level];
    const ranked = [...best, ...others].map((one) => {
      const own = /** @type {any} */ (alone(one.choice, strategy, herd, result.seeds));
      // The page stops at another moment those that are far from it.
      if (best.includes(one))
        for (const key of Object.keys(own)) assert.equal(one[key].p50, own[key], `${nameOf(one)}: ${key}`);
      return { name: nameOf(one), most: Math.min(own.served, 990), price: own.callsPerClient * own.enoughMs };
    });
    assert.equal(ranked.length, 13);
    assert.equal(ranked.toSorted((a, b) => b.most - a.most || a.price - b.price)[0]?.name, nameOf(pick));
    assert.deepEqual(best.map(nameOf), names);
    // Another seed: the same clear winner, or the same two strategies.
    const other = recommend(await verdictOf(herd, strategy, 1));
    assert.deepEqual([other.pick, ...other.level].map(nameOf).sort(), names.toSorted());
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

test('in words says who wins and why, and that a strategy is chosen only if it is', async () => {
  const { headline, reason, use } = verdictWords(await verdictOf({}));
  assert.match(headline, /^For these 1,000.clients: Exponential · full jitter\.$/);
  assert.match(
    reason,
    /^99% are served after 15\.\d.s, with \d(?:\.\d)?.calls per client .* The scene shows Exponential · full jitter\.$/,
  );
  assert.equal(use, undefined);
  const atOnce = verdictWords(await verdictOf({ clients: 100 }, AT_ONCE));
  assert.ok(atOnce.use, 'what nobody has chosen can be used');
  assert.doesNotMatch(JSON.stringify(atOnce), /[Yy]our? (?:have )?cho/);
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

test('a fate is that of the scene, also without an end; and what is needed is looked for in attempts, then in time', async () => {
  const input = outageInput({ ...INITIAL_STATE, strategy: { ...INITIAL, maxAttempts: Infinity }, clients: 10_000 });
  assert.equal((await fateOf(input, input.strategy, pace)).served, (await done(scene, input)).served);
  const needs = (part) => attemptsNeeded(outageInput({ ...INITIAL_STATE, strategy: { ...INITIAL, ...part } }), pace);
  assert.equal(await needs({ maxAttempts: 4 }), 10);
  assert.equal(await needs({ maxAttempts: 4, totalTimeoutMs: 60_000 }), 10);
  assert.equal(await needs({ totalTimeoutMs: 3000 }), 'deadline');
  assert.equal(await needs({ jitter: 'none', maxAttempts: 29 }), 'more');
});

test('what is handed out serves 99% of the scene, and is the scene’s own if that does', async () => {
  for (const [part, handed, words] of /** @type {[object, number | undefined, RegExp][]} */ ([
    // A fresh visit.
    [
      {},
      10,
      /^Fixed · no jitter, unlimited attempts: 0 of 1,000 are served, with 150 calls each, after .* This is what serves 997: Exponential · full/,
    ],
    [{ strategy: { ...INITIAL, jitter: 'none' } }, 10, /^Exponential · no jitter, 10 attempts: 60 of 1,000/],
    [{ strategy: INITIAL }, undefined, /^$/],
    [
      { strategy: AT_ONCE, clients: 10 },
      10,
      /^Fixed · no jitter, unlimited attempts: \d+ of 10 are served, with 150 calls each, after/,
    ],
    [{ strategy: INITIAL, clients: 3000 }, 15, /^Exponential · full jitter, 10 attempts: .* of 3,000/],
    [
      { strategy: INITIAL, downMs: 600_000 },
      undefined,
      /^Not for use\. .* after an outage of 10 min, and 30 attempts of full/,
    ],
  ])) {
    const input = outageInput({ ...INITIAL_STATE, ...part });
    const result = await done(handOut, input);
    const name = JSON.stringify(part);
    if (handed) assert.ok(result.remedy.served >= 0.99 * input.herd.clients, name);
    assert.equal(result.remedy?.strategy.maxAttempts, handed, name);
    assert.match(handedInWords(result, false).replaceAll('\u00a0', ' '), words, name);
    if (handed) assert.match(handedInWords(result, true), /^Not for use\. /);
  }
});
