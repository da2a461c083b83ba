// The package's machines, which keep a few running numbers, against those of the oracle, which derive theirs from the
// list of all events: random steps, clocks that jump and rates from 10 a minute to 10,000 a second.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { modules } from '../lib/consumer.mjs';
import { Breaker, Budget, Cooldown } from '../schedules/machines.mjs';
import { generator } from '../schedules/random.mjs';

const part = (file) => import(pathToFileURL(join(modules, 'lib', file)).href);
const machines = await part('protection/machines.js');

const WALKS = 400;
const STEPS = 150;

const near = (a, b, text) => assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)), `${text}: ${a} and ${b}`);

/** Walks with a clock that mostly goes on, by steps of one scale. */
function walks(seed, body) {
  for (let walk = 0; walk < WALKS; walk += 1) {
    const g = generator(seed, walk);
    const scale = g.pick([0.1, 1, 50, 6000]);
    const jumps = g.chance(0.2);
    let now = g.pick([0, 1000, 123_456.789]);
    const step = () => {
      if (jumps && g.chance(0.02)) now += g.pick([-1, 1]) * g.pick([scale * 100, 3.15e11]);
      else if (g.chance(0.9)) now += g.pick([1, g.unit()]) * scale;
      // Clocks of this kind start at 0.
      now = Math.max(0, now);
      return now;
    };
    body(g, scale, now, step, `walk ${walk}`);
  }
}

test('a breaker decides as the list of its events says', () => {
  const opened = { by: 0, closings: 0, half: 0 };
  walks(1, (g, scale, start, step, name) => {
    const plain = {
      failureRatio: g.pick([0.1, 0.5, 0.75, 1]),
      minimumCalls: g.pick([1, 2, 5, 10, Infinity]),
      windowMs: scale * g.pick([3, 10, 100]),
      consecutiveFailures: g.pick([2, 5, Infinity, Infinity]),
      openMs: scale * g.pick([1, 5, 30]),
      maxOpenMs: Infinity,
      closeAfter: g.whole(1, 3),
    };
    plain.maxOpenMs = g.pick([plain.openMs, plain.openMs * 5, Infinity]);
    const options = Float64Array.of(...Object.values(plain));
    const state = machines.newBreaker(start);
    const model = new Breaker(plain, start);
    const running = [];
    let health = 0.5;
    for (let i = 0; i < STEPS; i += 1) {
      if (g.chance(0.05)) health = g.pick([0, 0.1, 0.5, 1]);
      const now = step();
      const where = `${name}, step ${i}, ${now}`;
      if (g.chance(0.5)) {
        near(machines.lookAtBreaker(state, now), model.look(now), `${where}: look`);
        const first = g.chance(0.7);
        const answer = machines.admit(state, options, now, first);
        const { pass, wait: expected = 0 } = model.admit(now, first);
        near(Math.max(answer, 0), expected, `${where}: admit`);
        if (model.phase === 'half-open') opened.half += 1;
        if (pass) running.push({ pass, ticket: -answer });
      } else if (running.length > 0) {
        const [{ pass, ticket }] = running.splice(g.whole(0, running.length - 1), 1);
        const verdict = g.chance(0.1) ? machines.NOTHING : g.chance(health) ? machines.FAILURE : machines.SUCCESS;
        const [draw, hint] = [g.unit(), g.chance(0.1) ? scale * 50 : NaN];
        const change = machines.endedIn(state, options, now, draw, ticket, verdict, hint);
        const expected = model.end(now, pass, verdict, draw, undefined, hint);
        assert.equal(['none', 'opened', 'closed'][change], expected ?? 'none', `${where}: end`);
        if (expected === 'opened') opened.by += 1;
        if (expected === 'closed') opened.closings += 1;
      }
      const seen = machines.breakerNumbers(state, options, now);
      const copy = Object.assign(Object.create(Breaker.prototype), model);
      copy.turn(now);
      near(seen.retryAfterMs, copy.busy(now), `${where}: retryAfterMs`);
      assert.equal(seen.opens, copy.opens, `${where}: opens`);
      assert.equal(['closed', 'open', 'half-open'][state[machines.PHASE]], model.phase, `${where}: phase`);
      if (model.phase !== 'closed') continue;
      const { failures, calls } = copy.counted(now);
      near(seen.failures, failures, `${where}: failures`);
      near(seen.calls, calls, `${where}: calls`);
    }
  });
  assert.ok(opened.by > 500 && opened.closings > 100 && opened.half > 500, JSON.stringify(opened));
});

test('a cooldown holds as the list of its hints says', () => {
  walks(2, (g, scale, _, step, name) => {
    const state = machines.newCooldown();
    const model = new Cooldown();
    for (let i = 0; i < STEPS; i += 1) {
      const now = step();
      if (g.chance(0.2)) {
        const ms = scale * g.pick([1, 7, 40]);
        const isSet = machines.startCooldown(state, now, ms) === 1;
        assert.equal(isSet, model.start(now, ms), `${name}, step ${i}: start`);
      }
      near(machines.cooldownLeft(state, now), model.left(now), `${name}, step ${i}: left`);
      const [base, draw] = [scale * g.pick([0, 1, 10]), g.unit()];
      near(machines.holdMs(state, now, base, draw), model.hold(now, base, draw), `${name}, step ${i}: hold`);
    }
  });
});

test('credits that are added up late equal credits that are added and cut one by one', () => {
  walks(3, (g, _, __, ___, name) => {
    const plain = { capacity: g.pick([1, 3, 50, 0.5]), perSuccess: g.pick([0, 0.001, 0.1, 7]), cost: 0.5 };
    const model = new Budget(plain);
    const state = machines.newBudget(model.capacity);
    for (let i = 0; i < STEPS; i += 1) {
      if (g.chance(0.5)) {
        const took = machines.takeTokens(state, model.capacity, model.cost);
        assert.equal(!!took, model.take(false) > 0, `${name}, step ${i}`);
      } else {
        state[machines.PENDING] += model.perSuccess;
        model.succeeded(0);
      }
      if (g.chance(0.5)) assert.equal(machines.tokensOf(state, model.capacity), model.tokens, `${name}, step ${i}`);
    }
  });
});
