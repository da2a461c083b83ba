/** The percentiles of the page's first settings, computed in Node with the installed package. */
import { RetryPolicy } from 'rejitter';

/**
 * When half, and 95%, of all operations have succeeded, from the package's iterator of waits and the
 * definition of a percentile: the page's settings are the package's defaults but ten attempts, and an attempt fails
 * with a chance of 60%.
 * @param {number} seed
 */
export function percentilesInNode(seed) {
  const operations = 20_000;
  const delays = new RetryPolicy({ maxAttempts: 10 }).delays({ seed });
  /** @type {[at: number, weight: number][]} */
  const steps = [];
  for (let i = 0; i < operations; i++) {
    let at = 0;
    let k = 0;
    for (const wait of delays) steps.push([(at += wait), (0.6 ** ++k * (1 - 0.6)) / operations]);
    delays.reset();
  }
  steps.sort((a, b) => a[0] - b[0]);
  return [0.5, 0.95].map((share) => {
    let sum = 1 - 0.6;
    // One part in 10^12 for the rounding of the sums.
    return steps.find(([, weight]) => (sum += weight) >= share * (1 - 1e-12))?.[0];
  });
}
