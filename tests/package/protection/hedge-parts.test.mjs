// Hedging next to the other parts of protection: who forbids a hedge, who pays for it, and its options.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { controlled, importAll, watched } from './entry.mjs';
import { begin, error, hedged, no, ok } from './hedging.mjs';

const {
  RejectedError,
  RetryPolicy,
  SupersededError,
  breaker,
  budget,
  cooldown,
  hedge,
  protect,
  retryAfter,
  retrySync,
} = await importAll();

hedged('half-open, open and cooling down: no hedge', async ({ at }) => {
  const parts = () => [hedge({ delayMs: 50 }), breaker({ consecutiveFailures: 1, openMs: 1000 }), cooldown()];
  const probe = begin({}, ...parts());
  await at(10);
  probe.api.open(100);
  await at(60);
  assert.equal(probe.calls.length, 1);
  assert.deepEqual(probe.api.status().hedge, { delayMs: 50, hedges: 0, won: 0, rejected: 1 });
  await ok(probe.calls[0]);

  await at(200);
  const slow = controlled();
  const run = watched(probe.policy.run(slow.fn));
  assert.equal(probe.api.status().breaker.state, 'half-open');
  await at(260);
  assert.equal(slow.calls.length, 1);
  assert.equal(probe.api.status().hedge.rejected, 2);
  await ok(slow.calls[0], 'good');
  assert.equal(run.value, 'good');
  assert.equal(probe.api.status().breaker.state, 'closed');

  const { calls, api } = begin({}, ...parts());
  const other = new RetryPolicy({ maxAttempts: 1, protection: api });
  watched(
    other.run(() => {
      throw retryAfter(1000);
    }),
  );
  await at(320);
  assert.equal(calls.length, 1);
  assert.equal(api.status().hedge.rejected, 1);
  await ok(calls[0]);
});

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

hedged('10 hedges, then maxRatio per successful operation', async ({ at }) => {
  const { api, policy, calls } = begin({ totalTimeoutMs: 1000 }, hedge({ delayMs: 50, maxRatio: 0.5 }));
  for (let i = 0; i < 14; i += 1) watched(policy.run(controlled().fn));
  await at(60);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 10, won: 0, rejected: 5 });
  await ok(calls[0]);
  for (let i = 0; i < 3; i += 1) await policy.run(() => i);
  await at(2000);
  assert.equal(api.status().hedge.hedges, 10);
  for (let i = 0; i < 5; i += 1) watched(policy.run(controlled().fn));
  await at(4000);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 12, won: 0, rejected: 8 });
});

hedged('a success in the first round gives perSuccess, one after a retry what that took', async ({ at }) => {
  const parts = () => [hedge({ delayMs: 50 }), budget({ capacity: 10, perSuccess: 0.5, cost: 2 })];
  const first = begin({}, ...parts());
  await at(60);
  await ok(first.calls[1]);
  assert.equal(first.api.status().budget.tokens, 8.5);

  const second = begin({}, ...parts());
  await no(second.calls[0], error('fast'));
  assert.equal(second.api.status().budget.tokens, 8);
  await at(160 + 60);
  assert.equal(second.api.status().budget.tokens, 6);
  await ok(second.calls[2], 'hedge of the retry');
  assert.equal(second.api.status().budget.tokens, 8, 'the tokens of the retry, not those of the hedge');
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

hedged('the breaker hears no failure of a hedge, and nothing of a superseded attempt', async ({ at }) => {
  const { api, calls } = begin({ maxAttempts: 2 }, hedge({ delayMs: 50 }), breaker({ windowMs: 1e6 }));
  const numbers = () => [api.status().breaker.calls, api.status().breaker.failures];
  await at(60);
  assert.deepEqual(numbers(), [1, 0]);
  await no(calls[1], error('two'));
  assert.deepEqual(numbers(), [1, 0]);
  await no(calls[0], error('one'));
  assert.deepEqual(numbers(), [1, 1]);

  const opens = begin({}, hedge({ delayMs: 50 }), breaker({ consecutiveFailures: 1 }));
  await at(120);
  await ok(opens.calls[1]);
  await no(opens.calls[0], error('superseded'));
  const { state, failures, calls: counted } = opens.api.status().breaker;
  assert.deepEqual([state, failures, counted], ['closed', 0, 1]);
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
