// JavaScript answers as native Rust does, bit for bit: random lives of the machines of protection and of the
// latency, and random headers. Rust draws what is asked and writes it on tapes, with its own answers:
// tests/common/http.rs and tests/protection/lives.rs. REJITTER_LIVES sets how many lives of 100 steps there are.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { modules, repo, run, vectors } from '../lib/consumer.mjs';
import { importFetch } from '../lib/fetching.mjs';

const load = (name) => import(pathToFileURL(join(modules, 'lib', name)).href);
const machine = await load('protection/machines.js');
const { Latency, peek } = await load('protection/latency.js');
const { retryAfterMs } = await importFetch();

const folder = mkdtempSync(join(tmpdir(), 'tapes-'));
after(() => rmSync(folder, { recursive: true }));
const tapeOf = (name) => readFileSync(join(folder, name));

before(async () => {
  // With the packages and features of the step of all native tests: another choice would build all once more.
  const choice = ['--package', 'rejitter', '--package', 'rejitter-wasm', '--all-features', '--test', 'native'];
  const names = ['protection::lives::of_machines', 'protection::lives::of_latencies', 'http::random_headers'];
  const args = ['test', '--locked', '--quiet', ...choice, '--', '--exact', ...names];
  const { code, stdout, stderr } = await run(process.env.CARGO || 'cargo', args, {
    ...{ cwd: repo, env: { REJITTER_TAPES: folder } },
  });
  assert.equal(code, 0, stdout + stderr);
});

/**
 * Makes the calls of all lives.
 * @param {(next: () => number, equal: (answer: number | boolean) => void, more: () => boolean) => void} play one life:
 *   `next` gives the next number of its tape, `equal` holds an answer to it, bit for bit
 */
function playAll(name, play) {
  const tape = new Float64Array(new Uint8Array(tapeOf(name)).buffer);
  let life = 0;
  for (let at = 0; at < tape.length; life += 1) {
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
  assert.ok(life >= 250, `${life} lives`);
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

for (const [name, play] of Object.entries({ machines: playMachines, latencies: playLatency }))
  test(`${name} answer equally in JavaScript and native Rust, in random lives`, () => playAll(name, play));

test('100,000 random headers ask for the same waits', (t) => {
  const { now } = vectors('retry-after');
  t.mock.method(Date, 'now', () => now);
  const lines = String(tapeOf('headers')).split('\n');
  assert.equal(lines.length, 100_000);
  for (const line of lines) {
    const { ms, ...headers } = JSON.parse(line);
    assert.equal(retryAfterMs(headers), ms ?? undefined, line);
  }
});
