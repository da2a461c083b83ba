/**
 * Tools for testing programs that retry: a clock that you advance, and scripted draws.
 *
 * Fake timers of test frameworks drive rejitter as well (`vi.useFakeTimers()`,
 * `jest.useFakeTimers()`, sinon, `mock.timers` of node:test), because it looks `setTimeout` and
 * `performance.now` up at each use. This module needs no framework.
 *
 * @module rejitter/testing
 */

/// <reference lib="esnext.disposable" />

/** Options of {@link virtualClock}: other functions that it replaces. */
export interface VirtualClockOptions {
  /**
   * Whether `Date.now()`, `new Date()` and `Date()` advance too, in whole ms from the date of the installation.
   *
   * @default false
   * @example `{ date: true }`
   */
  date?: boolean | undefined;
  /**
   * Whether `Atomics.wait`, with which `retrySync` blocks, only moves the clock. No timer fires
   * during such a wait. Do not set it in tests in which threads really wait for each other.
   *
   * @default false
   * @example `{ blocking: true }`
   */
  blocking?: boolean | undefined;
}

/** Options of {@link VirtualClock.runUntil}. */
export interface RunUntilOptions {
  /**
   * How many timers may fire: a non-negative integer.
   *
   * @default 10_000
   * @example `{ limit: 50 }`
   */
  limit?: number | undefined;
  /**
   * Real time that real I/O gets before each timer fires, in ms: a non-negative integer. Use 0 for
   * operations that do no real I/O. Raise it if the I/O leaves this machine.
   *
   * @default 20
   * @example `{ graceMs: 200 }`
   */
  graceMs?: number | undefined;
}

/** A clock that stands still until you advance it. */
export interface VirtualClock {
  /** Milliseconds that the clock was advanced so far. `performance.now()` advanced by the same. */
  readonly now: number;
  /** Number of armed timers, including intervals and signals of `AbortSignal.timeout`. */
  readonly pending: number;
  /**
   * Moves the time by `ms` (non-negative): fires each timer that falls due on the way, in order. Before and
   * after each, the event loop turns five times, so that promises settle. `advance(0)` only does that.
   *
   * @throws {Error} (a rejection) what a timer's callback throws, or when the clock is being moved
   *   already: await each call
   */
  advance(ms: number): Promise<void>;
  /**
   * Moves the time until no timer is armed. It takes no real time and hence waits for no real I/O: a
   * callback that needs more than five turns of the event loop may still be running at the end, or be
   * timed out. Use {@link VirtualClock.runUntil} for those, and wherever an interval or a timeout that nothing
   * clears is armed.
   *
   * @param limit how many timers may fire, a non-negative integer. Defaults to 10,000.
   * @throws {Error} (a rejection) when more are armed after that: an endless retry must not hang a test
   */
  runAll(limit?: number): Promise<void>;
  /**
   * Moves the time until the promise settles, and returns what it resolves or rejects with. Real I/O
   * below it works: each timer fires only after {@link RunUntilOptions.graceMs} of real time, and while
   * no timer is armed the call waits for that I/O. If nothing can settle the promise, the call never
   * returns, as with `await`.
   *
   * @throws {Error} (a rejection) what a timer's callback throws, or when more than
   *   {@link RunUntilOptions.limit} timers fire
   * @example
   * ```js
   * import { createFetch } from 'rejitter/fetch';
   * import { virtualClock } from 'rejitter/testing';
   *
   * const clock = virtualClock();
   * const response = await clock.runUntil(createFetch({ attemptTimeoutMs: 5_000 })('https://api.example.com/user/7'));
   * console.log(response.status, clock.now); // the waits took no real time
   * clock.uninstall();
   * ```
   */
  runUntil<T>(promise: PromiseLike<T>, options?: RunUntilOptions): Promise<T>;
  /**
   * Restores what was replaced. Timers that are still armed never fire, except those that were
   * `unref`'ed: they start again on the real timers, because Node's `fetch` keeps one for good.
   */
  uninstall(): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}

/**
 * Replaces the global `setTimeout`, `clearTimeout`, `setInterval`, `clearInterval`,
 * `AbortSignal.timeout` and `performance.now` by ones that stand still until the clock is moved.
 * Operations wait on it from then on, whenever the package was imported, and so does
 * `util.promisify(setTimeout)`.
 *
 * Everything else stays real: `setImmediate`, `queueMicrotask`, `process.nextTick`,
 * `process.hrtime`, animation frames, `Temporal.Now`, and the modules `node:timers` and
 * `node:timers/promises`. Node's own modules keep for good what they find there when they are
 * loaded, so a virtual clock in these modules would outlive the test.
 *
 * Timers of equal time fire in the order in which they were armed; an interval is armed again after
 * its callback.
 *
 * @throws {Error} when a clock is installed already, or fake timers of sinon, Vitest or Jest are
 * @throws {TypeError} when an option is unknown or invalid
 * @example
 * ```js
 * import { retry } from 'rejitter';
 * import { virtualClock } from 'rejitter/testing';
 *
 * const clock = virtualClock();
 * const result = retry(() => callApi(), { random: () => 0.5 }); // waits 50, 100 ms
 * await clock.advance(50);
 * await clock.advance(100);
 * console.log(await result, clock.now); // no real time has passed
 * clock.uninstall();
 * ```
 */
export function virtualClock(options?: VirtualClockOptions): VirtualClock;

/** A function for the option `random` that follows a script. */
export interface ScriptedRandom {
  (): number;
  /** Number of draws that are left. */
  readonly left: number;
}

/**
 * Returns a function for the option `random` that returns these draws, numbers in [0, 1), one per wait; protection
 * draws some, too.
 * An operation that draws more often ends with a `RangeError`, so the test sees the retry that it did not
 * expect.
 *
 * @throws {TypeError | RangeError} when a draw is invalid
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * import { scriptedRandom } from 'rejitter/testing';
 *
 * const policy = new RetryPolicy({ maxAttempts: 4, random: scriptedRandom([0, 0.5, 0.25]) });
 * console.log([...policy.delays()]); // [0, 100, 100]
 * await policy.run(() => callApi()).catch((error) => console.log(error.message)); // the script is exhausted
 * ```
 */
export function scriptedRandom(draws: readonly number[]): ScriptedRandom;
