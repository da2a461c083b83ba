// Random lives of the machines of protection: their answers in JavaScript are those of native Rust, bit for bit. Rust
// draws the steps and writes them down: tests/protection/differential.rs. REJITTER_LIVES sets how many lives of 100
// steps are compared.

import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { modules } from '../lib/consumer.mjs';
import { playAll } from './lives.mjs';

const load = (name) => import(pathToFileURL(join(modules, 'lib', name)).href);
const {
  PENDING,
  PHASE,
  admit,
  breakerIsFresh,
  breakerNumbers,
  closeByHand,
  cooldownLeft,
  endedIn,
  holdMs,
  lookAtBreaker,
  newBreaker,
  newBudget,
  newCooldown,
  openByHand,
  startCooldown,
  takeTokens,
  tokensOf,
} = await load('protection/machines.js');

const LIVES = Number(process.env.REJITTER_LIVES || 1000);

function play(next, equal, more) {
  const breaker = newBreaker(next());
  const options = Float64Array.from({ length: 7 }, next);
  const capacity = next();
  const budget = newBudget(capacity);
  const cooldown = newCooldown();
  /** By their numbers on the tape. */
  const calls = [
    (now) => equal(admit(breaker, options, now, next() === 1)),
    (now) => {
      const [draw, ticket, verdict, hint] = [next(), next(), next(), next()];
      equal(endedIn(breaker, options, now, draw, ticket, verdict, hint));
    },
    (now) => {
      const [hand, ms] = [next(), next()];
      if (hand <= 1) openByHand(breaker, options, now, ms);
      else if (hand === 2) closeByHand(breaker, now);
      equal(lookAtBreaker(breaker, now));
      equal(breakerIsFresh(breaker, options, now));
    },
    () => {
      budget[PENDING] += next();
      const [cost, after] = [next(), next()];
      const granted = takeTokens(budget, capacity, cost);
      budget[PENDING] += after;
      equal(granted);
    },
    (now) => equal(startCooldown(cooldown, now, next())),
    (now) => {
      const [base, draw] = [next(), next()];
      equal(cooldownLeft(cooldown, now));
      equal(holdMs(cooldown, now, base, draw));
    },
    () => {},
  ];
  while (more()) {
    const now = next();
    calls[next()](now);
    const { retryAfterMs, failures, calls: many, opens } = breakerNumbers(breaker, options, now);
    for (const number of [breaker[PHASE], retryAfterMs, failures, many, opens]) equal(number);
    equal(tokensOf(budget, capacity));
  }
}

test(`JavaScript and native Rust answer equally in ${LIVES} random lives`, () => playAll('differential', LIVES, play));
