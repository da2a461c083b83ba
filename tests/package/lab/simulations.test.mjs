// The simulations of rejitter/lab as users meet them, from the tarball. What they compute is tested natively
// (tests/simulation.rs); here, that it arrives bit for bit, and that a simulation runs, stops and rejects.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { project, repo, run, runNode, tool } from '../lib/consumer.mjs';
import { DECLARED, blocks, declarations, runBlock } from '../lib/readers.mjs';

const dir = project('lab-simulations', {
  'lab.mjs': "export * from 'rejitter/lab';\nexport { RetryPolicy } from 'rejitter';\n",
});
const lab = await import(pathToFileURL(join(dir, 'lab.mjs')).href);
const {
  RetryPolicy,
  peakOf,
  sample,
  simulateAmplification,
  simulateContention,
  simulateEthernet,
  simulateHedging,
  simulateLoad,
  simulateOutage,
  simulateRateLimit,
  timeToServeMs,
} = lab;

const ENDLESS = { maxAttempts: Infinity };
const FIGURES = ['none', 'exponential', 'equal', 'full', 'decorrelated'];

/** The result at the end, in one step. */
function finished(simulation) {
  assert.equal(simulation.step().done, true);
  const result = simulation.result();
  simulation.free();
  return result;
}

/** FNV-1a over the bits of numbers, as in tests/simulation/golden.rs. */
function digest(...lists) {
  let hash = 0xcbf29ce484222325n;
  const bits = new DataView(new ArrayBuffer(8));
  for (const list of lists) {
    for (const number of list) {
      if (list instanceof Float64Array) bits.setFloat64(0, number);
      else bits.setBigUint64(0, BigInt(number));
      const word = Number.isNaN(number) ? 0n : bits.getBigUint64(0);
      hash = BigInt.asUintN(64, (hash ^ word) * 0x100000001b3n);
    }
  }
  return hash;
}

/** The digests that native Rust is held to, by the names of their tests. */
const golden = Object.fromEntries(
  [
    ...readFileSync(join(repo, 'tests/simulation/golden.rs'), 'utf8').matchAll(
      /#\[test\]\nfn (\w+)\(\) \{.*?assert_eq!\([^,]*, (0x[0-9a-f_]+)\)/gs,
    ),
  ].map(([, name, hex]) => [name, BigInt(hex.replaceAll('_', ''))]),
);

const GOLDEN = {
  contention: () =>
    FIGURES.flatMap((figure) => {
      const { timesMs, calls } = finished(simulateContention({ figure }, { clients: 60, runs: 10, seed: 2015 }));
      return [timesMs, calls];
    }),
  outage: () =>
    ['full', 'equal', 'decorrelated', 'pollyV2'].flatMap((jitter) => {
      const options = { clients: 300, spreadMs: 500, capacityPerS: 40, burst: 5, latencyMs: 12.5, seed: 2015 };
      const { latenciesMs, traces, servedMs, attempts, arrivals, accepted } = finished(
        simulateOutage({ jitter, ...ENDLESS }, options),
      );
      return [latenciesMs, traces.timesMs, servedMs, attempts, arrivals, accepted];
    }),
  load: () =>
    [
      [
        { type: 'poisson', perS: 280 },
        { perSuccess: 0.1, capacity: 10, refund: false },
      ],
      [
        { type: 'closed', clients: 400, thinkMs: 900 },
        { perSuccess: 0, perRequest: 0.2, capacity: 50, refund: false },
      ],
      [{ type: 'regular', perS: 280 }, undefined],
    ].flatMap(([arrivals, budget]) => {
      const { responseMs, requests, successes, retries, timeouts } = finished(
        simulateLoad(ENDLESS, { arrivals, protection: { budget }, horizonMs: 60_000, seed: 2015 }),
      );
      return [responseMs, requests, successes, retries, timeouts];
    }),
  protection: () => [
    ...[1, 3].flatMap((processes) => {
      const { responseMs, rejectedByBreaker, rejectedByBudget, phases } = finished(
        simulateLoad(ENDLESS, {
          arrivals: { type: 'poisson', perS: 280 },
          protection: { budget: {}, breaker: {} },
          processes,
          horizonMs: 60_000,
          seed: 2015,
        }),
      );
      return [responseMs, rejectedByBreaker, rejectedByBudget, phases.timesMs, phases.processes, phases.phases];
    }),
    ...[undefined, { cooldown: { maxHoldMs: 30_000 } }].flatMap((protection) => {
      const { accepted, rejected, totals } = finished(simulateRateLimit(ENDLESS, { protection, seed: 2015 }));
      return [accepted, rejected, Float64Array.of(totals.endMs)];
    }),
  ],
  hedging: () =>
    [
      {},
      { hedge: { delayMs: 60, maxRatio: Infinity } },
      { hedge: {}, load: undefined },
      { hedge: {}, load: {} },
    ].flatMap((options) => {
      const { survival, p50Ms, p99Ms, p999Ms, meanMs, exact } = finished(
        simulateHedging({ requests: 20_000, seed: 2015, ...options }),
      );
      const closed = exact && [exact.survival, Float64Array.of(exact.p50Ms, exact.p99Ms, exact.p999Ms, exact.extra)];
      return [survival, Float64Array.of(p50Ms, p99Ms, p999Ms, meanMs), ...(closed ?? [])];
    }),
  amplification_and_ethernet: () => {
    const layers = finished(
      simulateAmplification({ attempts: 3, layers: 4, failure: 0.8, requests: 2000, seed: 2015 }),
    );
    const { slots, firstRun, attempts, collisions } = finished(simulateEthernet({ runs: 20, seed: 2015 }));
    return [layers.callsPerRequest, layers.calls, slots, firstRun.slots, firstRun.senders, attempts, collisions];
  },
};

for (const [name, make] of Object.entries(GOLDEN)) {
  test(`${name}: the numbers of native Rust, bit for bit`, () => {
    assert.equal(digest(...make()), golden[name]);
  });
}

/** tests/simulation/contention.rs has the whole table, and says where it is from. Mean and deviation of 10,000 runs. */
const REFERENCE = {
  none: { calls: [50.83, 4.05], timeMs: [379.8, 34] },
  exponential: { calls: [50.82, 4.12], timeMs: [3472, 1306] },
  equal: { calls: [42.46, 2.54], timeMs: [727, 184] },
  full: { calls: [39.03, 2.28], timeMs: [464, 106] },
  decorrelated: { calls: [37.67, 2.32], timeMs: [435, 84] },
};

for (const figure of FIGURES) {
  test(`the figure: 10 clients, '${figure}': both means within both confidence intervals`, () => {
    const result = finished(simulateContention({ figure }, { clients: 10, runs: 400, seed: 'figure' }));
    for (const [what, [mean, sd]] of Object.entries(REFERENCE[figure])) {
      const ours = result[`${what}Summary`];
      assert.ok(
        Math.abs(ours.mean - mean) <= ours.ci95 + 0.0196 * sd,
        `${what}: ${ours.mean} ± ${ours.ci95}, not ${mean}`,
      );
    }
    assert.deepEqual([...result.giveUps], Array(400).fill(0));
  });
}

test('summaries are those of the runs', () => {
  const { calls, callsSummary, timesMs, timeMsSummary } = finished(
    simulateContention({ figure: 'full' }, { clients: 20, runs: 50, seed: 1 }),
  );
  for (const [list, summary] of [
    [calls, callsSummary],
    [timesMs, timeMsSummary],
  ]) {
    const mean = list.reduce((sum, x) => sum + x, 0) / 50;
    const sd = Math.sqrt(list.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 49);
    const near = (ours, theirs) => assert.ok(Math.abs(ours / theirs - 1) < 1e-12, `${ours}, not ${theirs}`);
    near(summary.mean, mean);
    near(summary.sd, sd);
    near(summary.ci95, (1.96 * sd) / Math.sqrt(50));
  }
});

test('the figure without noise and without backoff: exactly N(N + 1)/2 calls', () => {
  for (const clients of [1, 2, 10, 77]) {
    const { calls } = finished(simulateContention({ figure: 'none' }, { clients, hopSdMs: 0, runs: 3 }));
    assert.deepEqual([...calls], Array(3).fill((clients * (clients + 1)) / 2));
  }
});

test('a line of the figure is a policy: base and cap are its own, the first ceiling is twice the base', () => {
  const options = { clients: 20, runs: 20, seed: 3 };
  const policy = { baseMs: 16, capMs: 300, ...ENDLESS };
  assert.deepEqual(
    finished(simulateContention({ figure: 'full', baseMs: 8, capMs: 300 }, options)),
    finished(simulateContention(policy, options)),
  );
  assert.deepEqual(
    finished(simulateContention({ figure: 'full' }, options)),
    finished(simulateContention({ figure: 'full', baseMs: 5, capMs: 2000 }, options)),
  );
});

test('amplification: the closed form, before and after', () => {
  for (const [attempts, layers, failure] of [
    [3, 1, 0.5],
    [3, 3, 0.5],
    [2, 4, 0.9],
  ]) {
    const simulation = simulateAmplification({ attempts, layers, failure, requests: 20_000, seed: 1 });
    const { expectedCalls, expectedSuccess } = simulation.result();
    const all = failure ** (attempts ** layers);
    assert.equal(expectedCalls.length, layers);
    assert.ok(Math.abs(expectedCalls.at(-1) - (1 - all) / (1 - failure)) < 1e-12);
    assert.ok(Math.abs(expectedSuccess - (1 - all)) < 1e-12);
    const { calls, callsPerRequest, successes } = finished(simulation);
    assert.ok(Math.abs(calls.at(-1) / 20_000 / expectedCalls.at(-1) - 1) < 0.03);
    assert.ok(Math.abs(successes / 20_000 - expectedSuccess) < 0.01);
    assert.equal(
      callsPerRequest.reduce((sum, n) => sum + n, 0),
      calls.at(-1),
    );
  }
  assert.deepEqual([...simulateAmplification({ layers: 1 }).result().expectedCalls], [1.75]);
});

test('ethernet: every attempt is in a slot', () => {
  const { slots, collisions, dropped, attempts, firstRun } = finished(
    simulateEthernet({ stations: 30, runs: 4, seed: 1 }),
  );
  assert.deepEqual([slots.length, collisions.length, dropped.length, attempts.length], [4, 4, 4, 4]);
  assert.equal(
    firstRun.senders.reduce((sum, n) => sum + n, 0),
    attempts[0],
  );
  assert.equal(firstRun.senders.filter((n) => n > 1).length, collisions[0]);
  assert.equal(firstRun.slots.at(-1) + 1, slots[0]);
  assert.equal(finished(simulateEthernet({ stations: 2, maxAttempts: 1, runs: 1 })).dropped[0], 2);
});

// tests/simulation/protection.rs has the whole table. Regular arrivals: the counts are exact.
const OVERLOAD = { horizonMs: 600_000, seed: 1 };
const REGULAR = { jitter: 'none', maxAttempts: 4 };
for (const { name, protection, seconds, retries, ...counts } of [
  { name: 'nothing', protection: undefined, retries: 493_808 },
  {
    name: 'a budget by requests',
    protection: { budget: { perSuccess: 0, perRequest: 0.1, capacity: 10, refund: false } },
    retries: 16_501,
  },
  { name: 'the default budget', protection: { budget: {} }, seconds: 128.5, retries: 50 },
  { name: 'the AWS budget', protection: { budget: { preset: 'awsSdk2026' } }, seconds: 127.8, retries: 35 },
  { name: 'a floor below the spare capacity', protection: { budget: { perSecond: 1 } }, seconds: 135.7 },
  { name: 'a floor above the spare capacity', protection: { budget: { perSecond: 30 } } },
  { name: 'a breaker', protection: { breaker: { draw: 0.5 } }, seconds: 0.2, retries: 502 },
  {
    name: 'both',
    protection: { budget: {}, breaker: { draw: 0.5 } },
    seconds: 0.2,
    retries: 50,
    openings: 4,
    rejectedByBreaker: 3593,
  },
]) {
  test(`load with ${name}: ${seconds === undefined ? 'never recovers' : `recovers after ${seconds} s`}`, () => {
    const { recoveredAfterMs, totals } = finished(simulateLoad(REGULAR, { protection, ...OVERLOAD }));
    assert.equal(recoveredAfterMs && Math.round(recoveredAfterMs / 100) / 10, seconds);
    if (retries !== undefined) assert.equal(totals.retries, retries);
    for (const [count, expected] of Object.entries(counts)) assert.equal(totals[count], expected, count);
  });
}

test('load: the breaker opens, lets a probe through, and closes', () => {
  const { phases, rejectedByBreaker, totals, admittedAfterMs } = finished(
    simulateLoad(REGULAR, { protection: { budget: {}, breaker: { draw: 0.5 } }, ...OVERLOAD }),
  );
  assert.deepEqual([...phases.phases], [1, 2, 1, 2, 1, 2, 1, 2, 0]);
  assert.deepEqual([...phases.processes], Array(9).fill(0));
  const lasted = [0, 2, 4, 6].map((i) => Math.round(phases.timesMs[i + 1] - phases.timesMs[i]));
  assert.deepEqual(lasted, [750, 1500, 3004, 3750]);
  assert.equal(
    rejectedByBreaker.reduce((sum, n) => sum + n, 0),
    totals.rejectedByBreaker,
  );
  assert.ok(Math.abs(phases.timesMs[8] - 20_000 - admittedAfterMs) < 10);
});

test('load: each process has a protection of its own', () => {
  const { phases, totals } = finished(
    simulateLoad(
      { maxAttempts: 4 },
      { protection: { breaker: {} }, processes: 5, arrivals: { type: 'poisson', perS: 280 }, ...OVERLOAD },
    ),
  );
  assert.deepEqual(new Set(phases.processes), new Set([0, 1, 2, 3, 4]));
  assert.equal(phases.phases.filter((phase) => phase === 1).length, totals.openings);
});

// tests/simulation/rate_limit.rs has the means of 20 seeds.
test('a rate limit: with hints ignored most jobs fail, with hints followed some, with a shared cooldown none', () => {
  const totals = (options) => finished(simulateRateLimit({}, { seed: 1, ...options })).totals;
  assert.equal(totals({ hints: 'ignored' }).failed, 700);
  const followed = totals({});
  assert.ok(followed.failed > 10 && followed.failed < 40, `${followed.failed}`);
  const shared = totals({ protection: { cooldown: {} } });
  assert.deepEqual([shared.done, shared.failed, shared.rejectedByCooldown], [1000, 0, 0]);
  assert.ok(shared.rejected < followed.rejected / 3, `${shared.rejected} of ${followed.rejected}`);
  assert.ok(Math.abs(shared.endMs - followed.endMs) < 2000);
  // Who may be held for half a window only fails in its first half.
  const short = totals({ protection: { cooldown: { maxHoldMs: 5000 } } });
  assert.ok(short.rejectedByCooldown > 100 && short.failed === 0, JSON.stringify(short));
});

// tests/simulation/hedging.rs has the means of 20 seeds.
test('hedging: the closed form is there before any step, and the sample comes near', () => {
  for (const [delayMs, p99, p999, extra] of [
    [60, 100.2, 759.1, 0.0973],
    [100, 137.4, 779.1, 0.0564],
    [undefined, 1304.7, 2456, 0],
  ]) {
    const hedge = delayMs === undefined ? undefined : { delayMs, maxRatio: Infinity };
    const simulation = simulateHedging({ hedge, requests: 300_000, seed: 1 });
    const { exact, survival, p50Ms, p99Ms, p999Ms, meanMs, totals } = simulation.result();
    assert.ok(survival.every(Number.isNaN));
    assert.deepEqual([p50Ms, p99Ms, p999Ms, meanMs], [NaN, NaN, NaN, NaN]);
    assert.deepEqual(totals, { requests: 0, hedges: 0, won: 0, rejected: 0 });
    const round = (number, digits) => Number(number.toFixed(digits));
    assert.deepEqual([round(exact.p99Ms, 1), round(exact.p999Ms, 1), round(exact.extra, 4)], [p99, p999, extra]);
    const sampled = finished(simulation);
    assert.deepEqual(sampled.exact, exact);
    // The bound of Dvoretzky, Kiefer and Wolfowitz for a millionth: tests/simulation/hedging.rs has it.
    const bound = Math.sqrt(Math.log(2e6) / 2 / 300_000);
    sampled.survival.forEach((share, i) => {
      assert.ok(Math.abs(share - exact.survival[i]) < bound, `${share} at ${sampled.timesMs[i]}`);
    });
    assert.ok(Math.abs(sampled.p99Ms / exact.p99Ms - 1) < 0.03, `${sampled.p99Ms}`);
    assert.equal(sampled.totals.requests, 300_000);
    assert.ok(Math.abs(sampled.totals.hedges / 300_000 - extra) < 0.003);
  }
});

test('hedging: the grid is ascending, 16 times an octave', () => {
  const { timesMs, survival, exact } = finished(simulateHedging({ requests: 10 }));
  assert.deepEqual([timesMs.length, survival.length, exact.survival.length], [641, 641, 641]);
  assert.deepEqual([timesMs[0], timesMs[160], timesMs[161], timesMs[640]], [2 ** -10, 1, 1.0625, 2 ** 30]);
  assert.ok(timesMs.every((time, i) => i === 0 || time > timesMs[i - 1]));
});

test('hedging: bounded, it cuts the tail; unbounded, it makes busy servers collapse', () => {
  const busy = (hedge) => {
    const options = { service: { meanMs: 10, slowShare: 0 }, hedge, load: {}, seed: 1 };
    const { p50Ms, p99Ms, exact, totals } = finished(simulateHedging(options));
    assert.equal(exact, undefined);
    return { p50Ms, p99Ms, hedged: totals.hedges / totals.requests, ...totals };
  };
  const within = (number, from, to) => assert.ok(number >= from && number <= to, `${number}`);
  within(busy(undefined).p50Ms, 22, 24);
  const bounded = busy({ delayMs: 50 });
  within(bounded.p50Ms, 28, 32);
  within(bounded.p99Ms, 165, 190);
  within(bounded.hedged, 0.098, 0.1001);
  assert.ok(bounded.rejected > bounded.hedges);
  const unbounded = busy({ delayMs: 50, maxRatio: Infinity });
  within(unbounded.p50Ms, 27_000, 29_000);
  within(unbounded.hedged, 0.997, 1);
  assert.equal(unbounded.rejected, 0);
});

test('hedging: a learned delay hedges some 5%', () => {
  const { totals, exact } = finished(simulateHedging({ hedge: {}, seed: 1 }));
  assert.equal(exact, undefined);
  assert.ok(totals.hedges > 5000 && totals.hedges < 5700, `${totals.hedges}`);
});

test('outage: the mean attempts, and what is expected of the busiest bin', () => {
  const reference = { none: [10, 1], full: [13.396, 0.02], equal: [11.231, 0.015], decorrelated: [16.62, 0.02] };
  for (const [jitter, [mean, busiest]] of Object.entries(reference)) {
    const seeds = 60;
    const sums = new Float64Array(1000);
    let attempts = 0;
    let peaks = 0;
    for (let seed = 0; seed < seeds; seed += 1) {
      const result = finished(simulateOutage({ jitter, ...ENDLESS }, { seed }));
      attempts += result.meanAttempts / seeds;
      // Served clients do not return: the server serves all calls after the outage.
      result.arrivals.forEach((n, bin) => {
        sums[bin] += n / seeds / 1000;
      });
      peaks += peakOf(result, 30_000).arrivals / seeds / 1000;
    }
    assert.ok(Math.abs(attempts - mean) < 0.02, `${jitter}: ${attempts} attempts`);
    const most = Math.max(...sums.subarray(300));
    assert.ok(Math.abs(most - busiest) < 0.0015, `${jitter}: ${most}`);
    // One run's own is higher, being the highest of that run.
    assert.ok(jitter === 'none' ? peaks === most : peaks > most + 0.002, `${jitter}: ${peaks}, not ${most}`);
  }
});

test('a seed makes it reproducible: the given one, else the policy’s, else fresh', () => {
  const options = { clients: 50, capacityPerS: 20 };
  const make = (policy, seed) => finished(simulateOutage({ ...ENDLESS, ...policy }, { ...options, seed }));
  for (const seed of [7, 'text', 2n ** 64n - 1n]) {
    assert.deepEqual(make({}, seed), make({}, seed));
    assert.deepEqual(make({ seed }), make({}, seed));
    assert.deepEqual(make({ seed: 1 }, seed), make({}, seed));
  }
  assert.deepEqual(make({}, 7), make({}, 7n));
  assert.notDeepEqual(make({}, 7), make({}, 8));
  assert.notDeepEqual(make({}), make({}));
  const others = [
    simulateAmplification,
    simulateEthernet,
    (seeded) => simulateHedging({ requests: 100, ...seeded }),
    (seeded) => simulateContention({ figure: 'full' }, { runs: 2, ...seeded }),
  ];
  for (const other of others) {
    assert.deepEqual(finished(other({ seed: 'x' })), finished(other({ seed: 'x' })));
    assert.notDeepEqual(finished(other({})), finished(other({})));
  }
});

test('clients wait as operations of the policy do, lists included', () => {
  for (const backoff of ['exponential', [5, 300, 20]]) {
    const policy = new RetryPolicy({ backoff, seed: 5, maxAttempts: 9 });
    const { traces } = finished(simulateOutage(policy, { clients: 3 }));
    const waits = sample(policy, { operations: 3 });
    for (let client = 0; client < 3; client += 1) {
      const times = traces.timesMs.filter((_, i) => traces.clients[i] === client);
      let time = 0;
      const expected = [0, ...waits.subarray(client * 8, client * 8 + 8)].map((wait) => (time += wait));
      assert.deepEqual([...times], expected);
    }
  }
});

test('the time limits of a policy are the defaults where there is such an option', () => {
  const policy = new RetryPolicy({ ...ENDLESS, totalTimeoutMs: 5000, attemptTimeoutMs: 250, seed: 1 });
  assert.equal(finished(simulateOutage(policy)).giveUps, 1000);
  assert.equal(finished(simulateOutage(policy, { deadlineMs: Infinity })).giveUps, 0);
  const plain = new RetryPolicy({ ...ENDLESS, seed: 1 });
  assert.deepEqual(finished(simulateLoad(policy)), finished(simulateLoad(plain, { timeoutMs: 250 })));
  assert.notDeepEqual(finished(simulateLoad(policy)), finished(simulateLoad(plain)));
});

test('timeToServeMs is of all clients; peakOf is the first of the busiest', () => {
  const result = finished(simulateOutage(ENDLESS, { clients: 400, capacityPerS: 50, horizonMs: 36_000, seed: 1 }));
  const { servedMs, arrivals } = result;
  assert.ok(servedMs.length > 100 && servedMs.length < 400);
  assert.equal(timeToServeMs(result, 0), servedMs[0]);
  assert.equal(timeToServeMs(result, 0.25), servedMs[99]);
  assert.equal(timeToServeMs(result, servedMs.length / 400), servedMs.at(-1));
  assert.equal(timeToServeMs(result, 1), undefined);
  assert.deepEqual(peakOf(result), { startMs: 0, arrivals: Math.max(...arrivals) });
  const late = Math.max(...arrivals.subarray(301));
  assert.deepEqual(peakOf(result, 30_001), { startMs: 100 * arrivals.indexOf(late, 301), arrivals: late });
  assert.equal(peakOf(result, 36_000), undefined);
  assert.deepEqual(peakOf(structuredClone(result), 30_001), peakOf(result, 30_001));
});

test('slices change nothing; progress only grows; results may be read on the way', () => {
  const make = () => simulateOutage(ENDLESS, { clients: 100, capacityPerS: 30, seed: 1 });
  const whole = finished(make());
  for (const slice of [1, 13, 1000]) {
    const simulation = make();
    let last = simulation.step(0);
    assert.deepEqual(last, { events: 0, share: 0, done: false });
    let seen = 0;
    while (!last.done) {
      const progress = simulation.step(slice);
      assert.ok(progress.events > last.events - 1 && progress.events <= last.events + slice);
      assert.ok(progress.share >= last.share && progress.share <= 1);
      last = progress;
      if (slice > 1) {
        const served = simulation.result().servedMs.length;
        assert.ok(served >= seen);
        seen = served;
      }
    }
    assert.equal(last.share, 1);
    assert.deepEqual(simulation.result(), whole);
    assert.deepEqual(simulation.step(), last);
    simulation.free();
  }
});

test('run: slices with progress, then the result; the same as in one step', async () => {
  const make = () => simulateContention({ figure: 'equal' }, { clients: 30, runs: 20, seed: 1 });
  const seen = [];
  const simulation = make();
  const result = await simulation.run({ sliceEvents: 1000, onProgress: (progress) => seen.push(progress) });
  assert.ok(seen.length > 3);
  for (const [i, { events, share, done }] of seen.entries()) {
    const last = i === seen.length - 1;
    assert.equal(done, last);
    if (!last) assert.equal(events, 1000 * (i + 1));
    assert.ok(share >= (seen[i - 1]?.share ?? 0));
  }
  assert.equal(seen.at(-1).share, 1);
  // It is not freed, and may be run again.
  assert.deepEqual(simulation.result(), result);
  assert.deepEqual(await simulation.run(), result);
  assert.deepEqual(finished(make()), result);
});

test('run: an abort rejects with the reason itself; another run goes on from there', async () => {
  const simulation = simulateOutage(ENDLESS, { clients: 200, capacityPerS: 50, seed: 1 });
  const reason = { my: 'reason' };
  const aborted = AbortSignal.abort(reason);
  let calls = 0;
  await assert.rejects(
    simulation.run({ signal: aborted, onProgress: () => (calls += 1) }),
    (error) => error === reason,
  );
  assert.equal(calls, 0);
  assert.equal(simulation.step(0).events, 0);
  const controller = new AbortController();
  const run = simulation.run({
    signal: controller.signal,
    sliceEvents: 100,
    onProgress: ({ events }) => events >= 300 && controller.abort(reason),
  });
  await assert.rejects(run, (error) => error === reason);
  assert.equal(simulation.step(0).events, 300);
  const result = await simulation.run({ signal: new AbortController().signal });
  assert.deepEqual(result, finished(simulateOutage(ENDLESS, { clients: 200, capacityPerS: 50, seed: 1 })));
});

test('run: one at a time; what onProgress throws ends it', async () => {
  const simulation = simulateOutage(ENDLESS, { clients: 200, seed: 1 });
  const first = simulation.run({ sliceEvents: 500 });
  await assert.rejects(simulation.run(), {
    name: 'Error',
    message: 'rejitter: the simulation is running already; await that run',
  });
  await first;
  const mine = new Error('mine');
  const other = simulateOutage(ENDLESS, { clients: 200, seed: 1 });
  await assert.rejects(
    other.run({
      onProgress() {
        throw mine;
      },
    }),
    (error) => error === mine,
  );
  await other.run();
});

test('free: afterwards everything throws, a running run too; a second call has no effect', async () => {
  const message = 'rejitter: the simulation was freed; make another one';
  const simulation = simulateEthernet({ stations: 50, seed: 1 });
  const run = simulation.run({ sliceEvents: 10 });
  simulation.free();
  simulation.free();
  await assert.rejects(run, { message });
  assert.throws(() => simulation.step(), { message });
  assert.throws(() => simulation.result(), { message });
  await assert.rejects(simulation.run(), { message });
  const disposed = simulateEthernet();
  disposed[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  assert.throws(() => disposed.step(), { message });
});

test('results are one’s own: they can be kept, cloned and transferred', () => {
  const simulation = simulateOutage(ENDLESS, { clients: 50, seed: 1 });
  simulation.step(60);
  const early = simulation.result();
  const copy = structuredClone(early);
  simulation.step();
  const late = simulation.result();
  simulation.free();
  assert.deepEqual(early, copy);
  assert.notDeepEqual(early, late);
  const others = [
    simulateContention({ figure: 'none' }, { runs: 2 }),
    simulateLoad(),
    simulateAmplification(),
    simulateEthernet({ runs: 2 }),
  ];
  for (const result of [late, ...others.map(finished)]) {
    const arrays = (object) =>
      Object.values(object).flatMap((value) =>
        ArrayBuffer.isView(value) ? [value] : value !== null && typeof value === 'object' ? arrays(value) : [],
      );
    const lists = arrays(result);
    assert.ok(lists.length >= 3);
    // A view of the wasm's memory would be longer, and could not be transferred.
    for (const list of lists) assert.equal(list.byteLength, list.buffer.byteLength);
    const before = structuredClone(result);
    const sent = structuredClone(result, { transfer: lists.map((list) => list.buffer) });
    assert.deepEqual(sent, before);
    assert.ok(lists.every((list) => list.length === 0));
  }
});

const SLICED =
  "simulateContention({ figure: 'none' }, { clients: 200, runs: 1000, seed: 1 }).run({ sliceEvents: 1000, ";

test('run: between two slices a worker gets its messages', async () => {
  const { code, stdout, stderr } = await runNode(
    `import { Worker, isMainThread, parentPort } from 'node:worker_threads';
     import { simulateContention } from 'rejitter/lab';
     if (isMainThread) {
       const worker = new Worker(new URL(import.meta.url));
       worker.on('message', (message) => message === 'running' ? worker.postMessage('stop') : console.log(message));
     } else {
       const controller = new AbortController();
       parentPort.once('message', (message) => controller.abort(message));
       let posted = false;
       ${SLICED} signal: controller.signal, onProgress() { if (!posted) { posted = true;
         parentPort.postMessage('running'); } } })
         .then(() => 'ran to its end', (reason) => 'stopped by ' + reason).then((text) => parentPort.postMessage(text));
     }`,
  );
  assert.equal(stderr, '');
  assert.equal(stdout.trim(), 'stopped by stop');
  assert.equal(code, 0);
});

for (const [host, without] of [
  ['', ''],
  [' without MessageChannel', 'delete globalThis.MessageChannel;'],
]) {
  test(`run: between two slices timers fire${host}, and nothing keeps the process`, async () => {
    const { code, stdout, stderr } = await runNode(
      `${without} const { simulateContention } = await import('rejitter/lab');
       const controller = new AbortController();
       setTimeout(() => controller.abort('time'), 20);
       await ${SLICED} signal: controller.signal }).catch((reason) => console.log(reason));`,
    );
    assert.equal(stderr, '');
    assert.equal(stdout.trim(), 'time');
    assert.equal(code, 0);
  });
}

test('reuses freed memory: it does not grow', async () => {
  const { code, stdout, stderr } = await runNode(
    `import {
       simulateAmplification, simulateContention, simulateEthernet, simulateLoad, simulateOutage,
     } from 'rejitter/lab';
     const memories = [];
     const { Instance } = WebAssembly;
     WebAssembly.Instance = function (...args) { const instance = new Instance(...args);
       if (instance.exports.memory) memories.push(instance.exports); return instance; };
     const round = (n) => {
       for (let i = 0; i < n; i += 1) {
         for (const simulation of [simulateOutage({}), simulateContention({ figure: 'full' }, { runs: 1 }),
           simulateLoad({}, { horizonMs: 20_000 }), simulateAmplification({ requests: 100 }),
           simulateEthernet({ runs: 1 })]) {
           simulation.step(1000); simulation.result(); simulation.free();
         }
         try { simulateOutage({}, { clients: 0 }); } catch {}
       }
     };
     const size = () => { const { memory, __wbindgen_externrefs } = memories[0];
       return [memory.buffer.byteLength, __wbindgen_externrefs.length]; };
     round(20);
     const before = size();
     round(200);
     console.log(JSON.stringify([memories.length, before, size()]));`,
  );
  assert.equal(stderr, '');
  assert.equal(code, 0);
  const [instances, before, after] = JSON.parse(stdout);
  assert.equal(instances, 1);
  assert.deepEqual(after, before);
});

const outage = (options) => () => simulateOutage(ENDLESS, options);
const contention = (options) => () => simulateContention({ figure: 'full' }, options);
const load = (options) => () => simulateLoad(ENDLESS, options);
const running = () => simulateEthernet({ stations: 2, runs: 1 });

/** Rejected values of numeric options, each with a RangeError that starts with the option's name. */
const OUT_OF_RANGE = [
  [
    outage,
    {
      clients: [0, 1_000_001, 1.5, -1, NaN, Infinity],
      spreadMs: [-1, NaN, 1.1e12, Infinity],
      downMs: [-1, NaN, Infinity],
      capacityPerS: [0, -1, NaN],
    },
  ],
  [
    outage,
    {
      burst: [0.9, NaN],
      rejectionCost: [-0.1, 1.1, NaN, Infinity],
      latencyMs: [-1, 1.1e6, NaN],
      deadlineMs: [0, -1, NaN],
      horizonMs: [0, 1.1e12, NaN, Infinity],
      binMs: [0, -1, NaN, Infinity, 0.5],
      traced: [-1, 0.5, 1_000_001],
    },
  ],
  [
    contention,
    {
      clients: [0, 100_001, 2.5],
      hopMeanMs: [-1, 1.1e6, NaN],
      hopSdMs: [-1, NaN, Infinity],
      runs: [0, 1_000_001, NaN],
    },
  ],
  [
    load,
    {
      capacityPerS: [0, 1.1e9, NaN],
      timeoutMs: [0, Infinity, NaN],
      downFromMs: [-1, NaN],
      downMs: [-1, 1.1e9],
      horizonMs: [0, -1, Infinity],
      binMs: [0, NaN, 0.01],
    },
  ],
  [
    (options) => () => simulateAmplification(options),
    { attempts: [0, 1001, 1.5], layers: [0, 21, 13], failure: [-0.1, 1.1, NaN], requests: [0, 10_000_001, NaN] },
  ],
  [(options) => () => simulateHedging({ requests: 5, ...options }), { requests: [0, 10_000_001, 1.5, NaN] }],
  ...Object.entries({
    service: { meanMs: [0, 1e7, NaN], slowShare: [-0.1, 1.1, NaN], slowFromMs: [-1, 1e7], slowMeanMs: [-1, Infinity] },
    hedge: { delayMs: [-1, 2 ** 53, Infinity, NaN], quantile: [0, 1, NaN], maxRatio: [0, 0.0001, 1.5, NaN] },
    load: { servers: [0, 10_001, 1.5], utilisation: [0, 2.1, NaN] },
  }).map(([section, table]) => [
    (options) => {
      const inner = Object.entries(options).map(([name, value]) => [name.split('.').at(-1), value]);
      return () => simulateHedging({ requests: 5, [section]: Object.fromEntries(inner) });
    },
    Object.fromEntries(Object.entries(table).map(([name, values]) => [`${section}.${name}`, values])),
  ]),
  [
    (options) => () => simulateEthernet(options),
    { stations: [0, 100_001], maxAttempts: [0, Infinity], truncateAt: [0, 31, 1.5], runs: [0, 1_000_001] },
  ],
];

for (const [make, table] of OUT_OF_RANGE) {
  for (const [name, values] of Object.entries(table)) {
    test(`rejects ${name} out of range, or not a number: ${make({})}`, () => {
      for (const value of values) {
        assert.throws(
          make({ [name]: value }),
          (error) =>
            error instanceof RangeError &&
            error.message.startsWith(`rejitter: ${name} must be `) &&
            error.message.endsWith(`, got ${value}`),
          `${value}`,
        );
      }
      for (const [value, shown] of [
        ['5', '"5"'],
        [null, 'null'],
        [5n, '5n'],
        [{}, 'an object'],
        [Symbol('x'), 'a symbol'],
        [() => 5, 'a function'],
        [true, 'true'],
      ]) {
        assert.throws(
          make({ [name]: value }),
          (error) => error instanceof TypeError && error.message === `rejitter: ${name} must be a number, got ${shown}`,
          shown,
        );
      }
      make({ [name]: undefined })().free();
    });
  }
}

for (const [what, call, kind, message] of [
  [
    'an unknown option',
    outage({ client: 5 }),
    TypeError,
    /^rejitter: unknown option "client"\. Did you mean clients\? Known options: clients, /,
  ],
  [
    'another package’s name for it',
    outage({ deadline: 5 }),
    TypeError,
    /^rejitter: unknown option "deadline"\. Did you mean deadlineMs\?/,
  ],
  [
    'a name for what it has not',
    load({ retries: 5 }),
    TypeError,
    /^rejitter: unknown option "retries"\. Known options: arrivals, /,
  ],
  ['invalid options', outage(null), TypeError, /^rejitter: options must be an object.*, got null/],
  [
    'several at once',
    outage({ clients: 0, spreadMs: -1, binMs: -2 }),
    RangeError,
    /^rejitter: clients must be .*, got 0; spreadMs must be .*, got -1; binMs must be above 0 and at least a 10\^6th of horizonMs, got -2$/,
  ],
  [
    'several types at once',
    contention({ clients: '1', runs: null }),
    TypeError,
    /^rejitter: clients must be a number, got "1"; runs must be a number, got null$/,
  ],
  ['no seed', outage({ seed: 1.5 }), RangeError, /^rejitter: seed must be .*, got 1\.5/],
  ['a seed of another type', load({ seed: {} }), TypeError, /^rejitter: seed must be .*, got an object/],
  ['no policy', () => simulateOutage(null), TypeError, /^rejitter: options must be .*, got null/],
  ['a policy out of range', () => simulateLoad({ baseMs: -1 }), RangeError, /^rejitter: baseMs must be .*, got -1/],
  [
    'a function as backoff',
    () => simulateContention({ backoff: (k) => k }),
    TypeError,
    /^rejitter: backoff must be a name or a list.*, got a function/,
  ],
  [
    'data of another version',
    () => simulateOutage({ toJSON: () => ({ version: 2 }) }),
    RangeError,
    /^rejitter: version must be 1, got 2$/,
  ],
  [
    'time that stands still',
    () => simulateOutage({ backoff: [0], ...ENDLESS }),
    RangeError,
    /^rejitter: latencyMs must be above 0 if the policy never waits.*, got 0$/,
  ],
  [
    'no line of the figure',
    () => simulateContention({ figure: 'half' }),
    TypeError,
    /^rejitter: figure must be one of 'none', 'exponential', 'equal', 'full', 'decorrelated', got "half"$/,
  ],
  [
    'a line with a policy’s option',
    () => simulateContention({ figure: 'full', maxAttempts: 3 }),
    TypeError,
    /^rejitter: unknown option "maxAttempts"\./,
  ],
  [
    'a line with a seed',
    () => simulateContention({ figure: 'full', seed: 3 }),
    TypeError,
    /^rejitter: unknown option "seed"\./,
  ],
  [
    'a line with a bad base',
    () => simulateContention({ figure: 'none', baseMs: -1 }),
    RangeError,
    /^rejitter: baseMs must be .*, got -1$/,
  ],
  [
    'a line with its cap below its base',
    () => simulateContention({ figure: 'full', baseMs: 9, capMs: 8 }),
    RangeError,
    /^rejitter: capMs must be at least baseMs, got 8$/,
  ],
  [
    'arrivals of no kind',
    load({ arrivals: { type: 'burst', perS: 3 } }),
    TypeError,
    /^rejitter: arrivals must be \{ type: 'regular', perS \}, \{ type: 'poisson'.*, got an object/,
  ],
  [
    'arrivals by an inherited kind',
    load({ arrivals: { type: 'toString', perS: 3 } }),
    TypeError,
    /^rejitter: arrivals must be .*, got an object/,
  ],
  [
    'arrivals with too much',
    load({ arrivals: { type: 'regular', perS: 3, clients: 3 } }),
    TypeError,
    /^rejitter: arrivals must be .*, got an object/,
  ],
  [
    'arrivals with too little',
    load({ arrivals: { type: 'closed', clients: 3 } }),
    TypeError,
    /^rejitter: arrivals must be .*, got an object/,
  ],
  ['invalid arrivals', load({ arrivals: 280 }), TypeError, /^rejitter: arrivals must be .*, got 280/],
  [
    'no arrivals',
    load({ arrivals: { type: 'regular', perS: 0 } }),
    RangeError,
    /^rejitter: arrivals must be above 0 per second and at most 10\^7 requests up to horizonMs, got \{ type: "regular", perS: 0 \}$/,
  ],
  [
    'too many arrivals',
    load({ arrivals: { type: 'poisson', perS: 1e6 } }),
    RangeError,
    /^rejitter: arrivals must be .*, got \{ type: "poisson", perS: 1000000 \}$/,
  ],
  [
    'half a client',
    load({ arrivals: { type: 'closed', clients: 1.5, thinkMs: 1 } }),
    RangeError,
    /^rejitter: arrivals must be .* integer of clients, got \{ type: "closed", clients: 1\.5, thinkMs: 1 \}$/,
  ],
  [
    'no pause',
    load({ arrivals: { type: 'closed', clients: 1, thinkMs: NaN } }),
    RangeError,
    /^rejitter: arrivals must be a pause .*, got \{ type: "closed", clients: 1, thinkMs: NaN \}$/,
  ],
  ['protection of no kind', load({ protection: 'all' }), TypeError, /^rejitter: protection must be .*, got "all"/],
  [
    'a budget of no kind',
    load({ protection: { budget: 'none' } }),
    TypeError,
    /^rejitter: protection\.budget must be an object of options, got "none"/,
  ],
  [
    'a budget without a number',
    load({ protection: { budget: { capacity: '50' } } }),
    TypeError,
    /^rejitter: budget\.capacity must be a number, got "50"/,
  ],
  [
    'a budget out of range',
    load({ protection: { budget: { perSuccess: -1 } } }),
    RangeError,
    /^rejitter: budget\.perSuccess must be 0 or a number between 0\.001 and 1,000, got -1$/,
  ],
  ['an unknown part', load({ protection: { hedge: {} } }), TypeError, /^rejitter: unknown option "hedge"/],
  [
    'half a rule of gRPC',
    load({ protection: { budget: { maxTokens: 10 } } }),
    RangeError,
    /^rejitter: budget\.tokenRatio must be above 0 and at most 1,000 tokens, got NaN$/,
  ],
  ['the budget as it was', load({ budget: 'unlimited' }), TypeError, /^rejitter: unknown option "budget"/],
  [
    'hints of no kind',
    () => simulateRateLimit({}, { hints: 'shared' }),
    TypeError,
    /^rejitter: hints must be one of 'ignored', 'followed', got "shared"/,
  ],
  [
    'a cooldown out of range',
    () => simulateRateLimit({}, { protection: { cooldown: { maxHoldMs: -1 } } }),
    RangeError,
    /^rejitter: cooldown\.maxHoldMs must be a non-negative number of milliseconds or Infinity, got -1$/,
  ],
  [
    'two delays of a hedge',
    () => simulateHedging({ hedge: { delayMs: 50, quantile: 0.9 } }),
    RangeError,
    /^rejitter: hedge\.quantile must be omitted, because delayMs takes its place, got 0\.9$/,
  ],
  [
    'service of no kind',
    () => simulateHedging({ service: 20 }),
    TypeError,
    /^rejitter: service must be an object of options, got 20$/,
  ],
  [
    'a policy for hedges',
    () => simulateHedging({ maxAttempts: 3 }),
    TypeError,
    /^rejitter: unknown option "maxAttempts"/,
  ],
  [
    'too many layers for the attempts',
    () => simulateAmplification({ attempts: 10, layers: 7 }),
    RangeError,
    /^rejitter: layers must be .* attempts\^layers at most 10\^6, got 7$/,
  ],
  [
    'half an event',
    () => running().step(1.5),
    RangeError,
    /^rejitter: maxEvents must be a non-negative integer or Infinity, got 1\.5$/,
  ],
  ['fewer than no events', () => running().step(-1), RangeError, /^rejitter: maxEvents must be .*, got -1/],
  ['an invalid number of events', () => running().step('all'), TypeError, /^rejitter: maxEvents must be .*, got "all"/],
  [
    'no share',
    () => timeToServeMs(finished(simulateOutage()), 1.1),
    RangeError,
    /^rejitter: share must be a number between 0 and 1, got 1\.1$/,
  ],
  [
    'an invalid share',
    () => timeToServeMs(finished(simulateOutage())),
    TypeError,
    /^rejitter: share must be .*, got undefined/,
  ],
  [
    'no time',
    () => peakOf(finished(simulateOutage()), NaN),
    RangeError,
    /^rejitter: fromMs must be a non-negative number, got NaN$/,
  ],
  [
    'no result',
    () => peakOf(undefined),
    TypeError,
    /^rejitter: the result must be one of simulateOutage, got undefined$/,
  ],
  [
    'another result',
    () => timeToServeMs(finished(simulateLoad({}, { horizonMs: 5 })), 1),
    TypeError,
    /^rejitter: the result must be one of simulateOutage, got an object$/,
  ],
]) {
  test(`rejects by name: ${what}`, () => {
    assert.throws(call, (error) => error instanceof kind && message.test(error.message));
  });
}

for (const [what, options, kind, message] of [
  ['an unknown option', { slice: 3 }, TypeError, /^rejitter: unknown option "slice"\./],
  ['no signal', { signal: {} }, TypeError, /^rejitter: signal must be an AbortSignal, got an object$/],
  ['no function', { onProgress: 3 }, TypeError, /^rejitter: onProgress must be a function, got 3$/],
  [
    'an empty slice',
    { sliceEvents: 0 },
    RangeError,
    /^rejitter: sliceEvents must be a positive integer or Infinity, got 0$/,
  ],
  ['invalid options', 'all', TypeError, /^rejitter: options must be an object, got "all"$/],
]) {
  test(`run rejects: ${what}`, async () => {
    await assert.rejects(running().run(options), (error) => error instanceof kind && message.test(error.message));
  });
}

test('options are read once, own ones only, and not changed', () => {
  let reads = 0;
  const arrivals = Object.freeze({
    get type() {
      reads += 1;
      return reads === 1 ? 'regular' : 'none';
    },
    perS: 5,
  });
  const options = Object.freeze(Object.assign(Object.create({ horizonMs: -1 }), { arrivals, seed: 1 }));
  simulateLoad({}, options).free();
  assert.equal(reads, 1);
});

const EXAMPLES = ['lab.d.ts', 'simulations.d.ts'].flatMap((name) =>
  blocks(declarations(name)).map(({ number, code }) => [`${name}, ${number}`, code]),
);

for (const [name, code] of EXAMPLES) {
  test(`the example runs: ${name}`, async () => {
    const { code: exit, stdout, stderr } = await runBlock(code);
    assert.equal(stderr, '');
    assert.equal(exit, 0);
    assert.ok(stdout.split('\n').length > 2, `it prints something: ${stdout}`);
  });
}

test('the examples compile in a strict project', async () => {
  assert.ok(EXAMPLES.length >= 9);
  const files = Object.fromEntries(EXAMPLES.map(([, code], i) => [`example${i}.mts`, code]));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
  };
  const dir = project('lab-examples', {
    ...files,
    'callers.d.ts': DECLARED,
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*'] }),
  });
  const { stdout, code } = await run(process.execPath, [tool('typescript/bin/tsc'), '-p', dir, '--pretty', 'false'], {
    cwd: dir,
  });
  assert.equal(stdout, '');
  assert.equal(code, 0);
});
