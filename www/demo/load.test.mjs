/** The sections of /protection in Node: load, a rate limit and the tail, by the package alone and in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateRateLimit } from 'rejitter-lab';
import { INITIAL, done, page, resultOf } from './lib/node.mjs';

const { load, loadInput, STORY, stateOf, stepOf, defaultsAt, QUOTA_STORY } = await page(
  'load/compute load/steps state/state state/story rate-limit/steps',
);
const {
  rateLimit,
  rateLimitInput,
  finding: limitInWords,
  shareOf,
} = await page('rate-limit/compute rate-limit/figure rate-limit/quota');
const { tail, finding: tailInWords } = await page('hedging/compute hedging/tail');

const HERD = { capacityPerS: 120, downMs: 2000, demand: 0.93, failing: 0 };
const run = (herd = {}, strategy = {}, shared = 'none') =>
  done(load, { strategy: { ...INITIAL, ...strategy }, herd: { ...HERD, ...herd }, seed: 42, shared });

test('answers that fail at random are what a retry is for', async () => {
  const { runs } = await run({ demand: 0.5, failing: 0.05, downMs: 0 });
  for (const { shared, failed, requests } of runs)
    assert.ok(shared === 'single' ? failed > 0.04 * requests : failed < 0.001 * requests, `${shared}: ${failed}`);
});

test('the steps tell what each part is for, in the numbers of their own states', async () => {
  const home = defaultsAt('/protection/');
  const failed = [];
  for (const [i, step] of STORY.steps.entries()) {
    const state = { ...home, ...stateOf(STORY, i) };
    assert.equal(stepOf(STORY, state), i);
    const result = await done(load, loadInput(state));
    failed.push(result.run.failed);
    assert.ok(step.why(result).includes(result.run.failed.toLocaleString('en-US')), step.why(result));
  }
  const [none, single, breaker, without, budget, costly] = failed;
  // Dead for ever; no retries; a breaker; 5% at random; what a budget is for; and where it costs.
  assert.ok(none > 0.9 * 7200 && single < 0.02 * 7200 && breaker < 0.03 * 7200, failed.join());
  assert.ok(without > 3 * single && budget < without / 2 && costly > 3 * without, failed.join());
});

test('the parts of the other figures stay in a step, and are not asked', () => {
  const home = { ...defaultsAt('/protection/'), protection: 'budget,cooldown,hedge' };
  const limited = { ...home, ...stateOf(QUOTA_STORY, 1, home.protection) };
  assert.equal(limited.protection, 'budget,limiter,hedge');
  assert.deepEqual([stepOf(QUOTA_STORY, home), stepOf(QUOTA_STORY, limited)], [-1, 1]);
  const broken = { ...limited, ...stateOf(STORY, 2, limited.protection) };
  assert.equal(broken.protection, 'breaker,limiter,hedge');
  assert.deepEqual([stepOf(STORY, limited), stepOf(STORY, broken), stepOf(QUOTA_STORY, broken)], [-1, 2, 1]);
  assert.equal(stateOf(STORY, -1) ?? stateOf(QUOTA_STORY, 4), undefined);
});

test('one quota for all, with two attempts: a shared cooldown loses few, a limiter none', async () => {
  const result = await done(rateLimit, { strategy: INITIAL, processes: 1, seed: 42 });
  const server = { jobs: 1000, workers: 50, limit: 100, windowMs: 10_000, horizonMs: 600_000, binMs: 500, seed: 42 };
  const limiter = { limit: 100, perMs: 10_000 };
  const all = [{ hints: 'ignored' }, {}, { protection: { cooldown: {} } }, { protection: { limiter } }];
  const failed = all.map((options, i) => {
    const own = { ...server, ...options };
    const { totals } = resultOf(simulateRateLimit({ baseMs: 100, capMs: 10_000, maxAttempts: 2 }, own));
    assert.equal(result.runs[i].rejected, totals.rejected);
    assert.equal(result.runs[i].failed, 1000 - totals.done);
    return result.runs[i].failed;
  });
  assert.deepEqual(failed, [900, 230, 94, 0]);
  const words = /900 fail if .*, 230 fail if each .*, 94 fail with .* cooldown, and none fails with a limiter\.$/;
  assert.match(limitInWords(result), words);
});

test('the steps of the quota: one process and ten, without a limiter and with it', async () => {
  for (const [i, share] of [100, 100, 10, 10].entries()) {
    const state = { ...defaultsAt('/protection/'), ...stateOf(QUOTA_STORY, i) };
    assert.equal(stepOf(QUOTA_STORY, state), i);
    const result = await done(rateLimit, rateLimitInput(state));
    const said = QUOTA_STORY.steps[i].why(result);
    assert.ok(said.includes(i % 2 ? 'none fails' : '230 fail'), said);
    // Whatever the processes, all of them together ask for no more than the quota.
    const { kind, failed, rejected } = result.runs.at(-1);
    assert.deepEqual([kind, failed, rejected], ['limited', 0, 0]);
    assert.equal(shareOf(state.processes), share);
    const whole = result.runs.find((one) => one.kind === 'whole');
    assert.deepEqual(whole && [whole.failed, whole.rejected], share === 100 ? undefined : [17, 90]);
  }
});

test('the tail is exact, and the sentence has its numbers', () => {
  const result = tail({ delayMs: 60 });
  const longer = (ms) => (ms < 0 ? 1 : 0.95 * Math.exp(-ms / 20) + 0.05 * Math.exp(-Math.max(0, ms - 500) / 500));
  for (const [{ timesMs, survival }, delayMs] of [
    [result.plain, Infinity],
    [result.hedged, 60],
  ])
    for (const [i, ms] of timesMs.entries())
      assert.ok(Math.abs(survival[i] - longer(ms) * longer(ms - delayMs)) < 1e-12, `${ms} ms`);
  const said = (isHedged) => tailInWords({ ...result, isHedged }).replaceAll('\u00a0', ' ');
  assert.equal(
    said(true),
    'A hedge after 60 ms sends 9.7% more requests, and cuts p99 from 1.3 s to 100 ms and p99.9 from 2.5 s to 760 ms.',
  );
  assert.equal(said(false), 'Without a hedge p99 is 1.3 s, and p99.9 2.5 s.');
});
