// Rows of attempts: progress begins another one.

/**
 * A row of attempts: those that `maxAttempts` counts. Progress begins another one.
 * @typedef {object} Row
 * @property {number} before attempts before it
 * @property {number} waits waits that are over, of those by which the curve grows
 * @property {number} number from 1
 */

/** The first row of all operations. @type {Row} */
export const FIRST_ROW = { before: 0, waits: 0, number: 1 };

/**
 * Returns how many attempts may follow one. The failure that begins a row is the first of it; in a round, the earlier
 * attempt's, too.
 * @type {(settings: import('../options/settings.js').Settings, number: number, before?: number) => number}
 */
export function attemptsLeft({ maxAttempts }, number, before = 0) {
  return maxAttempts - Math.max(number - before, before && 1);
}
