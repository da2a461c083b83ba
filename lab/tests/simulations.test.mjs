// The simulations of rejitter-lab as users meet them, from the tarball. What they compute is tested natively
// (lab/tests/simulation/); here, that it arrives bit for bit, and that a simulation runs, stops and rejects.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails } from '../../tests/package/lib/callbacks.mjs';
import { importFrom, printed, vectors } from '../../tests/package/lib/consumer.mjs';

const lab = await importFrom('rejitter-lab');
const { RetryPolicy, retryAfter } = await importFrom('rejitter');
const { limiter, protect } = await importFrom('rejitter/protection');
const { virtualClock } = await importFrom('rejitter/testing');
const { peakOf, plan, simulateContention, simulateHedging, simulateLoad, simulateOutage, simulateRateLimit } = lab;

const ENDLESS = { maxAttempts: Infinity };
const contention = (options) => simulateContention({ figure: 'full' }, options);
const outage = (options) => simulateOutage(ENDLESS, options);

/** The result at the end, in one step. */
function finished(simulation) {
  assert.equal(simulation.step().done, true);
  const result = simulation.result();
  simulation.free();
  return result;
}

const WITHOUT_JSON = ['NaN', 'Infinity', '-Infinity'];
const table = vectors('simulations', (_, value) => (WITHOUT_JSON.includes(value) ? Number(value) : value));
const SIMULATIONS = {
  contention: simulateContention,
  outage: simulateOutage,
  load: simulateLoad,
  rateLimit: simulateRateLimit,
  hedging: simulateHedging,
};

/** All numbers of a result, in the alphabetical order of their names; NaN is what is missing. */
function numbersOf(value) {
  if (ArrayBuffer.isView(value)) return [...value];
  if (value === undefined || typeof value === 'number') return [value ?? NaN];
  const names = Object.keys(value).sort();
  return names.flatMap((name) => numbersOf(value[name]));
}

/** FNV-1a over the bits of numbers, as in tests/simulation/golden.rs. */
function digest(results) {
  let hash = 0xcbf29ce484222325n;
  const bits = new DataView(new ArrayBuffer(8));
  for (const number of results.flatMap(numbersOf)) {
    bits.setFloat64(0, number);
    const word = Number.isNaN(number) ? 0n : bits.getBigUint64(0);
    hash = BigInt.asUintN(64, (hash ^ word) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}

for (const { simulation, cases, digest: expected } of table.runs) {
  test(`${simulation}: the numbers of native Rust, bit for bit, under their names`, () => {
    const results = cases.map((args) => {
      const options = { ...args.at(-1), seed: 2015 };
      return finished(SIMULATIONS[simulation](...args.slice(0, -1), options));
    });
    assert.equal(digest(results), expected);
  });
}

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
  for (const other of [
    (seeded) => simulateHedging({ requests: 100, ...seeded }),
    (seeded) => contention({ runs: 2, ...seeded }),
  ]) {
    assert.deepEqual(finished(other({ seed: 'x' })), finished(other({ seed: 'x' })));
    assert.notDeepEqual(finished(other({})), finished(other({})));
  }
});

test('timeToServeMs is of all clients; peakOf is the first of the busiest', () => {
  const result = finished(simulateOutage(ENDLESS, { clients: 400, capacityPerS: 50, horizonMs: 36_000, seed: 1 }));
  const { servedMs, arrivals } = result;
  assert.ok(servedMs.length > 100 && servedMs.length < 400);
  assert.equal(lab.timeToServeMs(result, 0), servedMs[0]);
  assert.equal(lab.timeToServeMs(result, 0.25), servedMs[99]);
  assert.equal(lab.timeToServeMs(result, servedMs.length / 400), servedMs.at(-1));
  assert.equal(lab.timeToServeMs(result, 1), undefined);
  assert.deepEqual(peakOf(result), { startMs: 0, arrivals: Math.max(...arrivals) });
  const late = Math.max(...arrivals.subarray(301));
  assert.deepEqual(peakOf(result, 30_001), { startMs: 100 * arrivals.indexOf(late, 301), arrivals: late });
  assert.equal(peakOf(result, 36_000), undefined);
  assert.deepEqual(peakOf(structuredClone(result), 30_001), peakOf(result, 30_001));
});

test('slices change nothing, by hand and in a run; progress only grows; results may be read on the way', async () => {
  const make = () => simulateOutage(ENDLESS, { clients: 100, capacityPerS: 30, seed: 1 });
  const whole = finished(make());
  for (const slice of [1, 13, 1000]) {
    const [simulation, running] = [make(), make()];
    const seen = [];
    assert.deepEqual(await running.run({ sliceEvents: slice, onProgress: (progress) => seen.push(progress) }), whole);
    let [last, served] = [simulation.step(0), 0];
    assert.deepEqual(last, { events: 0, share: 0, done: false });
    for (const progress of seen) {
      assert.deepEqual(simulation.step(slice), progress);
      const events = last.events + slice;
      assert.ok(
        progress.events <= events && (progress.done ? progress.events >= last.events : progress.events === events),
      );
      assert.ok(progress.share >= last.share);
      last = progress;
      if (slice === 1) continue;
      const { length } = simulation.result().servedMs;
      assert.ok(length >= served);
      served = length;
    }
    assert.deepEqual([last.share, last.done], [1, true]);
    assert.deepEqual(simulation.step(), last);
    // It is not freed, and may be run again.
    assert.deepEqual([simulation.result(), running.result(), await running.run()], [whole, whole, whole]);
  }
});

/** The quota of `simulateRateLimit`, against the package itself: each process has a limiter of this limit. */
async function withLimiters(processes, limit) {
  const clock = virtualClock();
  const totals = { done: 0, failed: 0, rejected: 0, endMs: 0 };
  const [windowMs, halfMs] = [10_000, 25];
  const accepted = new Map();
  const request = async () => {
    await new Promise((resolve) => setTimeout(resolve, halfMs));
    const window = Math.floor(clock.now / windowMs);
    const before = accepted.get(window) ?? 0;
    const leftMs = 1000 * Math.ceil(((window + 1) * windowMs - clock.now) / 1000);
    if (before < 100) accepted.set(window, before + 1);
    else totals.rejected++;
    await new Promise((resolve) => setTimeout(resolve, halfMs));
    if (before >= 100) throw retryAfter(leftMs, Object.assign(new Error('too many'), { status: 429 }));
  };
  try {
    const policies = Array.from({ length: processes }, (_, seed) => {
      const protection = protect(limiter({ limit, perMs: windowMs }));
      return new RetryPolicy({ maxAttempts: 6, totalTimeoutMs: Infinity, seed, protection });
    });
    let left = 1000;
    const work = async (policy) => {
      while (left-- > 0) {
        const end = await policy.run(request).then(
          () => 'done',
          () => 'failed',
        );
        totals[end]++;
        totals.endMs = clock.now;
      }
    };
    const workers = Array.from({ length: 50 }, (_, i) => work(policies[i % processes]));
    await clock.runAll(100_000);
    await Promise.all(workers);
    return totals;
  } finally {
    clock.uninstall();
  }
}

for (const [processes, limit] of [
  [1, 100],
  [10, 10],
  [10, 100],
])
  test(`a rate limit: ${processes} limiters of ${limit} do what the package’s own do`, async () => {
    const own = await withLimiters(processes, limit);
    const protection = { limiter: { limit, perMs: 10_000 } };
    const { totals } = finished(simulateRateLimit({ maxAttempts: 6 }, { processes, protection, seed: 1 }));
    const [ours, theirs] = [totals, own].map(({ rejected, failed, endMs }) => [rejected, failed, endMs]);
    // The draws are others.
    const room = processes * limit > 100 ? 0.2 : 0;
    for (const [i, value] of ours.entries())
      assert.ok(Math.abs(value - theirs[i]) <= room * theirs[i] + 20 * room, `${ours}, not ${theirs}`);
    assert.equal(own.done + own.failed, 1000);
  });

test('run: an abort rejects with the reason itself; another run goes on from there', async () => {
  const make = () => simulateOutage(ENDLESS, { clients: 200, capacityPerS: 50, seed: 1 });
  const simulation = make();
  const reason = { my: 'reason' };
  const aborted = (options) =>
    assert.rejects(simulation.run({ sliceEvents: 100, ...options }), (error) => error === reason);
  await aborted({ signal: AbortSignal.abort(reason), onProgress: assert.fail });
  assert.equal(simulation.step(0).events, 0);
  const controller = new AbortController();
  const onProgress = ({ events }) => events >= 300 && controller.abort(reason);
  await aborted({ signal: controller.signal, onProgress });
  assert.equal(simulation.step(0).events, 300);
  assert.deepEqual(await simulation.run({ signal: new AbortController().signal }), finished(make()));
});

test('run: one at a time; what onProgress throws ends it', async () => {
  const simulation = outage({ clients: 200, seed: 1 });
  const first = simulation.run({ sliceEvents: 500 });
  const message = 'rejitter: the simulation is running already; await that run';
  await assert.rejects(simulation.run(), { name: 'Error', message });
  await first;
  const mine = new Error('mine');
  const other = outage({ clients: 200, seed: 1 });
  await assert.rejects(other.run({ onProgress: fails(mine) }), (error) => error === mine);
  await other.run();
});

test('free: afterwards everything throws, a running run too; a second call has no effect', async () => {
  const message = 'rejitter: the simulation was freed; make another one';
  const simulation = contention({ clients: 50, seed: 1 });
  const run = simulation.run({ sliceEvents: 10 });
  simulation.free();
  simulation.free();
  await assert.rejects(run, { message });
  assert.throws(() => simulation.step(), { message });
  assert.throws(() => simulation.result(), { message });
  await assert.rejects(simulation.run(), { message });
  const disposed = contention({ clients: 2, runs: 1 });
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
    contention({ runs: 2 }),
    simulateLoad(),
    simulateRateLimit({}, { jobs: 9 }),
    simulateHedging({ requests: 100 }),
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

for (const [host, channel] of [
  ['', 'globalThis.MessageChannel'],
  [' without MessageChannel', 'undefined'],
  [' where MessageChannel throws', 'class { constructor() { throw new Error(); } }'],
])
  test(`run: between two slices timers fire${host}, and nothing keeps the process`, async () => {
    const stdout = await printed(`
      globalThis.MessageChannel = ${channel};
      const { simulateContention } = await import('rejitter-lab');
      const controller = new AbortController();
      setTimeout(() => controller.abort('time'), 20);
      await simulateContention({ figure: 'none' }, { clients: 200, runs: 1000 })
        .run({ sliceEvents: 1000, signal: controller.signal }).catch((reason) => console.log(reason));`);
    assert.equal(stdout, 'time\n');
  });

/** The options with a value at a path of names. */
const at = (path, value) => path.split('.').reduceRight((inner, name) => ({ [name]: inner }), value);

for (const [simulation, options] of Object.entries(table.refusals)) {
  const policy = simulation === 'hedging' ? [] : [{}];
  const make = (path, value) => SIMULATIONS[simulation](...policy, at(path, value));
  test(`${simulation} rejects numbers out of range, and what is no number, by name`, () => {
    for (const [path, values] of Object.entries(options)) {
      const name = path.replace('protection.', '');
      const refuses = (value, kind, rule, shows) =>
        assert.throws(
          () => make(path, value),
          ({ name: found, message }) => {
            const [says, got] = message.split(', got ');
            return found === kind && says.startsWith(`rejitter: ${name} must be ${rule}`) && shows(got);
          },
          path,
        );
      const isNumber = typeof values[0] === 'number';
      for (const value of values) refuses(value, 'RangeError', '', (got) => !isNumber || Object.is(Number(got), value));
      if (!isNumber) continue;
      for (const [wrong, shown] of [
        ['5', '"5"'],
        [null, 'null'],
        [5n, '5n'],
        [true, 'true'],
      ])
        refuses(wrong, 'TypeError', 'a number', (got) => got === shown);
      make(path, undefined).free();
    }
  });
}

for (const [simulation, policy, options, name] of table.refused) {
  test(`${simulation} rejects ${name} of ${JSON.stringify([policy, options])}`, () => {
    const message = new RegExp(`^rejitter: ${name} must be [^;]*$`);
    assert.throws(() => SIMULATIONS[simulation](policy, options), { name: 'RangeError', message });
  });
}

test('policies and options are read once, own ones only, and not changed', () => {
  let reads = 0;
  const read = (value) => {
    reads += 1;
    return value;
  };
  const policy = Object.freeze({
    get baseMs() {
      return read(10);
    },
  });
  assert.equal(plan(policy, 1)[0].hiMs, 10);
  const arrivals = Object.freeze({
    get type() {
      return read('regular');
    },
    perS: 5,
  });
  const options = Object.freeze(Object.assign(Object.create({ horizonMs: -1 }), { arrivals, seed: 1 }));
  simulateLoad(policy, options).free();
  assert.equal(reads, 3);
});
