// Keeps a connection: session, verdict, wait, and again, until something ends it all.

import { readHints, readMarks, shared } from '../marks.js';
import { requireFunction, settingsOf } from '../options/settings.js';
import { computed, drawFor } from '../run/decision.js';
import { tell } from '../run/hooks.js';
import { follow, reasonOf, unfollow } from '../run/signals.js';
import { afterMsOf } from '../run/steps.js';
import { elapsed, now, startTimer } from '../run/timer.js';
import { gateOf } from './gate.js';
import { DEFAULTS, readConnectionOptions } from './options.js';
import { connectionOf } from './session.js';

/** A wake-up comes to a whole office at once: the attempts that it brings forward are spread over this time. */
const WAKE_MS = 1_000;

/** The public function over whatever loads the core. @param {import('../options/settings.js').Load} load */
export function keepConnectedOf(load) {
  const newSettings = settingsOf(load, DEFAULTS);
  /** @param {any} session @param {any} [options] */
  return function keepConnected(session, options) {
    return new Promise((resolve, reject) => {
      requireFunction(session);
      keep(session, readConnectionOptions(options, newSettings()), resolve, reject);
    });
  };
}

/**
 * @type {(session: (connection: any) => unknown, settings: import('./options.js').ReconnectSettings,
 *   resolve: (report: object) => void, reject: (error: unknown) => void) => void}
 */
function keep(session, settings, resolve, reject) {
  const { signal, protection, stableMs, maxAttempts, maxRetryAfterMs, baseMs, unref, wakeOn, name } = settings;
  const { retryIf } = /** @type {Pick<import('../../../pkg-template/reconnect.js').ReconnectOptions, 'retryIf'>} */ (
    settings
  );
  const startedAt = now();
  const report = { attempts: 0, connections: 0, openMs: 0 };
  /** For the formulas; its `attempts` are failures in a row. @type {any} */
  const outage = { settings, index: 0, previous: -1, attempts: 0 };
  let over = false;
  /** Ends what runs or waits now. @type {(reason?: unknown) => void} */
  let cut = () => {};
  let unsubscribe = cut;
  /** A wake-up came since the attempt started, and nothing opened since then: it brings the wait after it forward. */
  let missed = false;
  const remember = () => {
    missed = true;
  };
  /** Brings a wait forward, doubts an open connection, or is remembered. */
  let wake = remember;

  /**
   * Calls a hook, if it is set.
   * @type {(hook: 'onAttempt' | 'onOpen' | 'onFailure' | 'onRetry' | 'onGiveUp', attempt: number, fields?: object) =>
   *   void}
   */
  const emit = (hook, attempt, fields) => {
    const { [hook]: call } = settings;
    if (!call) return;
    const event = { attempt, attemptsLeft: maxAttempts - attempt, ...(name !== undefined && { name }), ...fields };
    tell(call, { ...event, elapsedMs: elapsed(startedAt) });
  };
  /** Leaves nothing behind. Returns the report. @param {object} [outcome] @param {unknown} [cause] for the session */
  const stop = (outcome, cause) => {
    over = true;
    if (signal) unfollow(signal, follower);
    cut(cause);
    tell(() => unsubscribe(), {});
    return Object.freeze({ ...outcome, ...report, elapsedMs: elapsed(startedAt) });
  };
  /** @type {import('../run/signals.js').Follower} */
  const follower = { abort: (signal) => resolve(stop({ reason: 'aborted' }, reasonOf(signal))) };
  /** @param {string} reason @param {unknown} error */
  const giveUp = (reason, error) => {
    if (over) return;
    emit('onGiveUp', outage.attempts, { error, reason, report: stop() });
    reject(error);
  };

  /** Waits, at least `leastMs`. Resolves with whether woken. @type {(ms: number, leastMs: number) => Promise<any>} */
  const sleep = (ms, leastMs) =>
    new Promise((resolve) => {
      const from = now();
      let until = from + ms;
      let woken = false;
      const done = () => {
        wake = remember;
        cancel();
        resolve(woken);
      };
      let cancel = startTimer(ms, done, unref, from);
      cut = done;
      wake = () => {
        const time = now();
        // The machine slept.
        if (time >= until) return done();
        if (woken) return;
        const at = Math.max(time + drawFor(outage) * WAKE_MS, from + leastMs, wokenAt + baseMs);
        // random() may have aborted.
        if (over || at >= until) return;
        woken = true;
        until = at;
        cancel();
        cancel = startTimer(at - time, done, unref, time);
      };
      if (missed) {
        missed = false;
        wake();
      }
    });
  /** Waits for a turn in a limiter's queue. @param {Promise<void>} turn */
  const turnOf = (turn) =>
    new Promise((/** @type {(reason?: unknown) => void} */ resolve) => {
      cut = resolve;
      turn.then(resolve);
    });
  /** Start of the last attempt that a wake-up brought forward: they make no tight loop. */
  let wokenAt = -Infinity;

  /** Anything that this awaits, and any callback, may have ended it all. */
  const loop = async () => {
    /** @type {unknown} */
    let previousError;
    /** @type {number | undefined} */
    let previousDelayMs;
    if (wakeOn) unsubscribe = wakeOn(() => wake());
    if (over) return unsubscribe();
    for (;;) {
      const gate = protection && gateOf(settings, protection, outage.index);
      let answer = gate?.enter();
      while (answer?.do === 'hold' && !over) {
        await (typeof answer.ms === 'number' ? sleep(answer.ms, Infinity) : turnOf(answer.ms));
        if (!over) answer = gate?.enter();
      }
      /** @type {any} */
      let error = answer?.do === 'stop' ? answer.error : undefined;
      let hintMs = error?.retryAfterMs;
      let exactMs;
      const attempt = outage.attempts + 1;
      if (error === undefined && !over) emit('onAttempt', attempt);
      if (over) return gate?.close('aborted');
      if (error === undefined) {
        report.attempts++;
        const facts = { attempt, connections: report.connections, previousError, previousDelayMs };
        missed = false;
        /** @type {import('./session.js').End} */
        const ended = await new Promise((resolve) => {
          const opened = () => {
            report.connections++;
            [missed, wake] = [false, doubt];
            gate?.close('success');
            emit('onOpen', attempt, { connections: report.connections });
          };
          const { start, end, doubt } = connectionOf(settings, opened, (ended) => {
            wake = remember;
            report.openMs += ended.openMs || 0;
            resolve(ended);
          });
          cut = end;
          start(session, facts);
        });
        if (over) return gate?.close('aborted');
        if (ended.finished) {
          gate?.close('success');
          return resolve(stop({ reason: 'finished', value: ended.value }));
        }
        const { error: own, permanent, afterMs } = readMarks(ended.error);
        error = previousError = own;
        hintMs = afterMs;
        if (ended.openMs >= stableMs) Object.assign(outage, { index: outage.index + 1, previous: -1, attempts: 0 });
        outage.attempts++;
        outage.run = { endedAt: now() };
        // The process was late, and not the server.
        if (ended.late) gate?.close('aborted');
        gate?.failed(error, hintMs, !permanent);
        emit('onFailure', outage.attempts, { error });
        if (permanent) return giveUp('permanent', error);
        if (over) return;
        const failure = { outcome: error, hintMs, demandedMs: hintMs >= 0 ? Infinity : shared().last };
        const verdict = retryIf ? await retryIf(error, { attempt: outage.attempts, openMs: ended.openMs || 0 }) : true;
        if (over) return;
        readHints(failure);
        hintMs = failure.hintMs;
        gate?.hinted(hintMs);
        if (verdict === false) return giveUp('notRetryable', error);
        if (verdict !== true) exactMs = afterMsOf(verdict, 'retryIf');
        if (outage.attempts >= maxAttempts) return giveUp('exhausted', error);
      }
      // A rejection here costs the server nothing, and makes no later wait longer.
      const delayMs = exactMs ?? computed(settings, outage, answer?.do === 'stop' ? 1 : outage.attempts, hintMs);
      if (over) return;
      previousDelayMs = delayMs;
      emit('onRetry', outage.attempts, { error, delayMs });
      if (over) return;
      if (await sleep(delayMs, exactMs ?? Math.min(hintMs > 0 ? hintMs : 0, maxRetryAfterMs))) wokenAt = now();
      if (over) return;
    }
  };
  if (signal?.aborted) return follower.abort(signal);
  if (signal) follow(signal, follower);
  loop().catch((error) => giveUp('callback', error));
}
