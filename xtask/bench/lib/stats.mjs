// Medians and quartiles: one batch that a garbage collection or a neighbour made slow does not count.

/**
 * The middle of a measurement and its spread.
 * @typedef {object} Spread
 * @property {number} median
 * @property {number} q1 a quarter of the values is below
 * @property {number} q3 a quarter of the values is above
 */

/**
 * Linear between the two nearest values.
 * @param {ArrayLike<number>} values at least one
 * @param {number} p between 0 and 1
 */
export function quantile(values, p) {
  if (values.length === 0) throw new RangeError('no value has no quantile');
  const sorted = Float64Array.from(values).sort();
  const at = p * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

export const median = (values) => quantile(values, 0.5);

export const spread = (values) => ({ median: median(values), q1: quantile(values, 0.25), q3: quantile(values, 0.75) });

/** Results of the same rounds: a machine that slows down slows both. */
const compare = (compared) => (values, baseline) => {
  if (values.length !== baseline.length)
    throw new RangeError(`${values.length} values and a baseline of ${baseline.length}`);
  return spread(Float64Array.from(values, (value, i) => compared(value, baseline[i])));
};

export const ratio = compare((value, baseline) => value / baseline);
export const difference = compare((value, baseline) => value - baseline);
