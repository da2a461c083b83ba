// The waits have exactly the distributions that the formulas promise, wait by wait, and not only their
// bounds: what a jitter is for is lost if it is missing, too narrow, rounded, or piled up at the cap.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { importPackage, repo } from '../lib/consumer.mjs';
import { SEEDED, UNSEEDED, compare, uncorrelated, uniform } from '../lib/stats.mjs';

const { RetryPolicy } = await importPackage();
const N = 100_000;
const WAITS = 20;

const { meta, distributions } = JSON.parse(readFileSync(join(repo, 'tests', 'vectors', 'distributions.json'), 'utf8'));
const REFERENCES = distributions.map(({ options, rows }) => ({
  options,
  rows: rows.map((row) => Object.fromEntries(meta.columns.map((name, i) => [name, row[i]]))),
}));
const reference = (backoff, jitter) =>
  REFERENCES.find(({ options }) => options.jitter === jitter && options.backoff === backoff).rows;

/** n operations of WAITS waits each: one array per wait. */
function draw(options, seed, n = N) {
  const delays = new RetryPolicy({ ...options, maxAttempts: WAITS + 1 }).delays({ seed });
  const columns = Array.from({ length: WAITS }, () => new Float64Array(n));
  for (let i = 0; i < n; i += 1) {
    for (let k = 0; k < WAITS; k += 1) columns[k][i] = delays.next().value;
    delays.reset();
  }
  return columns;
}

/** Waits that are uniform between bounds that do not depend on the draws before: their place between them. */
const placed = (column, { min, max }) => column.map((x) => (x - min) / (max - min));

const noObjection = (objections, label) => assert.deepEqual(objections, [], label);

test('the reference covers every backoff and jitter of the package', () => {
  const covered = REFERENCES.map(({ options: { backoff, jitter } }) => `${backoff}/${jitter}`).sort();
  const expected = ['fixed', 'linear', 'exponential', 'truncated'].flatMap((b) =>
    ['none', 'full', 'equal'].map((j) => `${b}/${j}`),
  );
  assert.deepEqual(covered, [...expected, 'undefined/decorrelated'].sort());
  for (const { rows } of REFERENCES)
    assert.deepEqual(
      rows.map(({ k }) => k),
      Array.from({ length: WAITS }, (_, i) => i + 1),
    );
});

for (const { options, rows } of REFERENCES) {
  const { backoff, jitter } = options;
  const label = backoff ? `${backoff}, ${jitter}` : jitter;

  if (jitter === 'none') {
    test(`${label}: the exact value, each time`, () => {
      for (const seed of [undefined, 1]) {
        for (const [k, column] of draw(options, seed, 100).entries())
          noObjection(compare(column, rows[k]), `k = ${k + 1}`);
      }
    });
    continue;
  }

  for (const [kind, seed, strictness] of [
    ['seeded', `distribution of ${label}`, SEEDED],
    ['unseeded', undefined, UNSEEDED],
  ]) {
    // Unseeded draws differ from seeded ones in where the seed comes from, not in the curve: two suffice.
    if (kind === 'unseeded' && label !== 'exponential, full' && jitter !== 'decorrelated') continue;
    test(`${label}, ${kind}: mean, sd, quantiles, atoms and uniformity of waits 1 to 20 at 10^5 draws`, () => {
      const columns = draw(options, seed);
      const bounded = jitter !== 'decorrelated';
      if (bounded) {
        for (let k = 1; k < WAITS; k += 1)
          noObjection(uncorrelated(columns[k - 1], columns[k], strictness), `waits ${k} and ${k + 1} of one operation`);
        for (const k of [0, WAITS - 1])
          noObjection(
            uncorrelated(columns[k].subarray(1), columns[k].subarray(0, N - 1), strictness),
            `wait ${k + 1} of one operation and the next`,
          );
      } else {
        decorrelatedSteps(columns, strictness);
      }
      for (const [k, column] of columns.entries()) {
        if (bounded) noObjection(uniform(placed(column, rows[k]), strictness), `k = ${k + 1}`);
        noObjection(compare(column, rows[k], strictness), `k = ${k + 1}`);
      }
    });
  }
}

/** Given the wait before, a decorrelated wait is uniform from base to three times that, cut at the cap. */
function decorrelatedSteps(columns, strictness) {
  const [base, cap] = [100, 10_000];
  for (let k = 0; k < WAITS; k += 1) {
    const places = [];
    for (let i = 0; i < N; i += 1) {
      const previous = k === 0 ? base : columns[k - 1][i];
      // Where the cap cuts, the place is not known: take the waits that it cannot reach.
      if (3 * previous <= cap) places.push((columns[k][i] - base) / (3 * previous - base));
    }
    assert.ok(places.length > N / 4);
    noObjection(uniform(Float64Array.from(places), strictness), `the step to wait ${k + 1}`);
  }
}

test('decorrelated: no atom before wait 5, 0.4% there, 30.3% at wait 20, 31.5% in the long run', () => {
  const rows = reference(undefined, 'decorrelated');
  assert.deepEqual(
    rows.slice(0, 4).map(({ atoms }) => atoms),
    [[], [], [], []],
  );
  assert.deepEqual(
    rows[4].atoms.map(([x, p]) => [x, +p.toFixed(3)]),
    [[10_000, 0.004]],
  );
  assert.deepEqual(
    rows[19].atoms.map(([x, p]) => [x, +p.toFixed(3)]),
    [[10_000, 0.303]],
  );
  const delays = new RetryPolicy({ jitter: 'decorrelated', maxAttempts: Infinity }).delays({ seed: 'long run' });
  const n = 400_000;
  let capped = 0;
  for (let k = 1; k <= n; k += 1) if (delays.next().value === 10_000) capped += 1;
  assert.ok(Math.abs(capped / n - 0.3148) < 0.01, `${capped / n}`);
});

test('at the cap the jitter stays whole: waits 101 to 100,100 of one operation', () => {
  for (const [jitter, low] of [
    ['full', 0],
    ['equal', 5000],
  ]) {
    const delays = new RetryPolicy({ jitter, maxAttempts: Infinity }).delays({ seed: 'at the cap' });
    for (let k = 1; k <= 100; k += 1) delays.next();
    const waits = Float64Array.from({ length: N }, () => delays.next().value);
    noObjection(uncorrelated(waits.subarray(1), waits.subarray(0, N - 1)), jitter);
    noObjection(uniform(placed(waits, { min: low, max: 10_000 })), jitter);
    noObjection(compare(waits, reference('exponential', jitter)[19]), jitter);
  }
});

for (const [kind, seedOf] of Object.entries({
  'small numbers': (i) => i,
  'bigints that differ in their high bits': (i) => BigInt(i) << 46n,
  'strings that differ in their last characters': (i) => `client-${i}`,
})) {
  test(`10^5 clients seeded with ${kind} do not resemble each other`, () => {
    const policy = new RetryPolicy({ maxAttempts: 4 });
    const columns = Array.from({ length: 3 }, () => new Float64Array(N));
    for (let i = 0; i < N; i += 1) {
      const delays = policy.delays({ seed: seedOf(i) });
      for (const column of columns) column[i] = delays.next().value;
    }
    const rows = reference('exponential', 'full');
    for (const [k, column] of columns.entries()) {
      noObjection(uncorrelated(column.subarray(1), column.subarray(0, N - 1)), `neighbours, wait ${k + 1}`);
      noObjection(uniform(placed(column, rows[k])), `k = ${k + 1}`);
      noObjection(compare(column, rows[k]), `k = ${k + 1}`);
    }
  });
}

// The controls: each is a mistake that some retry package makes, or nearly. The checks above must object
// to it, and by the check that is there for it.
const ceiling = 1600; // wait 5 of exponential
const capped = 10_000; // wait 20
const random = (() => {
  // An independent generator (mulberry32 twice, 53 bits), so that a control is the same on each run.
  let state = 42;
  const word = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  return () => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 2 ** 53;
})();
const CONTROLS = [
  ['no jitter', 5, () => ceiling, 'sd'],
  ['no jitter at the cap', 20, () => capped, 'lattice'],
  ['equal instead of full', 5, () => ceiling / 2 + (random() * ceiling) / 2, 'mean'],
  ['the draw cut below 98%', 5, () => random() * 0.98 * ceiling, 'mean'],
  ['the draw cut below 99.5%', 5, () => random() * 0.995 * ceiling, 'p99'],
  ['a draw to the power of 1.03', 5, () => random() ** 1.03 * ceiling, 'Kolmogorov-Smirnov'],
  ['whole milliseconds', 5, () => Math.floor(random() * ceiling), 'lattice'],
  ['whole seconds', 5, () => Math.round((random() * ceiling) / 1000) * 1000, 'lattice'],
  ['a generator of 16 bits', 5, () => (Math.floor(random() * 65536) / 65536) * ceiling, 'lattice'],
  ['the cap after the draw', 20, () => Math.min(capped, random() * 100 * 2 ** 19), 'mean'],
  ['the cap after the draw, factor just past it', 8, () => Math.min(capped, random() * 100 * 2 ** 7), 'mean'],
  ['the first ceiling 2·base', 5, () => random() * 2 * ceiling, 'range'],
  ['a proportional jitter of 10%', 5, () => ceiling * (0.9 + 0.2 * random()), 'range'],
  ['the mean of two draws', 5, () => ((random() + random()) / 2) * ceiling, 'sd'],
  ['a draw squared', 5, () => random() ** 2 * ceiling, 'mean'],
  [
    'one bin in a hundred missing',
    5,
    () => {
      let r;
      do r = random();
      while (r >= 0.5 && r < 0.51);
      return r * ceiling;
    },
    'chi-square',
  ],
];
for (const [mistake, k, wait, check] of CONTROLS) {
  test(`control: the checks object to ${mistake}`, () => {
    const row = reference('exponential', 'full')[k - 1];
    const sample = Float64Array.from({ length: N }, wait);
    const objections = [...uniform(placed(sample, row)), ...compare(sample, row)];
    assert.ok(
      objections.some((text) => text.startsWith(check)),
      objections.join('; ') || 'no objection',
    );
  });
}

test('control: the checks object to decorrelated with the cap inside, and with a state that is shared', () => {
  const row = reference(undefined, 'decorrelated')[19];
  const chain = (step) =>
    Float64Array.from({ length: N }, () => {
      let x = 100;
      for (let k = 0; k < WAITS; k += 1) x = step(x);
      return x;
    });
  const inside = compare(
    chain((x) => 100 + random() * (Math.min(capped, 3 * x) - 100)),
    row,
  );
  assert.ok(
    inside.some((text) => text.startsWith('atom')),
    inside.join('; '),
  );
  let shared = 100;
  const sharing = compare(
    Float64Array.from({ length: N }, () => (shared = Math.min(capped, 100 + random() * (3 * shared - 100)))),
    reference(undefined, 'decorrelated')[0],
  );
  assert.ok(
    sharing.some((text) => text.startsWith('range')),
    sharing.join('; '),
  );
});

test('control: right draws pass, so that the objections mean something', () => {
  const rows = reference('exponential', 'full');
  for (const k of [1, 5, 20]) {
    const row = rows[k - 1];
    const sample = Float64Array.from({ length: N }, () => random() * row.max);
    noObjection(uniform(placed(sample, row)), `k = ${k}`);
    noObjection(compare(sample, row), `k = ${k}`);
  }
});

test('control: draws that follow each other are seen to be correlated', () => {
  const walk = Float64Array.from({ length: N }, random);
  for (let i = 1; i < N; i += 1) walk[i] = 0.95 * walk[i] + 0.05 * walk[i - 1];
  assert.equal(uncorrelated(walk.subarray(1), walk.subarray(0, N - 1)).length, 1);
});
