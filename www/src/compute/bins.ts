/** Counts per time bin. */

/** Every `n` bins as one. */
export function grouped(counts: Uint32Array, n: number): Uint32Array {
  const wider = new Uint32Array(Math.ceil(counts.length / n));
  for (const [i, count] of counts.entries()) {
    const bin = Math.floor(i / n);
    wider[bin] = (wider[bin] ?? 0) + count;
  }
  return wider;
}

/** Returns the counts in this number of bins; added ones are empty. */
export function sized(counts: Uint32Array, bins: number): Uint32Array {
  const all = new Uint32Array(bins);
  all.set(counts.subarray(0, bins));
  return all;
}

/** The next of these numbers times a power of ten. */
export function roundUp(value: number, mantissas: readonly number[]): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (mantissas.find((m) => m * power >= value) ?? 10) * power;
}
