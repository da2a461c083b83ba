// Random lives of the machines of protection and of the latency: their answers in JavaScript are those of native Rust,
// bit for bit. Rust draws the steps and writes them on a tape, with what each call got and gave:
// tests/protection/lives.rs. REJITTER_LIVES sets how many lives of 100 steps the machines have.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { modules, repo, run } from '../lib/consumer.mjs';

const load = (name) => import(pathToFileURL(join(modules, 'lib', name)).href);
const machine = await load('protection/machines.js');
const { Latency, peek } = await load('protection/latency.js');

/** Runs the native test that writes the tape of all lives of these machines. */
async function tapeOf(name, lives) {
  const folder = mkdtempSync(join(tmpdir(), 'lives-'));
  try {
    const file = join(folder, 'tape');
    // With the packages and features of the step of all native tests: another choice would build all once more.
    const choice = ['--package', 'rejitter', '--package', 'rejitter-wasm', '--all-features', '--test', 'native'];
    const args = ['test', '--locked', '--quiet', ...choice, '--', '--exact', `protection::lives::of_${name}`];
    const env = { REJITTER_LIFE_TAPES: file, REJITTER_LIVES: String(lives) };
    const { code, stdout, stderr } = await run(process.env.CARGO || 'cargo', args, { cwd: repo, env });
    assert.equal(code, 0, stdout + stderr);
    return new Float64Array(new Uint8Array(readFileSync(file)).buffer);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Makes the calls of all lives.
 * @param {(next: () => number, equal: (answer: number | boolean) => void, more: () => boolean) => void} play one life:
 *   `next` gives the next number of its tape, `equal` holds an answer to it, bit for bit
 */
async function playAll(name, lives, play) {
  const tape = await tapeOf(name, lives);
  let at = 0;
  for (let life = 0; life < lives; life += 1) {
    const from = at;
    const end = at + 1 + tape[at];
    at += 1;
    const next = () => tape[at++];
    const equal = (answer) => {
      const native = next();
      if (!Object.is(Number(answer), native))
        assert.fail(`number ${at - from} of life ${life} is ${answer}; native Rust has ${native}`);
    };
    play(next, equal, () => at < end);
    assert.equal(at, end);
  }
  assert.equal(at, tape.length);
}

function playMachines(next, equal, more) {
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

function playLatency(next, equal, more) {
  const latency = new Latency(next());
  while (more()) {
    const now = next();
    for (let records = next(); records > 0; records -= 1) latency.record(now, next());
    const [peeks, quantile] = [next() === 1, next()];
    equal((peeks ? peek(latency, now, quantile) : latency.delayMs(now, quantile)) ?? -1);
  }
}

for (const [name, lives, play] of [
  ['machines', Number(process.env.REJITTER_LIVES || 1000), playMachines],
  ['latencies', 250, playLatency],
])
  test(`${name} answer equally in JavaScript and native Rust, in ${lives} random lives`, () =>
    playAll(name, lives, play));
