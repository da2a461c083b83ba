// Counters over all operations of one policy, if its `metrics` option is set.

export class Metrics {
  operations = 0;
  attempts = 0;
  retries = 0;
  hedges = 0;
  firstAttemptSuccesses = 0;
  retriedSuccesses = 0;
  /** @type {Record<string, number>} */
  failures = Object.create(null);
  totalWaitMs = 0;
  maxWaitMs = 0;
  inFlight = 0;

  started() {
    this.operations++;
    this.inFlight++;
  }

  /** @param {number} number the attempt's, from 1 */
  attempted(number) {
    this.attempts++;
    if (number > 1) this.retries++;
  }

  hedged() {
    this.attempts++;
    this.hedges++;
  }

  /** @param {number} ms */
  waits(ms) {
    this.totalWaitMs += ms;
    if (ms > this.maxWaitMs) this.maxWaitMs = ms;
  }

  /** @param {number} number the successful attempt's, hedges left out */
  succeeded(number) {
    this.inFlight--;
    if (number > 1) this.retriedSuccesses++;
    else this.firstAttemptSuccesses++;
  }

  /** @param {string} reason */
  failed(reason) {
    this.inFlight--;
    this.failures[reason] = (this.failures[reason] ?? 0) + 1;
  }

  snapshot() {
    return Object.freeze({ ...this, failures: Object.freeze({ ...this.failures }) });
  }
}
