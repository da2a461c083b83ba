// Hedging next to the other parts of protection: who forbids a hedge, who pays for it, and its options.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { controlled, importAll, watched } from './entry.mjs';
import { begin, error, hedged, no, ok } from './hedging.mjs';

const { RejectedError, SupersededError, breaker, budget, hedge, protect, retrySync } = await importAll();

hedged('both budgets pay: if the second has none, the first gets its token back', async ({ at }) => {
  const { api, calls, policy, run } = begin(
    { totalTimeoutMs: 1000 },
    hedge({ delayMs: 50 }),
    budget({ capacity: 1, perSuccess: 0.25 }),
  );
  await at(60);
  assert.deepEqual([calls.length, api.status().budget.tokens, api.status().budget.granted], [2, 0, 1]);
  await ok(calls[1], 1);
  assert.equal(run.value, 1);
  assert.equal(api.status().budget.tokens, 0.25, 'a token of a hedge is never given back');

  const slow = () => watched(policy.run(controlled().fn));
  for (let i = 0; i < 15; i += 1) slow();
  await at(200);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 1, won: 1, rejected: 15 });
  for (let i = 0; i < 3; i += 1) await policy.run(() => i);
  slow();
  await at(300);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 2, won: 1, rejected: 15 });
  await at(2000);
});

hedged('an abort in onAttempt of the hedge: it is not called, and both tokens are put back', async ({ at }) => {
  const controller = new AbortController();
  const reason = error('enough');
  const onAttempt = ({ hedge }) => {
    if (hedge) controller.abort(reason);
  };
  const { api, calls, run } = begin(
    { signal: controller.signal, onAttempt },
    hedge({ delayMs: 50 }),
    budget({ capacity: 50 }),
    breaker(),
  );
  await at(60);
  assert.equal(calls.length, 1);
  assert.equal(run.error, reason);
  assert.deepEqual([api.status().budget.tokens, api.status().hedge.hedges], [50, 0]);
  assert.equal(api.status().breaker.failures, 0);
  const { policy } = begin({ totalTimeoutMs: 1000 });
  const shared = policy.with({ protection: api });
  for (let i = 0; i < 10; i += 1) watched(shared.run(controlled().fn));
  await at(120);
  assert.equal(api.status().hedge.hedges, 10);
  await at(2000);
});

hedged('a rejection by an inner layer ends the round', async ({ at }) => {
  const { calls, run, signals } = begin();
  await at(60);
  const rejected = new RejectedError('breaker', 5);
  await no(calls[1], rejected);
  assert.equal(run.error, rejected);
  assert.ok(signals()[0].reason instanceof SupersededError);
});

test('retrySync takes no hedge', () => {
  assert.throws(() => retrySync(() => 1, { protection: protect(hedge()) }), {
    name: 'TypeError',
    message:
      'rejitter: retrySync cannot hedge: it makes one attempt at a time. Use retry, or a protection without hedge()',
  });
  assert.equal(
    retrySync(() => 1, { protection: protect(budget()) }),
    1,
  );
});

test('the options of hedge() are checked, and the recipe shows them', () => {
  assert.deepEqual({ ...hedge() }, { part: 'hedge', quantile: 0.95, maxRatio: 0.1 });
  assert.deepEqual({ ...hedge({ delayMs: 0, maxRatio: 1 }) }, { part: 'hedge', delayMs: 0, maxRatio: 1 });
  assert.ok(Object.isFrozen(hedge()));
  for (const [options, message] of [
    [{ quantile: 0 }, /quantile must be a number above 0 and below 1, got 0/],
    [{ quantile: 1 }, /quantile/],
    [{ quantile: '0.5' }, /quantile/],
    [{ delayMs: -1 }, /delayMs/],
    [{ delayMs: Infinity }, /delayMs/],
    [{ maxRatio: 0 }, /maxRatio must be a number between 0.001 and 1, got 0/],
    [{ maxRatio: 1.5 }, /maxRatio/],
    [{ quantile: 0.5, delayMs: 5 }, /quantile must be omitted \(got 0.5\): delayMs takes its place/],
    [{ delay: 5 }, /delay/],
  ])
    assert.throws(() => hedge(options), message);
  assert.throws(() => protect(hedge(), hedge()), /hedge\(\) was passed twice/);
});
