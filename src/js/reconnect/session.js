// One connection, from the call of the session to its end, whatever ends it.

import { readMarks } from '../marks.js';
import { failure } from '../options/messages.js';
import { read } from '../options/reader.js';
import { FUNCTION, LIMIT } from '../options/rules.js';
import { reportFailure } from '../run/hooks.js';
import { TimeoutError } from '../run/report.js';
import { elapsed, now, startTimer } from '../run/timer.js';

/** @import { ReconnectSettings } from './options.js' */

/** Parts of the time for an answer to a ping: a timer that is late, as after a sleep, counts for one of them. */
const PARTS = 4;

/** @typedef {{ error?: unknown, openMs: number, finished?: boolean, value?: unknown, late?: true }} End */

/**
 * Returns what starts the session, what ends it from outside, and what doubts it once it is open. Calls `onEnd` once.
 * @param {ReconnectSettings} settings @param {() => void} onOpen @param {(end: End) => void} onEnd
 */
export function connectionOf({ connectTimeoutMs, unref }, onOpen, onEnd) {
  const controller = new AbortController();
  let over = false;
  let openedAt = NaN;
  let heardAt = NaN;
  let silenceMs = Infinity;
  /** Parts that are left for an answer; 0 if none is awaited. */
  let left = 0;
  /** @type {(() => unknown) | undefined} */
  let ping;
  let cancel = () => {};
  /** @param {number} ms @param {(late?: true) => void} done */
  const arm = (ms, done) => {
    cancel();
    if (ms < Infinity) cancel = startTimer(ms, done, unref, now());
  };
  /** @param {unknown} error @param {object} [more] */
  const end = (error, more) => {
    if (over) return;
    over = true;
    cancel();
    onEnd({ error, openMs: elapsed(openedAt), ...more });
    // One listener cleans up, whatever ended it.
    try {
      controller.abort(error);
    } catch (fault) {
      // Some hosts let the errors of listeners out.
      reportFailure(fault);
    }
  };
  /** @param {string} what @param {true} [late] */
  const expire = (what, late) => end(new TimeoutError(`rejitter: ${what}`), { late });
  const listen = () => {
    const restMs = heardAt + silenceMs / 2 - now();
    if (restMs > 0) arm(restMs, listen);
    else doubt();
  };
  const expect = () => {
    if (--left > 0) arm(silenceMs / 2 / PARTS, expect);
    else expire(`nothing was heard for ${silenceMs} ms (silenceMs)`);
  };
  const doubt = () => {
    if (over || left > 0 || silenceMs === Infinity) return;
    left = PARTS + 1;
    expect();
    // Only what is heard counts.
    Promise.resolve()
      .then(ping)
      .catch(() => {});
  };
  const connection = {
    signal: controller.signal,
    opened(/** @type {any} */ liveness) {
      if (over || openedAt >= 0) return;
      const given = read(liveness, { silenceMs: LIMIT, ping: FUNCTION });
      ({ silenceMs = Infinity, ping } = given);
      openedAt = heardAt = now();
      arm(silenceMs / 2, listen);
      onOpen();
    },
    alive() {
      if (over) return;
      heardAt = now();
      if (left === 0) return;
      left = 0;
      listen();
    },
    finish: (/** @type {unknown} */ value) => end(undefined, { finished: true, value }),
  };
  /** @param {(connection: any) => unknown} session @param {object} facts */
  const start = (session, facts) => {
    arm(connectTimeoutMs, (late) => expire(`not opened() within ${connectTimeoutMs} ms (connectTimeoutMs)`, late));
    new Promise((resolve) => resolve(session(Object.freeze({ ...facts, ...connection })))).then((value) => {
      const { afterMs } = readMarks(value);
      // A mark that was returned counts as thrown.
      end(afterMs !== undefined ? value : failure(Error, 'the session ended'));
    }, end);
  };
  return { start, end, doubt };
}
