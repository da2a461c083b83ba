// Keeps a connection: session, verdict, wait, and again, until something ends it all.

import { readHints, readMarks, shared } from '../marks.js';
import { requireFunction, settingsOf } from '../options/settings.js';
import { computed } from '../run/decision.js';
import { tell } from '../run/hooks.js';
import { follow, reasonOf, unfollow } from '../run/signals.js';
import { afterMsOf } from '../run/steps.js';
import { elapsed, now } from '../run/timer.js';
import { gateOf } from './gate.js';
import { DEFAULTS, readConnectionOptions } from './options.js';
import { sessionOf } from './session.js';
import { waitOf } from './wait.js';

/** @import { Hinted } from '../marks.js' */
/** @import { Follower } from '../run/signals.js' */
/** @import { ReconnectSettings } from './options.js' */
/** @import { End, Session } from './session.js' */
/** @typedef {ReturnType<typeof gateOf> | undefined} Gate */

/**
 * A session, or a wait: one of them is under way at a time. It ends by itself or by `end`, and calls what it was made
 * with. `wake` returns whether it made use of a wake-up.
 * @typedef {{ start: () => void, end: (reason?: unknown) => void, wake: () => unknown }} Phase
 */

/** The last phase; and what the loop throws then, so that it goes no further. Callers never see it. @type {Phase} */
const OVER = { start() {}, end() {}, wake() {} };

const newSettings = /* @__PURE__ */ settingsOf(DEFAULTS);

/** @param {any} session @param {any} [options] */
export function keepConnected(session, options) {
  return new Promise((resolve, reject) => {
    requireFunction(session);
    new Keeper(session, readConnectionOptions(options, newSettings()), resolve, reject).start();
  });
}

/** @implements {Follower} */
class Keeper {
  #session;
  #settings;
  #resolve;
  #reject;
  #startedAt = now();
  #counts = { attempts: 0, connections: 0, openMs: 0 };
  /** For the formulas; its `attempts` are failures in a row. */
  #outage;
  /** Of the last session. @type {unknown} */
  #error;
  /** The last wait. @type {number | undefined} */
  #delayMs;
  #phase = { ...OVER };
  /** A wake-up came since the attempt started, and nothing opened since then: it brings the wait after it forward. */
  #missed = false;
  /** Start of the last attempt that a wake-up brought forward: they make no tight loop. */
  #wokenAt = -Infinity;
  #unsubscribe = () => {};

  /**
   * @param {Session} session @param {ReconnectSettings} settings
   * @param {(report: object) => void} resolve @param {(error: unknown) => void} reject
   */
  constructor(session, settings, resolve, reject) {
    this.#session = session;
    this.#settings = settings;
    this.#resolve = resolve;
    this.#reject = reject;
    const run = { endedAt: /** @type {number | undefined} */ (undefined) };
    this.#outage = { settings, index: 0, previous: -1, attempts: 0, run };
  }

  start() {
    const { signal } = this.#settings;
    if (signal?.aborted) return this.abort(signal);
    if (signal) follow(signal, this);
    this.#run().catch((error) => this.#giveUp('callback', error));
  }

  /** Ends by what it throws: whatever it awaits, and whatever may abort, goes through `#resume`. */
  async #run() {
    const { wakeOn, protection, retryIf } = this.#settings;
    if (wakeOn) this.#unsubscribe = wakeOn(() => this.#wake());
    // It may have aborted.
    if (this.#phase === OVER) return this.#unsubscribe();
    for (;;) {
      const gate = protection && gateOf(this.#settings, protection, this.#outage.index);
      try {
        let answer = this.#resume(gate?.enter());
        while (answer?.do === 'hold') {
          this.#resume(await this.#hold(answer.ms));
          answer = this.#resume(gate?.enter());
        }
        if (answer?.do === 'stop') {
          // The server has not seen it: it makes no later wait longer.
          this.#resume(await this.#wait(1, answer.error, answer.error?.retryAfterMs));
        } else {
          const ended = this.#resume(await this.#connect(gate));
          const failure = this.#failed(ended, gate);
          const end = { attempt: this.#outage.attempts, openMs: ended.openMs || 0 };
          const verdict = retryIf ? this.#resume(await retryIf(failure.outcome, end)) : true;
          this.#resume(await this.#classify(failure, verdict, gate));
        }
      } finally {
        gate?.close('aborted');
      }
    }
  }

  /** Enters a phase. Resolves with its end. @type {<T>(begin: (end: (value: T) => void) => Phase) => Promise<T>} */
  #enter(begin) {
    return new Promise((resolve) => {
      this.#phase = begin(resolve);
      this.#phase.start();
    });
  }

  /** Returns the value, unless all ended before it came. @template T @param {T} value */
  #resume(value) {
    if (this.#phase === OVER) throw OVER;
    return value;
  }

  /** Calls the session. @param {Gate} gate @returns {Promise<End>} */
  #connect(gate) {
    const counts = this.#counts;
    const { connections } = counts;
    const attempt = this.#outage.attempts + 1;
    this.#resume(this.#emit('onAttempt', attempt));
    const facts = { attempt, connections, previousError: this.#error, previousDelayMs: this.#delayMs };
    counts.attempts++;
    this.#missed = false;
    const onOpen = () => {
      this.#missed = false;
      gate?.close('success');
      this.#emit('onOpen', attempt, { connections: counts.connections });
    };
    return this.#enter((end) => sessionOf(this.#settings, counts, this.#session, facts, onOpen, end));
  }

  /** Follows the end of a session. Returns its failure. @type {(end: End, gate: Gate) => Hinted} */
  #failed({ error, openMs, late, finished, value }, gate) {
    const outage = this.#outage;
    if (finished) {
      gate?.close('success');
      this.#resolve(this.#stop({ reason: 'finished', value }));
      throw OVER;
    }
    const { error: outcome, permanent, afterMs } = readMarks(error);
    this.#error = outcome;
    if (openMs >= this.#settings.stableMs) {
      outage.index++;
      outage.previous = -1;
      outage.attempts = 0;
    }
    outage.attempts++;
    outage.run.endedAt = now();
    // The process was late, and not the server.
    if (late) gate?.close('aborted');
    gate?.failed(outcome, afterMs, !permanent);
    this.#emit('onFailure', outage.attempts, { error: outcome });
    if (permanent) this.#giveUp('permanent', outcome);
    return this.#resume({ outcome, hintMs: afterMs, lastHint: afterMs >= 0 ? Infinity : shared().last });
  }

  /** Follows the verdict: gives up, or waits. @type {(failure: Hinted, verdict: any, gate: Gate) => any} */
  #classify(failure, verdict, gate) {
    const { attempts } = this.#outage;
    readHints(failure);
    const { outcome, hintMs } = failure;
    gate?.hinted(hintMs);
    if (verdict === false) return this.#giveUp('notRetryable', outcome);
    const exactMs = verdict === true ? undefined : afterMsOf(verdict, 'retryIf');
    if (attempts >= this.#settings.maxAttempts) return this.#giveUp('exhausted', outcome);
    return this.#wait(attempts, outcome, hintMs, exactMs);
  }

  /**
   * Waits for the next attempt: for the `k`th time in a row, or as retryIf demands.
   * @param {number} k @param {unknown} error @param {number} [hintMs] @param {number} [exactMs]
   */
  #wait(k, error, hintMs = NaN, exactMs) {
    const delayMs = exactMs ?? this.#resume(computed(this.#settings, this.#outage, k, hintMs));
    this.#delayMs = delayMs;
    this.#resume(this.#emit('onRetry', this.#outage.attempts, { error, delayMs }));
    return this.#sleep(delayMs, exactMs ?? Math.min(hintMs > 0 ? hintMs : 0, this.#settings.maxRetryAfterMs));
  }

  /** Waits until protection may let the attempt start. @type {(ms: number | Promise<void>) => Promise<unknown>} */
  #hold(ms) {
    if (typeof ms === 'number') return this.#sleep(ms, Infinity);
    // A turn in the queue of a limiter. No wake-up brings it forward.
    return this.#enter((end) => ({ ...OVER, start: () => ms.then(end), end }));
  }

  /** Waits, at least `leastMs`. @param {number} ms @param {number} leastMs */
  #sleep(ms, leastMs) {
    const leastAt = Math.max(now() + leastMs, this.#wokenAt + this.#settings.baseMs);
    const ended = this.#enter((/** @type {(value: void) => void} */ end) =>
      waitOf(this.#outage, ms, leastAt, (isWoken) => {
        if (isWoken) this.#wokenAt = now();
        end();
      }),
    );
    if (this.#missed) this.#wake();
    return ended;
  }

  #wake() {
    this.#missed = !this.#phase.wake();
  }

  /**
   * Calls a hook, if it is set.
   * @type {(hook: 'onAttempt' | 'onOpen' | 'onFailure' | 'onRetry' | 'onGiveUp', attempt: number, more?: object) =>
   *   void}
   */
  #emit(hook, attempt, more) {
    const { [hook]: call, maxAttempts, name } = this.#settings;
    if (!call) return;
    const event = { attempt, attemptsLeft: maxAttempts - attempt, ...(name !== undefined && { name }), ...more };
    tell(call, { ...event, elapsedMs: elapsed(this.#startedAt) });
  }

  /** @param {AbortSignal} signal */
  abort(signal) {
    this.#resolve(this.#stop({ reason: 'aborted' }, reasonOf(signal)));
  }

  /** @param {string} reason @param {unknown} error */
  #giveUp(reason, error) {
    if (this.#phase === OVER) return;
    this.#emit('onGiveUp', this.#outage.attempts, { error, reason, report: this.#stop() });
    this.#reject(error);
  }

  /** Leaves nothing behind. Returns the report. @param {object} [outcome] @param {unknown} [cause] for the session */
  #stop(outcome, cause) {
    const { signal } = this.#settings;
    const phase = this.#phase;
    this.#phase = OVER;
    if (signal) unfollow(signal, this);
    phase.end(cause);
    tell(() => this.#unsubscribe(), {});
    return Object.freeze({ ...outcome, ...this.#counts, elapsedMs: elapsed(this.#startedAt) });
  }
}
