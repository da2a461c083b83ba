/**
 * For the tests of programs that retry: time that moves by hand, and draws that are known.
 *
 * Fake timers of test frameworks drive rejitter as well (`vi.useFakeTimers()`,
 * `jest.useFakeTimers()`, sinon, `mock.timers` of node:test), because it looks `setTimeout` and
 * `performance.now` up at each use. What is here needs no framework.
 *
 * @module rejitter/testing
 */

/// <reference lib="esnext.disposable" />

/** What {@link virtualClock} replaces beside the timers. */
export interface VirtualClockOptions {
  /**
   * Whether `Date.now()` moves along, in whole ms from the date of the installation.
   *
   * @default false
   * @example `{ date: true }`
   */
  date?: boolean | undefined;
  /**
   * Whether `Atomics.wait`, with which `retrySync` blocks, only moves the clock. Nothing fires
   * meanwhile. Not for tests in which threads really wait for each other.
   *
   * @default false
   * @example `{ blocking: true }`
   */
  blocking?: boolean | undefined;
}

/** Time that stands still until it is moved. */
export interface VirtualClock {
  /** Milliseconds by which the clock was moved so far. `performance.now()` has moved as far. */
  readonly now: number;
  /** How many timers are armed. 0 when nothing waits any more. */
  readonly pending: number;
  /**
   * Moves the time by `ms` (from 0): fires each timer that falls due on the way, in order, and
   * lets promises settle before and after each. `advance(0)` only lets promises settle.
   *
   * @throws {Error} (a rejection) what a timer's callback throws, or when the clock is being moved
   *   already: await each call
   */
  advance(ms: number): Promise<void>;
  /**
   * Moves the time until no timer is armed.
   *
   * @param limit how many timers may fire, a whole number from 0; 10 000 unless given
   * @throws {Error} (a rejection) when more are armed after that: an endless retry must not hang a test
   */
  runAll(limit?: number): Promise<void>;
  /** Puts back what was replaced. Timers that are still armed never fire. */
  uninstall(): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}

/**
 * Replaces `setTimeout`, `clearTimeout` and `performance.now` by ones that stand still until the
 * clock is moved. Operations wait on it from then on, whenever the package was imported.
 *
 * @throws {Error} when one is installed already, or fake timers of sinon, Vitest or Jest are
 * @example
 * ```js
 * import { retry } from 'rejitter';
 * import { constantRandom, virtualClock } from 'rejitter/testing';
 *
 * const clock = virtualClock();
 * const result = retry(() => callApi(), { random: constantRandom(0.5) }); // waits 50, 100 ms
 * await clock.advance(50);
 * await clock.advance(100);
 * console.log(await result, clock.now); // no real time has passed
 * clock.uninstall();
 * ```
 */
export function virtualClock(options?: VirtualClockOptions): VirtualClock;

/** A `random` with a script. */
export interface ScriptedRandom {
  (): number;
  /** How many draws are left. */
  readonly left: number;
}

/**
 * A function for the option `random` that gives these draws, each from 0 to below 1, one per wait.
 * When they have run out it throws a `RangeError`, with which the operation ends: a retry that the
 * test did not expect is seen.
 *
 * @throws {TypeError | RangeError} when a draw is none
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * import { scriptedRandom } from 'rejitter/testing';
 *
 * const policy = new RetryPolicy({ maxAttempts: 4, random: scriptedRandom([0, 0.5, 0.25]) });
 * console.log([...policy.delays()]); // [0, 100, 100]
 * await policy.run(() => callApi()).catch((error) => console.log(error.message)); // the script has run out
 * ```
 */
export function scriptedRandom(draws: readonly number[]): ScriptedRandom;

/**
 * A function for the option `random` that always gives `r`, from 0 to below 1: with 0.5 the waits
 * are the median ones, with 0 the shortest.
 *
 * @throws {TypeError | RangeError} when `r` is none
 * @example
 * ```js
 * import { retry } from 'rejitter';
 * import { constantRandom } from 'rejitter/testing';
 *
 * await retry(() => callApi(), { random: constantRandom(0) }); // waits of nothing
 * ```
 */
export function constantRandom(r: number): () => number;
