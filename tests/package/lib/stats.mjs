// Does a sample come from the distribution that the reference says? A list of objections, empty if so.

const QUANTILES = [
  ['p01', 0.01],
  ['p10', 0.1],
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
];

/** Chi-square over 100 equal bins: 99 degrees of freedom exceed this once in 10^7. */
const BINS = 100;
const CHI_SQUARE_LIMIT = 190;

/**
 * How strict: seeded samples never change, so a strict bound cannot turn flaky; unseeded ones are new on
 * each run and get bounds that chance passes once in 10^8 or so.
 * `ks` bounds D·√n of Kolmogorov and Smirnov.
 */
const SEEDED = { sigmas: 4, ks: 2.2 };
export const UNSEEDED = { sigmas: 6, ks: 3.2 };

/** @param {Float64Array} sorted */
export function moments(sorted) {
  const n = sorted.length;
  let sum = 0;
  for (const x of sorted) sum += x;
  const mean = sum / n;
  let m2 = 0;
  let m4 = 0;
  for (const x of sorted) {
    const square = (x - mean) ** 2;
    m2 += square;
    m4 += square * square;
  }
  return { mean, variance: m2 / n, fourth: m4 / n };
}

/** How many of `sorted` are below `x`. */
function below(sorted, x) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * @param {Float64Array} sample is sorted in place
 * @param {object} row { mean, sd, p01 … p99, min, max, atoms: [[x, p], …] }
 * @returns {string[]} objections, each starting with the name of the check
 */
export function compare(sample, row, { sigmas } = SEEDED) {
  const n = sample.length;
  const wrong = [];
  for (const x of sample) {
    if (!(x >= row.min && x <= row.max)) {
      wrong.push(`range: ${x} is outside [${row.min}, ${row.max}]`);
      break;
    }
  }
  sample.sort();
  if (row.sd === 0) {
    if (sample[0] !== row.mean || sample[n - 1] !== row.mean)
      wrong.push(`constant: ${sample[0]} … ${sample[n - 1]} instead of ${row.mean}`);
    return wrong;
  }
  const { mean, variance, fourth } = moments(sample);
  const near = (name, value, expected, error) => {
    if (!(Math.abs(value - expected) <= sigmas * error))
      wrong.push(
        `${name}: ${value} instead of ${expected}, ${(Math.abs(value - expected) / error).toFixed(1)} standard ` +
          'errors away',
      );
  };
  near('mean', mean, row.mean, row.sd / Math.sqrt(n));
  near('sd', Math.sqrt(variance), row.sd, Math.sqrt(Math.max(0, fourth - variance ** 2) / n) / (2 * row.sd));
  for (const [name, p] of QUANTILES) {
    // P(X < q) <= p <= P(X <= q): both sides are binomial counts.
    const slack = sigmas * Math.sqrt(n * p * (1 - p));
    const q = row[name];
    // The reference has twelve digits.
    if (below(sample, q * (1 - 1e-10)) > n * p + slack || below(sample, q * (1 + 1e-10)) < n * p - slack) {
      wrong.push(`${name}: ${sample[Math.floor(n * p)]} instead of ${q}`);
    }
  }
  const atoms = new Map(row.atoms);
  for (const [x, p] of atoms) {
    near(
      `atom at ${x}`,
      (below(sample, x * (1 + 1e-15) + Number.MIN_VALUE) - below(sample, x)) / n,
      p,
      Math.sqrt((p * (1 - p)) / n),
    );
  }
  // A draw has 53 bits: that two of 10^5 are equal happens once in a million samples. Any repeated
  // value is an atom or a lattice, such as a rounding of the waits or a generator of few bits.
  let repeated = 0;
  for (let i = 1; i < n; i += 1) if (sample[i] === sample[i - 1] && !atoms.has(sample[i])) repeated += 1;
  if (repeated > 1) wrong.push(`lattice: ${repeated} of ${n} values are repeated`);
  return wrong;
}

/**
 * Is the sample uniform on [0, 1)? For what remains of a wait when its bounds are taken out.
 * @param {Float64Array} sample is sorted in place
 */
export function uniform(sample, { ks } = SEEDED) {
  const n = sample.length;
  const wrong = [];
  sample.sort();
  if (!(sample[0] >= 0 && sample[n - 1] < 1)) wrong.push(`unit range: ${sample[0]} … ${sample[n - 1]}`);
  const bins = new Float64Array(BINS);
  let distance = 0;
  for (let i = 0; i < n; i += 1) {
    const u = sample[i];
    bins[Math.min(BINS - 1, Math.max(0, Math.floor(u * BINS)))] += 1;
    distance = Math.max(distance, (i + 1) / n - u, u - i / n);
  }
  const expected = n / BINS;
  let chi = 0;
  for (const count of bins) chi += (count - expected) ** 2 / expected;
  if (!(chi <= CHI_SQUARE_LIMIT))
    wrong.push(`chi-square: ${chi.toFixed(0)} over ${BINS} bins, the limit is ${CHI_SQUARE_LIMIT}`);
  if (!(distance * Math.sqrt(n) <= ks))
    wrong.push(`Kolmogorov-Smirnov: ${(distance * Math.sqrt(n)).toFixed(2)}, the limit is ${ks}`);
  return wrong;
}

/** Objects if two equally long samples, taken pairwise, are correlated. */
export function uncorrelated(a, b, { sigmas } = SEEDED) {
  const n = a.length;
  const [ma, mb] = [moments(a), moments(b)];
  let sum = 0;
  for (let i = 0; i < n; i += 1) sum += (a[i] - ma.mean) * (b[i] - mb.mean);
  const r = sum / n / Math.sqrt(ma.variance * mb.variance);
  return Math.abs(r) * Math.sqrt(n) <= sigmas ? [] : [`correlation: ${r.toFixed(4)}`];
}
