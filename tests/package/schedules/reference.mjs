// The reference: the package's operations once more, as plainly as the design has them. Schedules are performed with
// the package and with this one, and what is seen of both must be the same. It shares no code with the package: waits
// come from the published formulas, protection keeps lists of all that happened, and every operation takes all its
// steps.

import { tracingChannel } from 'node:diagnostics_channel';

import { Operation } from './operation.mjs';
import { FREE } from './states.mjs';
import { blocking, steps } from './timer.mjs';
import { isA } from './values.mjs';
import { NAMED, PRESETS, resolved } from './waits.mjs';

const CHANNEL = tracingChannel('rejitter:operation');
const traced = (generator) => CHANNEL.tracePromise(() => steps(generator));

const DEFAULTS = { maxAttempts: 6, attemptTimeoutMs: Infinity, totalTimeoutMs: Infinity };
const COUNTS =
  'operations inFlight attempts retries hedges firstAttemptSuccesses retriedSuccesses totalWaitMs maxWaitMs';

/** Without those that are undefined. */
const set = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

export class RetryPolicy {
  #runs = 0;

  constructor(given) {
    const options = set(given);
    this.options = { ...DEFAULTS, ...options };
    this.parameters = resolved({ ...options, ...(typeof options.backoff === 'function' && { backoff: 'function' }) });
    this.counts = { ...Object.fromEntries(COUNTS.split(' ').map((name) => [name, 0])), failures: {} };
  }

  run(fn, options) {
    this.#runs += 1;
    return traced(this.begin(fn, { index: this.#runs - 1, ...options }));
  }

  wrap(fn) {
    return (...args) => this.run(() => fn(...args));
  }

  begin(fn, { signal, protection = this.options.protection, key, index = 0, sync = false }) {
    const signals = [...new Set([this.options.signal, signal])].filter((each) => each !== undefined);
    // What is aborted has no state.
    const free = !protection || signals.some(({ aborted }) => aborted);
    const state = free ? FREE : protection.use(key);
    return new Operation(this, fn, signals, state, { index, sync }).steps();
  }

  metrics() {
    return Object.freeze({ ...this.counts, failures: Object.freeze({ ...this.counts.failures }) });
  }
}

const once = (more) => (fn, options) => traced(new RetryPolicy({ ...more, ...set(options) }).begin(fn, {}));
/** That of rejitter/light: marks are read less, and what takes the place of a failure does not get it as its cause. */
export const light = once({ light: true });
export const named = Object.fromEntries(Object.entries(NAMED).map(([name, more]) => [name, once(more)]));
export const retrySync = (fn, options) =>
  CHANNEL.traceSync(() => blocking(new RetryPolicy(options).begin(fn, { sync: true })));

const retryIf = (error) => isA(error, Error) && !isA(error, TypeError);
const { pRetry, pRetryRandomized } = PRESETS;
export const presets = {
  ...PRESETS,
  pRetry: { ...pRetry, retryIf },
  pRetryRandomized: { ...pRetryRandomized, retryIf },
};

export const permanent = (cause) => new Error('permanent', { cause });
export const retryAfter = (_, ...cause) => new Error('later', cause.length > 0 ? { cause: cause[0] } : undefined);

export { retryReport } from './operation.mjs';
export { breaker, budget, cooldown, hedge, limiter, protect } from './states.mjs';
export { restart } from './timer.mjs';
export { RejectedError, RetryError, SupersededError, TimeoutError } from './values.mjs';
