// Random lives of the machines of protection: their answers in wasm and in the JavaScript made of it are those of
// native Rust, bit for bit. The steps are drawn here as in tests/protection/differential.rs, word by word; cargo gives
// the native digests. REJITTER_LIVES sets how many lives of 100 steps are compared.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { modules } from '../lib/consumer.mjs';
import { words } from '../lib/words.mjs';
import { nativeDigests, newDigest } from './lives.mjs';

const load = (name) => import(pathToFileURL(join(modules, 'lib', name)).href);
const {
  CLOSED,
  FAILURE,
  GENERATION,
  HAS_CLOSED,
  HAS_OPENED,
  LEASE,
  PENDING,
  SAME,
  SUCCESS,
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
  succeeded,
  takeTokens,
  tokensOf,
} = await load('protection/machines.js');

const FORMS = {
  wasm: (await load('protection-inline.js')).load,
  JavaScript: (await load('protection-no-wasm.js')).load,
};

const LIVES = Number(process.env.REJITTER_LIVES || 1000);
const STEPS = 100;

const SCALES = [0.01, 1, 30, 500, 7000, 60_000];
const COUNTS = [1, 3, 10, Infinity];

/** Plays a life. Returns the digest of its answers, and how many successes needed no core. */
function play(index, core) {
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
    1 + below(3),
  );
  const capacity = 1 + below(5000);
  const breaker = newBreaker(now);
  const budget = newBudget(capacity);
  const cooldown = newCooldown();
  const running = [];
  let fast = 0;

  const end = () => {
    const verdict = [0, 1, 2, 2][below(4)];
    const draw = unit();
    const hint = [0, NaN, scale * 20][below(3)];
    const which = word();
    if (running.length === 0) return;
    const [[generation, lease]] = running.splice(which % running.length, 1);
    // The way that the driver takes.
    if (verdict === SUCCESS && succeeded(breaker, options, now, generation)) {
      fast += 1;
      add(0);
    } else {
      add(endedIn(core, breaker, options, now, draw, generation, lease, verdict, hint));
    }
  };
  const step = () => {
    const leap = below(50);
    const part = unit();
    if (leap === 0) now += 1e9 * (part - 0.5);
    else if (leap === 2) now += -scale * part;
    else if (leap !== 1) now += scale * part;
    const kind = below(16);
    if (kind <= 4) {
      const wait = admit(core, breaker, options, now);
      add(wait);
      if (wait === 0) running.push([breaker[GENERATION], breaker[LEASE]]);
    } else if (kind <= 10) {
      end();
    } else if (kind === 11) {
      const hand = below(40);
      if (hand <= 1) openByHand(core, breaker, now, scale * 10 * unit());
      else if (hand === 2) closeByHand(core, breaker, now);
      add(lookAtBreaker(core, breaker, now));
      add(+breakerIsFresh(core, breaker, options, now));
    } else if (kind <= 13) {
      const cost = 1 + Math.floor((unit() * capacity) / 3);
      budget[PENDING] += below(200);
      add(+takeTokens(core, budget, capacity, cost));
      budget[PENDING] += below(200);
    } else if (kind === 14) {
      startCooldown(core, cooldown, now, scale * 20 * unit());
    } else {
      const base = scale * unit();
      const draw = unit();
      add(cooldownLeft(core, cooldown, now));
      add(holdMs(core, cooldown, now, base, draw));
    }
    const { phase, retryAfterMs, failures, calls, opens } = breakerNumbers(core, breaker, options, now);
    for (const value of [phase, retryAfterMs, failures, calls, opens]) add(value);
    add(tokensOf(core, budget, capacity));
  };
  for (let i = 0; i < STEPS; i += 1) step();
  return { digest: digest.value(), fast };
}

/** @type {Uint32Array} */
let native;

before(async () => {
  native = await nativeDigests('differential', LIVES);
});

for (const [form, core] of Object.entries(FORMS)) {
  test(`${form} and native Rust answer equally in ${LIVES} random lives`, () => {
    let fast = 0;
    for (let life = 0; life < LIVES; life += 1) {
      const found = play(life, core);
      assert.equal(found.digest, native[life], `life ${life}`);
      fast += found.fast;
    }
    assert.ok(fast > LIVES, `${fast} successes were only counted`);
  });
}

test('JavaScript counts within a slice of the window, and the core at its ends', () => {
  const options = Float64Array.of(0.5, 1, 100, Infinity, 1000, 1);
  const never = () => assert.fail('asked for the core');
  const breaker = newBreaker(1000);
  for (const now of [1000, 1099.999]) {
    assert.equal(admit(never, breaker, options, now), 0);
    assert.ok(succeeded(breaker, options, now, 0));
    assert.equal(lookAtBreaker(never, breaker, now), 0);
  }
  for (const now of [999.999, 1100]) {
    assert.throws(() => admit(never, breaker, options, now), /asked for the core/);
    assert.ok(!succeeded(breaker, options, now, 0));
  }
  // An outcome of another generation is ignored without the core, too.
  assert.ok(!succeeded(breaker, options, 1000, 1));
  assert.equal(endedIn(never, breaker, options, 1000, 0, 1, 0, FAILURE, 0), 0);
  const core = FORMS.wasm;
  assert.deepEqual(breakerNumbers(core, breaker, options, 1099), {
    phase: CLOSED,
    retryAfterMs: 0,
    failures: 0,
    calls: 2,
    opens: 0,
  });
  assert.equal(endedIn(core, breaker, options, 1100, 0, 0, 0, FAILURE, 0), SAME);
  assert.equal(endedIn(core, breaker, options, 1190, 0, 0, 0, FAILURE, 0), HAS_OPENED);
  assert.throws(() => admit(never, breaker, options, 1190), /asked for the core/);
  assert.equal(lookAtBreaker(core, breaker, 1190), 500);
  assert.equal(admit(core, breaker, options, 1690), 0);
  assert.equal(endedIn(core, breaker, options, 1690, 0, breaker[GENERATION], breaker[LEASE], SUCCESS, 0), HAS_CLOSED);
});

test('both forms are at work, each with its own registers', () => {
  const [wasm, js] = Object.values(FORMS).map((core) => core());
  assert.ok(wasm.memory instanceof WebAssembly.Memory);
  assert.ok(!(js.memory instanceof WebAssembly.Memory));
  assert.equal(FORMS.wasm(), wasm);
  assert.equal(FORMS.JavaScript(), js);
});
