// Random lives of the machines of protection: their answers in JavaScript are those of native Rust, bit for bit. The
// steps are drawn here as in tests/protection/differential.rs, word by word; cargo gives the native digests.
// REJITTER_LIVES sets how many lives of 100 steps are compared.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { modules } from '../lib/consumer.mjs';
import { words } from '../lib/words.mjs';
import { nativeDigests, newDigest } from './lives.mjs';

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
const STEPS = 100;

const SCALES = [0.01, 1, 30, 500, 7000, 60_000];
const COUNTS = [1, 3, 10, Infinity];

/** Plays a life. Returns the digest of its answers. */
function play(index) {
  const { word, below, unit } = words(index);
  const digest = newDigest();
  const { add } = digest;
  const scale = SCALES[below(6)];
  let now = 1e6 * unit();
  const options = Float64Array.of(
    1 - unit(),
    COUNTS[below(4)],
    100 + scale * 40 * unit(),
    COUNTS[below(4)],
    0.5 + scale * 10 * unit(),
    COUNTS[below(4)],
    1 + below(3),
  );
  options[5] *= options[4];
  const capacity = 1 + below(5000);
  const breaker = newBreaker(now);
  const budget = newBudget(capacity);
  const cooldown = newCooldown();
  const running = [];

  const end = () => {
    const verdict = [0, 1, 2, 2][below(4)];
    const draw = unit();
    const hint = [0, NaN, scale * 20][below(3)];
    const which = word();
    if (running.length === 0) return;
    const [ticket] = running.splice(which % running.length, 1);
    add(endedIn(breaker, options, now, draw, ticket, verdict, hint));
  };
  const step = () => {
    const leap = below(50);
    const part = unit();
    if (leap === 0) now += 1e9 * (part - 0.5);
    else if (leap === 2) now += -scale * part;
    else if (leap !== 1) now += scale * part;
    const kind = below(16);
    if (kind <= 4) {
      const answer = admit(breaker, options, now, below(4) > 0);
      add(answer);
      if (answer < 0) running.push(-answer);
    } else if (kind <= 10) {
      end();
    } else if (kind === 11) {
      const hand = below(40);
      if (hand <= 1) openByHand(breaker, options, now, scale * 10 * unit());
      else if (hand === 2) closeByHand(breaker, now);
      add(lookAtBreaker(breaker, now));
      add(+breakerIsFresh(breaker, options, now));
    } else if (kind <= 13) {
      const cost = 1 + Math.floor((unit() * capacity) / 3);
      budget[PENDING] += below(200);
      add(takeTokens(budget, capacity, cost));
      budget[PENDING] += below(200);
    } else if (kind === 14) {
      add(startCooldown(cooldown, now, scale * 20 * unit()));
    } else {
      const base = scale * unit();
      const draw = unit();
      add(cooldownLeft(cooldown, now));
      add(holdMs(cooldown, now, base, draw));
    }
    const { retryAfterMs, failures, calls, opens } = breakerNumbers(breaker, options, now);
    for (const value of [breaker[PHASE], retryAfterMs, failures, calls, opens]) add(value);
    add(tokensOf(budget, capacity));
  };
  for (let i = 0; i < STEPS; i += 1) step();
  return digest.value();
}

/** @type {Uint32Array} */
let native;

before(async () => {
  native = await nativeDigests('differential', LIVES);
});

test(`JavaScript and native Rust answer equally in ${LIVES} random lives`, () => {
  for (let life = 0; life < LIVES; life += 1) assert.equal(play(life), native[life], `life ${life}`);
});
