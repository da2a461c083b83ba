// Random lives of the machines of protection: their answers in JavaScript are those of native Rust, bit for bit. Rust
// draws the steps and writes them down: tests/protection/lives.rs. REJITTER_LIVES sets how many lives of 100
// steps are compared.

import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { modules } from '../lib/consumer.mjs';
import { playAll } from './lives.mjs';

const load = (name) => import(pathToFileURL(join(modules, 'lib', name)).href);
const machine = await load('protection/machines.js');

const LIVES = Number(process.env.REJITTER_LIVES || 1000);

function play(next, equal, more) {
  const breaker = machine.newBreaker(next());
  const options = Float64Array.from({ length: 8 }, next);
  const capacity = next();
  const budget = machine.newBudget(capacity);
  const cooldown = machine.newCooldown();
  /** By their numbers on the tape. */
  const calls = [
    (now) => equal(machine.admit(breaker, options, now, next() === 1)),
    (now) => {
      const [draw, ticket, verdict, hint] = [next(), next(), next(), next()];
      equal(machine.ended(breaker, options, now, draw, ticket, verdict, hint));
    },
    (now) => {
      const [hand, ms] = [next(), next()];
      if (hand <= 1) machine.open(breaker, options, now, ms);
      else if (hand === 2) machine.close(breaker, now);
      equal(machine.look(breaker, now));
      equal(machine.breakerIsFresh(breaker, options, now));
    },
    () => {
      budget[machine.PENDING] += next();
      const [cost, after] = [next(), next()];
      const granted = machine.take(budget, capacity, cost);
      budget[machine.PENDING] += after;
      equal(granted);
    },
    (now) => equal(machine.start(cooldown, now, next())),
    (now) => {
      const [base, draw, then] = [next(), next(), next()];
      equal(machine.left(cooldown, now));
      equal(machine.hold(cooldown, now, base, draw));
      equal(cooldown[machine.PROBED]);
      // The probe of the hold passes, or a success ends it.
      if (then === 0) cooldown[machine.PROBED] = 1;
      if (then === 1) cooldown[machine.UNTIL] = -Infinity;
    },
    () => {},
  ];
  while (more()) {
    const now = next();
    calls[next()](now);
    const { retryAfterMs, failures, calls: many, opens } = machine.breakerNumbers(breaker, options, now);
    for (const number of [breaker[machine.PHASE], retryAfterMs, failures, many, opens]) equal(number);
    equal(machine.tokens(budget, capacity));
  }
}

test(`JavaScript and native Rust answer equally in ${LIVES} random lives`, () => playAll('machines', LIVES, play));
